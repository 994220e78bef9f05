import { z } from 'zod';

/**
 * How a call runs and what it can reach while it does (A21). Screens decide by these fields; `detail` is only shown.
 * A tool that doesn't know must say `unknown`: never claim what isn't enforced.
 */
export const callSandboxSchema = z.object({
  /**
   * `bubblewrap`, `sandbox-exec`: a program in a sandbox. `none`: a program with the user's own rights. `in-process`: code of the
   * server or library itself. `remote`: a server elsewhere. `client`: the connected client that offers the tool.
   */
  kind: z.enum(['bubblewrap', 'sandbox-exec', 'none', 'in-process', 'remote', 'client', 'unknown']),
  /** `listed`: only `hosts`. `public`: public addresses, and the private ones in `hosts`. `all`: also private addresses and this machine. */
  network: z.enum(['none', 'listed', 'public', 'all', 'unknown']),
  hosts: z.array(z.string()),
  /** Folders that rules open to the sandbox for reading. */
  readable: z.array(z.string()),
  detail: z.string().exactOptional(),
});
export type CallSandbox = z.infer<typeof callSandboxSchema>;

/** What is not guaranteed where `kind` is `none`, in the same words on cards, in the log and in `doctor`. */
export function unsandboxedWords(what: string): string {
  return `nothing stops ${what} from reading and changing your files, using the network or approving its own calls`;
}

/** What a call would change, such as a diff; masked. `truncated`: it does not show everything that would be written. */
export const previewSchema = z.object({ text: z.string(), truncated: z.boolean() });
export type Preview = z.infer<typeof previewSchema>;

/** Before the schema had fields, requests in transcripts held a sentence, which proves nothing. */
export const storedSandboxSchema = z.union([
  callSandboxSchema,
  z.string().transform((detail): CallSandbox => unknownSandbox(detail)),
]);

/** Old previews don't say whether they are whole, so they count as truncated. */
export const storedPreviewSchema = z.union([
  previewSchema,
  z.string().transform((text): Preview => ({ text, truncated: true })),
]);

export function unknownSandbox(detail: string): CallSandbox {
  return { kind: 'unknown', network: 'unknown', hosts: [], readable: [], detail };
}

/** Code that runs inside the server or library. */
export function inProcess(network: CallSandbox['network']): CallSandbox {
  return { kind: 'in-process', network, hosts: [], readable: [] };
}
