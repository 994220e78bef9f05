import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { Predicted, PredictionContext } from '@countersign/core/ports';
import type { Prediction } from '@countersign/protocol';
import { describeChange, isInside } from '@countersign/changes';
import { quoteWord } from './join-command.js';
import { mayUseNetwork, rehearseOnce } from './rehearse-command.js';
import type { ShellOptions } from './shell-options.js';

/**
 * Predicts what a command does that another program is about to run with `bash -c`, by running it in a draft which is then deleted (CHANGE8.9). The
 * other program runs the command itself, later and outside our sandbox, so the real effect may differ: never apply or sign a prediction as if it
 * were what happens. Nothing stays on the disk. Rejects if the signal aborts.
 */
export async function predictEffect(
  options: ShellOptions,
  command: string,
  { workingDirectory, folder, named = '.', protectedIn, signal }: PredictionContext,
): Promise<Predicted> {
  if (options.sandbox.kind !== 'bubblewrap') return { noEffect: { reason: 'no-sandbox' } };
  if (mayUseNetwork(options, {})) return { noEffect: { reason: 'network' } };
  const startsIn = resolve(folder, named);
  const [real, start] = await Promise.all(
    [folder, startsIn].map(async (one) => await realpath(one).catch(() => undefined)),
  );
  if (real === undefined || start === undefined) return { noEffect: { reason: 'other-folder' } };
  if (!isInside(workingDirectory, real) || !isInside(workingDirectory, start))
    return { noEffect: { reason: 'other-folder' } };
  const inside = relative(workingDirectory, start);
  const protectedPaths = protectedIn(real, startsIn, start);
  const context = { workingDirectory, signal, ...(protectedPaths === undefined ? {} : { protectedPaths }) };
  // On a line of its own: the command may start and end in any way.
  const text = inside === '' ? command : `cd ${quoteWord(`./${inside}`)} || exit\n${command}`;
  const done = await rehearseOnce(text, options, context, async ({ draft, hidden, signal: reading, ...rehearsed }) => {
    const { effect } = await describeChange(draft, rehearsed, { signal: reading });
    const { effectHash: _, ...changes } = effect;
    // Nothing hides these paths from the program.
    return {
      prediction: { ...seenFrom(relative(workingDirectory, real), changes), ...(hidden === 0 ? {} : { hidden }) },
    };
  });
  return typeof done === 'string' ? { noEffect: { reason: done } } : done;
}

/** The card names the folder in which the program works, so paths are relative to that one. */
export function seenFrom(inside: string, changes: Prediction): Prediction {
  if (inside === '') return changes;
  const seen = (path: string): string => relative(inside, path) || '.';
  return {
    ...changes,
    files: changes.files.map(({ path, from, ...file }) => ({
      ...file,
      path: seen(path),
      ...(from === undefined ? {} : { from: seen(from) }),
    })),
    leftOut: changes.leftOut.map(({ path, why }) => ({ path: seen(path), why })),
  };
}
