import { approvals, type Cells } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type ApprovalRow = Cells<typeof approvals>;

export type ApprovalStatements = typeof approvalStatements;

const select = `select ${approvals.names.join(', ')} from approvals`;
// Must match the condition of the partial index.
const pending = `${select} where status = 'pending'`;
const ordinalOf = (id: string, otherwise: number): string =>
  `coalesce((select ordinal from approvals where id = ${id}), ${otherwise})`;

export const approvalStatements = {
  approval: prepared<{ id: string }, ApprovalRow>(`${select} where id = :id`),
  approvalsOfWorld: prepared<{ worldId: string }, ApprovalRow>(
    `${select} where chat_id in (select id from chats where world_id = :worldId) order by ordinal`,
  ),
  approvalsOfChat: prepared<{ worldId: string; chatId: string }, ApprovalRow>(
    `${select} where chat_id = :chatId and world_id = :worldId order by ordinal`,
  ),
  pendingOfWorld: prepared<{ worldId: string }, ApprovalRow>(`${pending} and world_id = :worldId order by ordinal`),
  pendingOfChat: prepared<{ worldId: string; chatId: string }, ApprovalRow>(
    `${pending} and world_id = :worldId and chat_id = :chatId order by ordinal`,
  ),
  approvalsAfter: prepared<
    { worldId: string; status: string; chatId: string; after: string; limit: number },
    ApprovalRow
  >(
    `${select} where ordinal > ${ordinalOf(':after', 0)} and world_id = :worldId and status = :status and :chatId in ('', chat_id) order by ordinal limit :limit + 0`,
  ),
  pendingAfter: prepared<{ worldId: string; after: string; limit: number }, ApprovalRow>(
    `${pending} and world_id = :worldId and ordinal > ${ordinalOf(':after', 0)} order by ordinal limit :limit + 0`,
  ),
  pendingOfChatAfter: prepared<{ worldId: string; chatId: string; after: string; limit: number }, ApprovalRow>(
    `${pending} and world_id = :worldId and chat_id = :chatId and ordinal > ${ordinalOf(':after', 0)} order by ordinal limit :limit + 0`,
  ),
  countPendingOf: prepared<{ worldId: string; upTo: string; most: number }, [count: number]>(
    `select count(*) as count from (select ordinal from approvals where status = 'pending' and world_id = :worldId and ordinal <= ${ordinalOf(':upTo', Number.MAX_SAFE_INTEGER)} order by ordinal limit :most + 0) as counted`,
  ),
  expiring: prepared<object, ApprovalRow>(`${pending} and expires_at is not null order by expires_at, ordinal`),
  countPending: prepared<object, [count: number]>(`select count(*) as count from approvals where status = 'pending'`),
  // Without the plus, SQLite would search by ordinal, and scan all past approvals.
  pendingEverywhere: prepared<{ after: string }, [id: string, worldId: string]>(
    `select id, world_id from approvals where status = 'pending' and +ordinal > ${ordinalOf(':after', 0)} order by +ordinal`,
  ),
  queueMarks: prepared<object, [worldId: string, mark: string]>(
    `select world_id, count(*) || ' ' || max(ordinal) || ' ' || sum(length(coalesce(signing, ''))) as mark from approvals where status = 'pending' group by world_id`,
  ),
  pendingOfAgent: prepared<{ worldId: string; agentId: string }, [chatId: string, waiting: number]>(
    `select chat_id, count(*) as waiting from approvals where status = 'pending' and world_id = :worldId and agent_id = :agentId group by chat_id order by count(*) desc, chat_id`,
  ),
  insertApproval: insertInto(approvals),
};
