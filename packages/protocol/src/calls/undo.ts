import { z } from 'zod';
import { api, field, text, agentId, chatId, toolCallId, toolName } from '../input/field.js';
import { effectSchema } from './effect.js';

/** A call whose changes are kept, so that a person can undo it (CHANGE10). */
export const undoableCallSchema = z.object({
  toolCallId,
  chatId,
  agentId,
  toolName,
  arguments: field(z.unknown(), 'Arguments of the call. Secrets are masked.'),
  settledAt: text('When the call ended.'),
  undoUntil: text('When the call can no longer be undone. Earlier if space is needed.'),
});
api.add(undoableCallSchema, { id: 'UndoableCall' });
/** A call that a person can undo. */
export type UndoableCall = z.infer<typeof undoableCallSchema>;

/**
 * Whether a call can be undone. `conflict`: its files have been changed since. `gone`: nothing is kept for it. `needs-signers`: a rule said who must
 * sign it or what undoing it would write, and one person can't undo what that rule required. `denied`: a rule denies changes to what undoing it would write.
 */
export const undoPreviewSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('ready'), effect: field(effectSchema.clone(), 'What undoing the call will do.') }),
  z.object({
    state: z.literal('conflict'),
    paths: field(z.array(z.string()), 'Paths that have changed since the call.'),
  }),
  z.object({ state: z.literal('undone') }),
  z.object({ state: z.literal('gone') }),
  z.object({ state: z.literal('needs-signers') }),
  z.object({ state: z.literal('denied') }),
]);
api.add(undoPreviewSchema, { id: 'UndoPreview' });
/** Whether a call can be undone, and what that would do. */
export type UndoPreview = z.infer<typeof undoPreviewSchema>;

/** A person's signature under an undo: it covers the effect that they saw. */
export const newUndoSchema = z.strictObject({
  effectHash: field(
    z.string().regex(/^[0-9a-f]{64}$/, 'must be the effectHash of the preview'),
    'Hash of the effect of the undo, as it was shown.',
  ),
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
