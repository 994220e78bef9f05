import { errorMessage, ownFiles, ToolFailure, type Batches } from '@countersign/core/ports';
import { ChangeConflict, sealBatch, type KeptUndos } from '@countersign/changes';
import { FolderTooLarge } from './copies/folder-too-large.js';
import { DRAFT_LIMITS, DraftTooLarge, limitsText, REHEARSAL_LIMITS } from './draft-limits.js';
import type { Drafting } from './drafting.js';
import { openDraft } from './open-draft.js';

/**
 * Drafts for several calls, one after another (CHANGE11). Each is a copy of the folder, also where overlays can be mounted: every call then runs in a
 * draft of its own over the copy, which is planned, inspected and applied to the copy like a single command to the folder.
 */
export function batchDrafts({ folder, flock }: Drafting, undos: Pick<KeptUndos, 'apply'>): Batches {
  const drafting = { how: 'copy', folder, flock, reason: 'calls of a batch share it' } as const;
  return {
    async seal(workingDirectory, signal, run) {
      const draft = await openDraft(drafting, workingDirectory, {
        limits: DRAFT_LIMITS,
        // No later check knows them by their path in the copy.
        hidden: ownFiles(),
        signal,
        skipsSame: true,
      }).catch((error: unknown) => {
        if (!(error instanceof FolderTooLarge)) throw error;
        throw new ToolFailure(`the working folder has more than ${limitsText(DRAFT_LIMITS)}, so it can't be copied`);
      });
      try {
        await run(draft.copy ?? '');
        const sealed = await draft.plan(async (change, [first]) => {
          // Each call was inspected too, but over the copy: a repository around the folder is seen only here.
          if (first !== undefined) throw new ToolFailure(`${first.path} can't be applied. Decide the calls one by one`);
          return await sealBatch(drafting, undos, change, signal);
        });
        if (sealed.bytes > REHEARSAL_LIMITS.bytes) throw new DraftTooLarge(REHEARSAL_LIMITS);
        let applying: Promise<unknown> = Promise.resolve();
        return {
          ...sealed,
          async apply(callIds, hold) {
            const applied = sealed.apply(callIds, hold);
            applying = applied.catch(() => undefined);
            await applied.catch((error: unknown) => {
              if (error instanceof ChangeConflict) throw new ToolFailure(error.message, undefined, { conflict: true });
              throw new ToolFailure(errorMessage(error));
            });
          },
          async discard() {
            await applying;
            await draft.discard();
          },
        };
      } catch (error) {
        await draft.discard();
        if (!(error instanceof ChangeConflict) && !(error instanceof DraftTooLarge)) throw error;
        throw new ToolFailure(error.message);
      }
    },
  };
}
