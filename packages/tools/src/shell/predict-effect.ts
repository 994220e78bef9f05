import type { RehearsalContext } from '@countersign/core/ports';
import type { Effect, NoEffect } from '@countersign/protocol';
import { effectOf } from '../sandbox/draft/effect/effect-of.js';
import { listChanges } from '../sandbox/draft/effect/list-changes.js';
import { mayUseNetwork, rehearseOnce } from './rehearse-command.js';
import type { ShellOptions } from './shell-options.js';

/** Where a command would run, and which rules apply to it. */
export type PredictionContext = Pick<
  RehearsalContext,
  'workingDirectory' | 'withheld' | 'protectedPaths' | 'sandboxGrants' | 'signal'
>;

/** An `effect` is what a rehearsal did. It says nothing certain about the real run. */
export type Prediction = { readonly effect: Effect } | { readonly noEffect: NoEffect };

/**
 * Predicts what a command does that another program is about to run with `bash -c`, by running it in a draft which is then deleted (A53.6). The
 * other program runs the command itself, later and outside our sandbox, so the real effect may differ: never apply or sign a prediction as if it
 * were what happens. Nothing stays on the disk. Rejects if the signal aborts.
 */
export async function predictEffect(
  options: ShellOptions,
  command: string,
  context: PredictionContext,
): Promise<Prediction> {
  if (options.sandbox.kind !== 'bubblewrap') return { noEffect: { reason: 'no-sandbox' } };
  if (mayUseNetwork(options, context)) return { noEffect: { reason: 'network' } };
  const done = await rehearseOnce(command, options, context, async ({ draft, signal, ...rehearsed }) => ({
    effect: await effectOf(draft, await listChanges(draft, signal), rehearsed, { signal }),
  }));
  return typeof done === 'string' ? { noEffect: { reason: done } } : done;
}
