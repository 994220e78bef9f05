import { sql } from 'kysely';
import { approvalColumns } from '../columns.js';
import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { ApprovalsTable } from '../schema.js';

export type ApprovalRow = Cells<ApprovalsTable, typeof approvalColumns>;

export type ApprovalStatements = ReturnType<typeof approvalStatements>;

export function approvalStatements(db: Queries) {
  const approvals = db.selectFrom('approvals').select(approvalColumns);
  // Written as in its index.
  const pending = sql<boolean>`status = 'pending'`;
  const inWorld = (worldId: string) => sql<boolean>`chat_id in (select id from chats where world_id = ${worldId})`;

  const ordinalOf = (id: string, otherwise: number) =>
    sql<number>`coalesce((select ordinal from approvals where id = ${id}), ${sql.lit(otherwise)})`;

  return {
    approval: prepared<{ id: string }, ApprovalRow>((p) => approvals.where('id', '=', p('id'))),
    approvalsOfWorld: prepared<{ worldId: string }, ApprovalRow>((p) =>
      approvals.where(inWorld(p('worldId'))).orderBy('ordinal'),
    ),
    approvalsOfChat: prepared<{ worldId: string; chatId: string }, ApprovalRow>((p) =>
      approvals.where('chat_id', '=', p('chatId')).where('world_id', '=', p('worldId')).orderBy('ordinal'),
    ),
    pendingOfWorld: prepared<{ worldId: string }, ApprovalRow>((p) =>
      approvals.where(pending).where('world_id', '=', p('worldId')).orderBy('ordinal'),
    ),
    pendingOfChat: prepared<{ worldId: string; chatId: string }, ApprovalRow>((p) =>
      approvals
        .where(pending)
        .where('world_id', '=', p('worldId'))
        .where('chat_id', '=', p('chatId'))
        .orderBy('ordinal'),
    ),
    approvalsAfter: prepared<
      { worldId: string; status: string; chatId: string; after: string; limit: number },
      ApprovalRow
    >((p) =>
      approvals
        .where('ordinal', '>', ordinalOf(p('after'), 0))
        .where('world_id', '=', p('worldId'))
        .where('status', '=', p('status'))
        .where(sql<boolean>`${p('chatId')} in ('', chat_id)`)
        .orderBy('ordinal')
        .limit(upTo(p('limit'))),
    ),
    pendingAfter: prepared<{ worldId: string; after: string; limit: number }, ApprovalRow>((p) =>
      approvals
        .where(pending)
        .where('world_id', '=', p('worldId'))
        .where('ordinal', '>', ordinalOf(p('after'), 0))
        .orderBy('ordinal')
        .limit(upTo(p('limit'))),
    ),
    pendingOfChatAfter: prepared<{ worldId: string; chatId: string; after: string; limit: number }, ApprovalRow>((p) =>
      approvals
        .where(pending)
        .where('world_id', '=', p('worldId'))
        .where('chat_id', '=', p('chatId'))
        .where('ordinal', '>', ordinalOf(p('after'), 0))
        .orderBy('ordinal')
        .limit(upTo(p('limit'))),
    ),
    countPendingOf: prepared<{ worldId: string; upTo: string; most: number }, [count: number]>((p) =>
      db
        .selectFrom(
          db
            .selectFrom('approvals')
            .select('ordinal')
            .where(pending)
            .where('world_id', '=', p('worldId'))
            .where('ordinal', '<=', ordinalOf(p('upTo'), Number.MAX_SAFE_INTEGER))
            .orderBy('ordinal')
            .limit(upTo(p('most')))
            .as('counted'),
        )
        .select(sql<number>`count(*)`.as('count')),
    ),
    expiring: prepared<object, ApprovalRow>(() =>
      approvals.where(pending).where('expires_at', 'is not', null).orderBy('expires_at').orderBy('ordinal'),
    ),
    countPending: prepared<object, [count: number]>(() =>
      db
        .selectFrom('approvals')
        .select(sql<number>`count(*)`.as('count'))
        .where(pending),
    ),
    pendingOfAgent: prepared<{ worldId: string; agentId: string }, [chatId: string, waiting: number]>((p) =>
      db
        .selectFrom('approvals')
        .select(['chat_id', sql<number>`count(*)`.as('waiting')])
        .where(pending)
        .where('world_id', '=', p('worldId'))
        .where('agent_id', '=', p('agentId'))
        .groupBy('chat_id')
        .orderBy(sql`count(*)`, 'desc')
        .orderBy('chat_id'),
    ),
    insertApproval: prepared<RowOf<ApprovalsTable>>((p) =>
      db.insertInto('approvals').values(valuesOf(approvalColumns, p)),
    ),
  };
}
