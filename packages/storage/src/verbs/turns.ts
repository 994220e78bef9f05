import type { StoreTransaction, TurnChange, TurnRecord } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import { changed } from '../change-set.js';
import type { ChangeParameters, TurnRow, TurnStatements } from '../queries/turns.js';

type TurnVerbs = Pick<
  StoreTransaction,
  | 'turn'
  | 'endedTurns'
  | 'unfinishedTurns'
  | 'currentTurn'
  | 'nextQueuedTurn'
  | 'countTurnsSince'
  | 'countUnfinished'
  | 'countWorking'
  | 'insertTurn'
  | 'stepTurn'
  | 'fenceTurn'
  | 'claimTurn'
  | 'wakeTurn'
>;

export function turnVerbs(on: Connection, s: TurnStatements): TurnVerbs {
  const turn = on.first(s.turn, toTurn);
  const endedTurns = on.all(s.endedTurns, toTurn);
  const unfinishedTurns = on.all(s.unfinishedTurns, toTurn);
  const unfinishedTurnsOfChat = on.all(s.unfinishedTurnsOfChat, toTurn);
  const currentTurn = on.first(s.currentTurn, toTurn);
  const nextQueuedTurn = on.first(s.nextQueuedTurn, toTurn);
  const countTurnsSince = on.first(s.countTurnsSince, ([count]) => count);
  const countUnfinished = on.first(s.countUnfinished, ([working, waiting]) => ({ working, waiting }));
  const countWorking = on.first(s.countWorking, ([count]) => count);
  const insertTurn = on.run(s.insertTurn);
  const stepTurn = on.run(s.stepTurn);
  const stepTurnInto = on.run(s.stepTurnInto);
  const fenceTurn = on.first(s.fenceTurn, toTurn);
  const claimTurn = on.first(s.claimTurn, toTurn);

  return {
    turn: async (id) => turn({ id }),
    endedTurns: async (chatId, agentId, { after, before, limit }) =>
      endedTurns({ chatId, agentId, after, before, limit }),
    unfinishedTurns: async (chatId) => (chatId === undefined ? unfinishedTurns({}) : unfinishedTurnsOfChat({ chatId })),
    currentTurn: async (chatId, agentId) => currentTurn({ chatId, agentId }),
    nextQueuedTurn: async (chatId, agentId) => nextQueuedTurn({ chatId, agentId }),
    countTurnsSince: async (chatId, agentId, seq) => (await countTurnsSince({ chatId, agentId, seq })) ?? 0,
    countUnfinished: async (chatId) => (await countUnfinished({ chatId })) ?? { working: 0, waiting: 0 },
    countWorking: async (worldId) => (await countWorking({ worldId })) ?? 0,

    insertTurn: async (record) => (await insertTurn(record)) === 1,
    async stepTurn({ id, epoch, rev }, change) {
      const parameters = { id, epoch, rev, ...toParameters(change) };
      const stepped =
        change.state === undefined ? stepTurn(parameters) : stepTurnInto({ ...parameters, state: change.state });
      return (await stepped) === 1;
    },
    fenceTurn: async (id, change) => fenceTurn({ id, state: change.state ?? null, ...toParameters(change) }),
    claimTurn: async ({ id, epoch, rev }, claim) => claimTurn({ id, epoch, rev, ...claim }),
    wakeTurn: async (turnId) => on.wakeTurn(turnId),
  };
}

function toParameters(change: TurnChange): ChangeParameters {
  return {
    iteration: change.iteration ?? null,
    interruptions: change.interruptions ?? null,
    inputTokens: change.inputTokens ?? null,
    outputTokens: change.outputTokens ?? null,
    outcome: change.outcome ?? null,
    hasOutcome: changed(change.outcome),
    owner: change.owner ?? null,
    hasOwner: changed(change.owner),
    begunSeq: change.begunSeq ?? null,
    hasBegunSeq: changed(change.begunSeq),
    endedAt: change.endedAt ?? null,
    hasEndedAt: changed(change.endedAt),
  };
}

export function toTurn([
  id,
  worldId,
  chatId,
  agentId,
  triggerId,
  triggerSeq,
  state,
  outcome,
  iteration,
  epoch,
  rev,
  owner,
  interruptions,
  begunSeq,
  inputTokens,
  outputTokens,
  createdAt,
  endedAt,
]: TurnRow): TurnRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    triggerId,
    triggerSeq,
    state: state as TurnRecord['state'],
    outcome: outcome as TurnRecord['outcome'],
    iteration,
    epoch,
    rev,
    owner,
    interruptions,
    begunSeq,
    inputTokens,
    outputTokens,
    createdAt,
    endedAt,
  };
}
