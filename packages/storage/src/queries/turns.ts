import { turns, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type TurnRow = Cells<typeof turns>;

export type TurnStatements = typeof turnStatements;

const select = `select ${turns.names.join(', ')} from turns`;
// Must match the condition of the partial index; otherwise SQLite scans all turns.
const unfinished = `state <> 'ended'`;
const oldestFirst = 'order by created_at, trigger_seq, id';

export const turnStatements = {
  turn: prepared<{ id: string }, TurnRow>(`${select} where id = :id`),
  endedTurns: prepared<{ chatId: string; agentId: string; after: number; before: number; limit: number }, TurnRow>(
    `${select} where chat_id = :chatId and agent_id = :agentId and trigger_seq > :after and trigger_seq < :before and state = 'ended' order by trigger_seq desc limit :limit + 0`,
  ),
  unfinishedTurns: prepared<object, TurnRow>(`${select} where ${unfinished} ${oldestFirst}`),
  unfinishedTurnsOfChat: prepared<{ chatId: string }, TurnRow>(
    `${select} where ${unfinished} and world_id = (select world_id from chats where chats.id = :chatId) and state in ('open', 'waiting', 'queued') and chat_id = :chatId ${oldestFirst}`,
  ),
  countWorking: prepared<{ worldId: string }, [count: number]>(
    `select count(*) as count from turns where ${unfinished} and world_id = :worldId and state in ('open', 'queued')`,
  ),
  insertTurn: insertInto(turns),
};
