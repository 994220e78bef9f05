import { z } from 'zod';
import type { Bubblewrap } from '../sandbox/bubblewrap-arguments.js';
import type { Overlay } from '../sandbox/draft/drafting.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { RunNotStarted } from './start-program.js';

/** A sandbox in which a run works: with overlays, and without other namespaces inside. */
export type RunSandbox = Bubblewrap & { readonly drafting: Overlay };

/** Why no program can run in a draft here, as a sentence that says what helps (RUN4.2). */
export function findRunSandbox(sandbox: Sandbox): RunSandbox | { refused: string } {
  if (sandbox.kind === 'sandbox-exec')
    return { refused: 'Programs can run in a draft only on Linux with bubblewrap. On macOS, use a Linux VM.' };
  if (sandbox.kind === 'none')
    return { refused: `A run needs a sandbox: ${sandbox.reason}. See \`countersign doctor\`.` };
  const { drafting, userNamespace } = sandbox;
  if (drafting.how === 'copy')
    return { refused: `Programs can't run in a draft here, because no overlay can be mounted (${drafting.reason}).` };
  if (!userNamespace.includes('--unshare-user'))
    return { refused: "A run needs user namespaces, which this system doesn't allow. See `countersign doctor`." };
  if (!userNamespace.includes('--disable-userns'))
    return {
      refused: 'A run needs bubblewrap 0.8 or newer, which can prevent namespaces inside its own. Update bubblewrap.',
    };
  return { ...sandbox, drafting };
}

const words = z.array(z.string());
const common = { folder: z.string(), flock: z.string() };
const sandboxSchema = z.object({
  kind: z.literal('bubblewrap'),
  program: z.string(),
  userNamespace: words,
  sizeArguments: words,
  drafting: z.discriminatedUnion('how', [
    z.object({
      how: z.literal('mount'),
      ...{ unshare: words, mount: z.string(), bash: z.string(), options: z.string() },
      ...common,
    }),
    z.object({ how: z.literal('bubblewrap'), program: z.string(), ...common }),
  ]),
});

/** Reads what `findRunSandbox` has found for the server (`StartedRun.sandbox`). */
export function readRunSandbox(sandbox: unknown): RunSandbox {
  const read = sandboxSchema.safeParse(sandbox);
  if (!read.success) throw new RunNotStarted('the server has another version. Restart it, then run this again');
  return read.data;
}
