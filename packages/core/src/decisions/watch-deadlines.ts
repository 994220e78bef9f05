import { CountersignError } from '@countersign/protocol';
import { commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { expireApproval } from './deny-approval.js';

const AGAIN_MS = 5_000;

/** Whether the world was deleted or the store was closed. */
function isGone(error: unknown): boolean {
  return error instanceof CountersignError && (error.code === 'not-found' || error.code === 'closed');
}

/** Keeps one timer per deadline. The store's clock decides, so a timer that fires early only checks and waits again. */
export function watchDeadlines(runtime: () => Runtime): {
  watch(worldId: string, approvalId: string, expiresAt: number): void;
  close(): void;
} {
  const timers = new Map<string, () => void>();
  function watch(worldId: string, approvalId: string, expiresAt: number): void {
    const { clock } = runtime();
    timers.get(approvalId)?.();
    const wait = Math.max(0, expiresAt - clock.now());
    timers.set(
      approvalId,
      clock.after(
        wait,
        () => {
          timers.delete(approvalId);
          fire(runtime(), worldId, approvalId).then(
            (again) => again === undefined || watch(worldId, approvalId, again),
            (error: unknown) => {
              runtime().report(error, 'failed to expire an approval');
              // Retry: the store may recover, and the turn must not wait until the next startup.
              if (!isGone(error)) watch(worldId, approvalId, clock.now() + AGAIN_MS);
            },
          );
        },
        { background: true },
      ),
    );
  }
  return {
    watch,
    close() {
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}

/** Returns the deadline if it is still in the future according to the store's clock. */
async function fire(runtime: Runtime, worldId: string, approvalId: string): Promise<number | undefined> {
  const chatId = await runtime.store.read(async (reader) => (await reader.approval(approvalId))?.chatId);
  if (chatId === undefined) return undefined;
  return await commit(runtime, 'expire-approval', worldId, { chats: [chatId] }, (step) => {
    const approval = step.tx.approval(approvalId);
    if (approval === undefined || approval.expiresAt === null) return undefined;
    if (approval.expiresAt > step.tx.now()) return approval.expiresAt;
    const invocation = step.tx.invocation(approval.invocationId);
    if (invocation === undefined || step.tx.turn(invocation.turnId) === undefined) return undefined;
    expireApproval(runtime, step, { approval, invocation });
    return undefined;
  });
}
