import { z } from 'zod';
import type { Bubblewrap } from '../sandbox/bubblewrap-arguments.js';
import type { Overlay } from '../sandbox/draft/drafting.js';
import { whyNoView } from './view.js';

const words = z.array(z.string());
const common = { folder: z.string(), flock: z.string() };
const sandboxSchema = z.discriminatedUnion('kind', [
  z.object({
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
      z.object({ how: z.literal('copy'), reason: z.string(), ...common }),
    ]),
  }),
  z.object({ kind: z.literal('sandbox-exec'), program: z.string() }),
  z.object({ kind: z.literal('none'), reason: z.string() }),
]);

/** A sandbox in which a run works: with overlays, and without other namespaces inside. */
export interface RunSandbox {
  readonly sandbox: Bubblewrap;
  readonly drafting: Overlay;
}

/** Thrown if no program can run in a draft here. The message says what to do. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
}

/** Reads the server's sandbox (`StartedRun.sandbox`), or throws `RunRefused`. */
export function readRunSandbox(sandbox: unknown): RunSandbox {
  const read = sandboxSchema.safeParse(sandbox);
  if (!read.success) throw new RunRefused('the server has another version. Restart it, then run this again');
  const found = read.data;
  if (found.kind === 'sandbox-exec')
    throw new RunRefused('`countersign run` doesn’t work on macOS. Run it in a Linux VM, as the guide shows');
  if (found.kind === 'none') throw new RunRefused(`a run needs a sandbox: ${found.reason}. See \`countersign doctor\``);
  const why = whyNoView(found);
  if (why !== undefined) throw new RunRefused(why);
  const { drafting } = found;
  if (drafting.how === 'copy')
    throw new RunRefused(`a run needs an overlay of the folder, which can't be mounted here (${drafting.reason})`);
  return { sandbox: { ...found, drafting }, drafting };
}
