import { z } from 'zod';
import { effectSchema } from './effect.js';

/** A call whose changes are kept, so that a person can undo it (A58). */
export const undoableCallSchema = z.object({
  toolCallId: z.string(),
  chatId: z.string(),
  agentId: z.string(),
  toolName: z.string(),
  /** Secrets are masked. */
  arguments: z.unknown(),
  settledAt: z.string(),
  /** What is needed to undo it is deleted then, or earlier if space is needed. */
  undoUntil: z.string(),
});
/** A call that a person can undo. */
export type UndoableCall = z.infer<typeof undoableCallSchema>;

/**
 * Whether a call can be undone. `conflict`: its files have been changed since. `gone`: nothing is kept for it. `needs-signers`: a rule said who must
 * sign it or what undoing it would write, and one person can't undo what that rule required. `denied`: a rule denies changes to what undoing it would write.
 */
export const undoPreviewSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ready'), effect: effectSchema }),
  z.object({ state: z.literal('conflict'), paths: z.array(z.string()) }),
  z.object({ state: z.literal('undone') }),
  z.object({ state: z.literal('gone') }),
  z.object({ state: z.literal('needs-signers') }),
  z.object({ state: z.literal('denied') }),
]);
/** Whether a call can be undone, and what that would do. */
export type UndoPreview = z.infer<typeof undoPreviewSchema>;

/** A person's signature under an undo: it covers the effect that they saw. */
export const newUndoSchema = z.strictObject({
  effectHash: z.string().regex(/^[0-9a-f]{64}$/, 'must be the effectHash of the preview'),
});

const MOST_PATHS = 10;

/** Explains why a call can't be undone, as sentences for people. Empty if it can. */
export function whyNotUndone(preview: UndoPreview): string {
  switch (preview.state) {
    case 'ready':
      return '';
    case 'conflict': {
      const paths = preview.paths.map((path) => (path === '' ? 'the working folder' : path));
      const more = paths.length > MOST_PATHS ? ` and ${paths.length - MOST_PATHS} more` : '';
      return `Undoing this call would lose later changes to ${paths.slice(0, MOST_PATHS).join(', ')}${more}. Nothing was undone.`;
    }
    case 'undone':
      return 'This call was already undone.';
    case 'gone':
      return 'This call can no longer be undone: it changed no files, changed too much, is too old, or ran on another machine.';
    case 'denied':
      return 'A rule denies changes to files that undoing this call would write. Nothing was undone.';
    case 'needs-signers':
      return "A rule says who must sign this call, so one person can't undo it. Ask an agent to change the files back, and have that call signed.";
  }
}
