import type { SharedStore, TurnRecord } from '../ports/index.js';
import { isSuspect } from '../step/quarantine.js';
import { releaseTurnsOf } from './release-turns.js';
import { commit, type Runtime } from '../step/runtime.js';

/** Who has not been heard of for so long counts as dead, and its turns are taken by others (S4). */
export const SILENT_MS = 6_500;

export type Claim = 'mine' | 'not-runnable' | { runsIn: string };

/**
 * A wake-up for this turn has come. If nobody alive runs it, this process takes it: an owner that was only frozen then finds a
 * higher epoch and can write nothing more for it.
 */
export async function claimTurn(runtime: Runtime, shared: SharedStore, turnId: string): Promise<Claim> {
  const look = () => runtime.store.read((reader) => reader.turn(turnId));
  let seen = await look();
  if (seen?.state === 'open' && seen.owner === runtime.owner) return 'mine';
  if (seen?.state === 'open' && seen.owner !== null) {
    if (await shared.isAlive(seen.owner, SILENT_MS)) return { runsIn: seen.owner };
    await releaseTurnsOf(runtime, seen.owner);
    seen = await look();
  }
  return seen?.state === 'open' && seen.owner === null ? await claimUnowned(runtime, seen) : 'not-runnable';
}

/** Not runnable: somebody else was first, or another suspect is being run here. The latter is tried again when that one is done. */
export async function claimUnowned(runtime: Runtime, turn: TurnRecord): Promise<'mine' | 'not-runnable'> {
  if (isSuspect(turn) && !runtime.quarantine.enter(turn.id)) return 'not-runnable';
  let isMine = false;
  try {
    isMine = await commit(runtime, 'claim', turn.worldId, { chats: [turn.chatId] }, ({ tx }) => {
      const claim = { owner: runtime.owner, interruptions: turn.interruptions };
      return tx.claimTurn(turn, claim) !== undefined;
    });
  } finally {
    if (!isMine) runtime.quarantine.leave(turn.id);
  }
  return isMine ? 'mine' : 'not-runnable';
}
