import { z } from 'zod';

/**
 * How a call runs and what it can access (A21). Screens branch on these fields; `detail` is only displayed. A tool that doesn't know must
 * report `unknown`: never claim what isn't enforced.
 */
export const callSandboxSchema = z.object({
  /**
   * `bubblewrap`, `sandbox-exec`: a sandboxed program. `none`: a program with the user's permissions. `in-process`: code inside the server or
   * library. `remote`: a remote server. `client`: the connected client that offers the tool. `external`: the program that proposed the call, named by
   * `detail`.
   */
  kind: z.enum(['bubblewrap', 'sandbox-exec', 'none', 'in-process', 'remote', 'client', 'external', 'unknown']),
  /** `listed`: only `hosts`. `public`: public addresses, and the private ones in `hosts`. `all`: also private addresses and loopback. */
  network: z.enum(['none', 'listed', 'public', 'all', 'unknown']),
  hosts: z.array(z.string()),
  /** Folders that rules make readable in the sandbox. */
  readable: z.array(z.string()),
  detail: z.string().exactOptional(),
  /** Set if the program that runs the call didn't say in which folder. The approval's folder is then that of the world. */
  folder: z.literal('unknown').exactOptional(),
});
export type CallSandbox = z.infer<typeof callSandboxSchema>;

/** The warning for `kind: 'none'`, shared by cards, the log and `doctor`. */
export function unsandboxedText(what: string): string {
  return `nothing stops ${what} from reading and changing your files, using the network or approving its own calls`;
}

/** What a call would change, such as a diff; masked. `truncated`: part of the change is missing. */
export const previewSchema = z.object({ text: z.string(), truncated: z.boolean() });
export type Preview = z.infer<typeof previewSchema>;

export function unknownSandbox(detail: string): CallSandbox {
  return { kind: 'unknown', network: 'unknown', hosts: [], readable: [], detail };
}

/** Code that runs inside the server or library. */
export function inProcess(network: CallSandbox['network']): CallSandbox {
  return { kind: 'in-process', network, hosts: [], readable: [] };
}
