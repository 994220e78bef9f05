import { z } from 'zod';
import { api, field, text } from '../input/field.js';

/**
 * How a call runs and what it can access (SAFE1). Screens branch on these fields; `detail` is only displayed. A tool that doesn't know must
 * report `unknown`: never claim what isn't enforced.
 */
export const callSandboxSchema = z.object({
  kind: field(
    z.enum(['bubblewrap', 'sandbox-exec', 'none', 'in-process', 'remote', 'client', 'external', 'unknown']),
    "`bubblewrap`, `sandbox-exec`: a sandboxed program. `none`: a program with the user's permissions. `in-process`: code inside the server or library. `remote`: a remote server. `client`: the connected client that offers the tool. `external`: the program that proposed the call, named by `detail`.",
  ),
  network: field(
    z.enum(['none', 'listed', 'public', 'all', 'unknown']),
    '`listed`: only `hosts`. `public`: public addresses, and the private ones in `hosts`. `all`: also private addresses and loopback.',
  ),
  hosts: field(z.array(z.string()), 'Hosts it may connect to.'),
  readable: field(z.array(z.string()), 'Folders that rules make readable in the sandbox.'),
  detail: text('Details about the sandbox, for display.').exactOptional(),
  folder: field(
    z.literal('unknown').exactOptional(),
    'Set to `unknown` if the program that runs the call did not say in which folder.',
  ),
});
export type CallSandbox = z.infer<typeof callSandboxSchema>;

/** The warning for `kind: 'none'`, shared by cards, the log and `doctor`. */
export function unsandboxedText(what: string): string {
  return `nothing stops ${what} from reading and changing your files, using the network or approving its own calls`;
}

/** What a call would change, such as a diff; masked. `truncated`: part of the change is missing. */
export const previewSchema = z.object({
  text: text('Text of the preview.'),
  truncated: field(z.boolean(), 'Whether the preview was truncated.'),
});
api.add(previewSchema, { description: 'What the call would change, such as a diff.' });
export type Preview = z.infer<typeof previewSchema>;

export function unknownSandbox(detail: string): CallSandbox {
  return { kind: 'unknown', network: 'unknown', hosts: [], readable: [], detail };
}

/** Code that runs inside the server or library. */
export function inProcess(network: CallSandbox['network']): CallSandbox {
  return { kind: 'in-process', network, hosts: [], readable: [] };
}
