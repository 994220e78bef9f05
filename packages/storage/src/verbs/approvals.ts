import type { ApprovalRecord, StoreTransaction } from '@countersign/core/ports';
import type { ApprovalOption } from '@countersign/protocol';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { aliased, prepared, valuesOf, type Queries, type RowOf } from '../prepared.js';
import type { ApprovalsTable } from '../schema.js';
import type { Session } from '../session.js';

const columns = [
  'id',
  'world_id',
  'chat_id',
  'agent_id',
  'invocation_id',
  'message_id',
  'tool_name',
  'call_hash',
  'message',
  'options',
  'why',
  'rule',
  'proposed_rule',
  'working_directory',
  'sandbox',
  'preview',
  'status',
  'decision',
  'scope',
  'reason',
  'decision_digest',
  'decided_by',
  'requested_at',
  'expires_at',
  'decided_at',
] as const satisfies readonly (keyof ApprovalsTable)[];

export type ApprovalStatements = ReturnType<typeof approvalStatements>;

export function approvalStatements(db: Queries) {
  const approvals = db.selectFrom('approvals').select(aliased(columns));
  // Written as in its index.
  const pending = sql<boolean>`status = 'pending'`;
  const inWorld = (worldId: string) => sql<boolean>`chat_id in (select id from chats where world_id = ${worldId})`;

  return {
    approval: prepared<{ id: string }>()((p) => approvals.where('id', '=', p('id'))),
    approvalsOfWorld: prepared<{ worldId: string }>()((p) => approvals.where(inWorld(p('worldId'))).orderBy('ordinal')),
    approvalsOfChat: prepared<{ worldId: string; chatId: string }>()((p) =>
      approvals.where('chat_id', '=', p('chatId')).where('world_id', '=', p('worldId')).orderBy('ordinal'),
    ),
    pendingOfWorld: prepared<{ worldId: string }>()((p) =>
      approvals.where(pending).where('world_id', '=', p('worldId')).orderBy('ordinal'),
    ),
    pendingOfChat: prepared<{ worldId: string; chatId: string }>()((p) =>
      approvals
        .where(pending)
        .where('world_id', '=', p('worldId'))
        .where('chat_id', '=', p('chatId'))
        .orderBy('ordinal'),
    ),
    expiring: prepared<object>()(() =>
      approvals.where(pending).where('expires_at', 'is not', null).orderBy('expires_at').orderBy('ordinal'),
    ),
    insertApproval: prepared<RowOf<ApprovalsTable>>()((p) => db.insertInto('approvals').values(valuesOf(columns, p))),
    settleApproval: prepared<
      Pick<
        RowOf<ApprovalsTable>,
        'id' | 'status' | 'decision' | 'scope' | 'reason' | 'decisionDigest' | 'decidedBy' | 'decidedAt'
      >
    >()((p) =>
      db
        .updateTable('approvals')
        .set({
          status: p('status'),
          decision: p('decision'),
          scope: p('scope'),
          reason: p('reason'),
          decision_digest: p('decisionDigest'),
          decided_by: p('decidedBy'),
          decided_at: p('decidedAt'),
        })
        .where('id', '=', p('id'))
        .where(pending),
    ),
  };
}

type ApprovalVerbs = Pick<
  StoreTransaction,
  'approval' | 'approvals' | 'expiringApprovals' | 'insertApproval' | 'settleApproval'
>;

export function approvalVerbs(on: Connection, s: ApprovalStatements, session: Session): ApprovalVerbs {
  const approval = on.first(s.approval);
  const approvalsOfWorld = on.all(s.approvalsOfWorld);
  const approvalsOfChat = on.all(s.approvalsOfChat);
  const pendingOfWorld = on.all(s.pendingOfWorld);
  const pendingOfChat = on.all(s.pendingOfChat);
  const expiring = on.all(s.expiring);
  const insertApproval = on.run(s.insertApproval);
  const settleApproval = on.run(s.settleApproval);

  return {
    async approval(id) {
      const row = await approval({ id });
      return row && toApproval(row);
    },
    async approvals(worldId, { status, chatId }) {
      if (status === 'pending') {
        const rows = chatId === undefined ? pendingOfWorld({ worldId }) : pendingOfChat({ worldId, chatId });
        return (await rows).map(toApproval);
      }
      const rows = chatId === undefined ? approvalsOfWorld({ worldId }) : approvalsOfChat({ worldId, chatId });
      return (await rows).filter((row) => (status ?? row.status) === row.status).map(toApproval);
    },
    expiringApprovals: async () => (await expiring({})).map(toApproval),
    async insertApproval(record) {
      await insertApproval({ ...record, options: JSON.stringify(record.options) });
    },
    settleApproval: async (id, change) => (await settleApproval({ id, ...change, decidedAt: session.now })) === 1,
  };
}

function toApproval(row: RowOf<ApprovalsTable>): ApprovalRecord {
  return {
    ...row,
    options: JSON.parse(row.options) as ApprovalOption[],
    status: row.status as ApprovalRecord['status'],
    decision: row.decision as ApprovalRecord['decision'],
    scope: row.scope as ApprovalRecord['scope'],
  };
}
