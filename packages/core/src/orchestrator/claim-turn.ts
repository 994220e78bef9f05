import type { SharedStore } from '../ports/index.js';
import { commit, type Runtime } from './runtime.js';
import { endIfInterruptedTooOften } from './take-over.js';

/** Who has not been heard of for so long counts as dead, and its turns are taken by others (S4). */
export const SILENT_MS = 6_500;

export type Claim = 'mine' | 'not-runnable' | { runsIn: string };

/**
 * A wake-up for this turn has come. If nobody alive runs it, it is this process's from here on: whoever comes back from the dead finds
 * a higher epoch and can write nothing more for it.
 */
export async function claimTurn(runtime: Runtime, shared: SharedStore, turnId: string): Promise<Claim> {
  const seen = await runtime.store.read((reader) => reader.turn(turnId));
  if (seen === undefined || seen.state !== 'open') return 'not-runnable';
  const { owner } = seen;
  if (owner === runtime.owner) return 'mine';
  if (owner !== null && (await shared.isAlive(owner, SILENT_MS))) return { runsIn: owner };
  return await commit(runtime, 'claim', seen.worldId, async (step): Promise<Claim> => {
    // Parked by an orderly end, or never begun: nothing was interrupted.
    const interruptions = seen.interruptions + (owner === null ? 0 : 1);
    const turn = await step.tx.claimTurn(seen, { owner: runtime.owner, interruptions });
    // Somebody else was first, or wrote for it: that process wakes it.
    if (turn === undefined) return 'not-runnable';
    return (await endIfInterruptedTooOften(runtime, step, turn)) ? 'not-runnable' : 'mine';
  });
}
