import type { StoreReader, TurnRecord } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { TurnRow, TurnStatements } from '../queries/turns.js';

type TurnVerbs = Pick<StoreReader, 'turn' | 'endedTurns' | 'unfinishedTurns'>;

export function turnVerbs(on: Connection, s: TurnStatements): TurnVerbs {
  const turn = on.first(s.turn, toTurn);
  const endedTurns = on.all(s.endedTurns, toTurn);
  const unfinishedTurns = on.all(s.unfinishedTurns, toTurn);
  const unfinishedTurnsOfChat = on.all(s.unfinishedTurnsOfChat, toTurn);

  return {
    turn: async (id) => turn({ id }),
    endedTurns: async (chatId, agentId, { after, before, limit }) =>
      endedTurns({ chatId, agentId, after, before, limit }),
    unfinishedTurns: async (chatId) => (chatId === undefined ? unfinishedTurns({}) : unfinishedTurnsOfChat({ chatId })),
  };
}

export function toTurn([
  id,
  worldId,
  chatId,
  agentId,
  triggerId,
  triggerSeq,
  requester,
  review,
  state,
  outcome,
  iteration,
  epoch,
  owner,
  interruptions,
  begunSeq,
  inputTokens,
  outputTokens,
  microdollars,
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
    requester,
    review,
    state: state as TurnRecord['state'],
    outcome: outcome as TurnRecord['outcome'],
    iteration,
    epoch,
    owner,
    interruptions,
    begunSeq,
    inputTokens,
    outputTokens,
    microdollars,
    createdAt,
    endedAt,
  };
}
