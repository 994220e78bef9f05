import type { TurnRecord } from '../ports/index.js';
import { endWithError } from '../step/end-with-error.js';
import { isSuspect } from '../step/quarantine.js';
import { commit, mustHaveChanged, type Runtime, type Step } from '../step/runtime.js';
import { giveBack } from '../calls/mark-started.js';
import { settleOpenCalls } from '../calls/settle-open-calls.js';

type Counted = Pick<TurnRecord, 'interruptions'>;

/** Of the turns that one process ran when it froze or died, the one that was interrupted most often. Undefined: none was interrupted twice, or several were equally often. */
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
 * A process froze or died. In one step, each turn it ran is counted as interrupted and is nobody's, and the culprit ends: judged one
 * by one, the last of them would look as if it had been alone. With `chatId`, only a culprit in that chat ends: a process that acts in one chat
 * must not end a turn of another one, nor begin the one behind it (X4).
 */
export async function releaseTurnsOf(runtime: Runtime, owner: string, chatId?: string): Promise<void> {
  const findOurs = (turns: readonly TurnRecord[]): TurnRecord | undefined => {
    const culprit = findCulprit(turns);
    return chatId === undefined || culprit?.chatId === chatId ? culprit : undefined;
  };
  const ranThere = (turn: TurnRecord): boolean => turn.state === 'open' && turn.owner === owner;
  for (let isDone = false; !isDone;) {
    const seen = (await runtime.store.read((reader) => reader.unfinishedTurns())).filter(ranThere);
    const worldId = (findOurs(seen) ?? seen[0])?.worldId;
    if (worldId === undefined) return;
    const chats = [...new Set(seen.map((turn) => turn.chatId))];
    isDone = await commit(runtime, 'recover', worldId, { chats }, (step) => {
      const turns = chats.flatMap((id) => step.tx.unfinishedTurns(id)).filter(ranThere);
      const culprit = findOurs(turns);
      // Its end is told in its own world, and some turns have ended since the look.
      if (culprit !== undefined && culprit.worldId !== worldId) return false;
      for (const turn of turns) {
        if (turn === culprit) continue;
        mustHaveChanged(step.tx.stepTurn(turn, { owner: null, interruptions: turn.interruptions + 1 }));
      }
      if (culprit !== undefined) endCulprit(runtime, step, culprit);
      return true;
    });
  }
}

function endCulprit(runtime: Runtime, step: Step, culprit: TurnRecord): void {
  const interruptions = culprit.interruptions + 1;
  const turn = step.tx.claimTurn(culprit, { owner: runtime.owner, interruptions });
  if (turn === undefined) throw new Error('a turn could not be taken that had just been read');
  const reason = 'the turn was interrupted too often';
  settleOpenCalls(runtime, step, turn, { outcome: 'interrupted', reason, by: 'system' });
  const words = `This turn was interrupted ${interruptions} times and is not tried again. Check what it did, then write again.`;
  endWithError(runtime, step, turn, 'interrupted', words);
}

/**
 * Gives back what this process runs, in one step: a shutdown is limited in time, and two shutdowns that leave a turn behind
 * would end it (S3).
 */
export async function parkTurns(runtime: Runtime): Promise<void> {
  const turns = await runtime.store.read((reader) => reader.unfinishedTurns());
  const own = turns.filter(({ state, owner }) => state === 'open' && owner === runtime.owner);
  const [first] = own;
  if (first === undefined) return;
  const chats = [...new Set(own.map((turn) => turn.chatId))];
  const notBegun = runtime.scheduler.untaken().flatMap(({ started }) => started);
  await commit(runtime, 'park', first.worldId, { chats }, ({ tx }) => {
    for (const turn of own) {
      // Others on the store take it up at once.
      if (!tx.stepTurn(turn, { owner: null })) continue;
      tx.wakeTurn(turn.id);
      for (const { invocation } of notBegun) {
        if (invocation.turnId === turn.id) giveBack(tx, invocation);
      }
    }
  });
}
