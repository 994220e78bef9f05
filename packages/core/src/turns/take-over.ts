import { SYSTEM } from '@countersign/protocol';
import type { SharedStore, TurnRecord } from '../ports/index.js';
import { asUnknown, expireQuestions, settleCall, settleOpenCalls } from '../call/settle.js';
import { commit } from '../step/commit.js';
import { findMissingTool } from '../step/find-missing-tool.js';
import { endWithError, readSituation } from '../step/move-turn.js';
import { isSuspect } from '../step/scheduler.js';
import type { Runtime, Step } from '../step/runtime.js';

/**
 * Settles calls that a dead process had started. Their outcome is unknown, so they fail, except those of idempotent tools, which start again
 * (STORE3).
 */
export async function takeOver(runtime: Runtime, turn: TurnRecord, invocationIds: readonly string[]): Promise<void> {
  await commit(runtime, 'take-over', turn.worldId, { chats: [turn.chatId] }, (step) => {
    if (step.tx.current(turn) === undefined) return;
    for (const id of invocationIds) {
      const invocation = step.tx.invocation(id);
      if (invocation?.status !== 'started') continue;
      expireQuestions(step, invocation);
      if (invocation.idempotent) step.tx.write({ kind: 'call-requeued', chatId: turn.chatId, callId: id });
      else settleCall(runtime, step, invocation, asUnknown('interrupted'));
    }
  });
}

/** For a process that owns the store alone: takes all unfinished turns, or those of one chat. */
export async function recover(runtime: Runtime, chatId?: string): Promise<void> {
  const openTurns = async (): Promise<TurnRecord[]> =>
    (await runtime.store.read((reader) => reader.unfinishedTurns(chatId))).filter(({ state }) => state === 'open');
  const owners = new Set((await openTurns()).map(({ owner }) => owner));
  for (const owner of owners)
    if (owner !== null && owner !== runtime.process.owner) await releaseTurnsOf(runtime, owner, chatId);
  for (const turn of await openTurns()) {
    if (turn.owner === null && (await claimUnowned(runtime, turn)) === 'mine') runtime.scheduler.wake(turn.id);
  }
}

/** A process without a heartbeat for this long is considered dead, and others take its turns (STORE4). */
export const SILENT_MS = 6_500;

export type Claim = 'mine' | 'not-runnable' | { runsIn: string };

/**
 * Handles a wake-up for a turn. If no live process runs it, this one takes it. If the old owner was only frozen, it will find a higher epoch
 * and can't write.
 */
export async function claimTurn(runtime: Runtime, shared: SharedStore, turnId: string): Promise<Claim> {
  const look = () => runtime.store.read((reader) => reader.turn(turnId));
  let seen = await look();
  if (seen?.state === 'open' && seen.owner === runtime.process.owner) return 'mine';
  if (seen?.state === 'open' && seen.owner !== null) {
    if (await shared.isAlive(seen.owner, SILENT_MS)) return { runsIn: seen.owner };
    await releaseTurnsOf(runtime, seen.owner);
    seen = await look();
  }
  return seen?.state === 'open' && seen.owner === null ? await claimUnowned(runtime, seen) : 'not-runnable';
}

/** `not-runnable`: another process was faster, another suspect runs here, or only another process has the tool; a later round tries again. */
export async function claimUnowned(runtime: Runtime, turn: TurnRecord): Promise<'mine' | 'not-runnable'> {
  if (isSuspect(turn) && !runtime.running.quarantine.enter(turn.id)) return 'not-runnable';
  let isMine = false;
  try {
    isMine = await commit(runtime, 'claim', turn.worldId, { chats: [turn.chatId] }, ({ tx, snapshot }) => {
      const current = tx.current(turn);
      if (current?.state !== 'open' || current.owner !== null) return false;
      const isShared = runtime.store.shared !== undefined;
      if (isShared && findMissingTool(runtime, readSituation(tx, current, snapshot)) !== undefined) return false;
      const { id: turnId, chatId, interruptions } = current;
      tx.write({ kind: 'turn-claimed', chatId, turnId, owner: runtime.process.owner, interruptions });
      return true;
    });
  } finally {
    if (!isMine) runtime.running.quarantine.leave(turn.id);
  }
  return isMine ? 'mine' : 'not-runnable';
}

type Counted = Pick<TurnRecord, 'interruptions'>;

/** The most often interrupted turn of a process that froze or died. Undefined if no turn was interrupted twice, or if there is a tie. */
export function findCulprit<Turn extends Counted>(turns: readonly Turn[]): Turn | undefined {
  let most: Turn[] = [];
  for (const turn of turns) {
    const first = most[0]?.interruptions ?? 0;
    if (turn.interruptions === first) most.push(turn);
    else if (turn.interruptions > first) most = [turn];
  }
  const [culprit, ...others] = most;
  if (culprit === undefined || others.length > 0) return undefined;
  return isSuspect({ interruptions: culprit.interruptions + 1 }) ? culprit : undefined;
}

/**
 * Handles a dead process in one step: counts its turns as interrupted, releases them, and ends the culprit. If turns were handled one by one,
 * the last one would look as if it had run alone. With `chatId`, ends only a culprit in that chat, because the process acts in no other chat
 * (TERM4).
 */
async function releaseTurnsOf(runtime: Runtime, owner: string, chatId?: string): Promise<void> {
  const findOurs = (turns: readonly TurnRecord[]): TurnRecord | undefined => {
    const culprit = findCulprit(turns);
    return chatId === undefined || culprit?.chatId === chatId ? culprit : undefined;
  };
  const isOwned = (turn: TurnRecord): boolean => turn.state === 'open' && turn.owner === owner;
  for (let isDone = false; !isDone;) {
    const seen = (await runtime.store.read((reader) => reader.unfinishedTurns())).filter(isOwned);
    const worldId = (findOurs(seen) ?? seen[0])?.worldId;
    if (worldId === undefined) return;
    const chats = [...new Set(seen.map((turn) => turn.chatId))];
    isDone = await commit(runtime, 'recover', worldId, { chats }, (step) => {
      const turns = chats.flatMap((id) => step.tx.unfinishedTurns(id)).filter(isOwned);
      const culprit = findOurs(turns);
      // Turns have ended since the lookup, and the culprit is now in another world, where its notice belongs. Retry.
      if (culprit !== undefined && culprit.worldId !== worldId) return false;
      for (const turn of turns) {
        if (turn === culprit) continue;
        const { id: turnId, chatId, interruptions } = turn;
        step.tx.write({ kind: 'turn-released', chatId, turnId, interruptions: interruptions + 1 });
      }
      if (culprit !== undefined) endCulprit(runtime, step, culprit);
      return true;
    });
  }
}

function endCulprit(runtime: Runtime, step: Step, culprit: TurnRecord): void {
  const { id: turnId, chatId } = culprit;
  const interruptions = culprit.interruptions + 1;
  step.tx.write({ kind: 'turn-claimed', chatId, turnId, owner: runtime.process.owner, interruptions });
  const reason = 'the turn was interrupted too many times';
  settleOpenCalls(runtime, step, culprit, { outcome: 'interrupted', reason, by: SYSTEM });
  const words = `This turn was interrupted ${interruptions} times and won't be retried. Check what it did, then send your message again.`;
  endWithError(runtime, step, step.tx.turn(turnId) ?? culprit, 'interrupted', words);
}

/**
 * Releases the turns of this process in one step, because shutdown time is limited, and a turn left behind by two shutdowns would be ended
 * (STORE3).
 */
export async function parkTurns(runtime: Runtime): Promise<void> {
  const turns = await runtime.store.read((reader) => reader.unfinishedTurns());
  const own = turns.filter(({ state, owner }) => state === 'open' && owner === runtime.process.owner);
  const [first] = own;
  if (first === undefined) return;
  const chats = [...new Set(own.map((turn) => turn.chatId))];
  const notStarted = runtime.scheduler.untaken().flatMap(({ started }) => started);
  await commit(runtime, 'park', first.worldId, { chats }, ({ tx }) => {
    for (const turn of own) {
      const current = tx.current(turn);
      if (current?.state !== 'open' || current.owner !== runtime.process.owner) continue;
      const { id: turnId, chatId, interruptions } = current;
      tx.write({ kind: 'turn-released', chatId, turnId, interruptions });
      // Other processes resume the turn immediately.
      tx.wakeTurn(turnId);
      for (const { record: invocation } of notStarted) {
        if (invocation.turnId !== turnId || tx.invocation(invocation.id)?.status !== 'started') continue;
        tx.write({ kind: 'call-requeued', chatId, callId: invocation.id });
      }
    }
  });
}
