import { CountersignError } from '@countersign/protocol';
import { commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { expireApproval } from './deny-approval.js';

const AGAIN_MS = 5_000;

/** The world is, or the store was closed. */
function isGone(error: unknown): boolean {
  return error instanceof CountersignError && (error.code === 'not-found' || error.code === 'closed');
}

/** Keeps one timer per deadline. The store's clock judges, so a timer that fires early only looks and comes back. */
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
              runtime().report(error, 'an approval could not be expired');
              // A store that is away comes back, and a turn that waits for nobody must not do so until the next start.
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

/** The deadline, if it is still to come by the store's clock. */
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
