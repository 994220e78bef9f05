import type { ApprovalRecord, StoreTransaction } from '@countersign/core/ports';
import type { ApprovalOption } from '@countersign/protocol';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { prepared, upTo, valuesOf, type Cells, type Queries, type RowOf } from '../prepared.js';
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
  'question',
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

type ApprovalRow = Cells<ApprovalsTable, typeof columns>;

export type ApprovalStatements = ReturnType<typeof approvalStatements>;

export function approvalStatements(db: Queries) {
  const approvals = db.selectFrom('approvals').select(columns);
  // Written as in its index.
  const pending = sql<boolean>`status = 'pending'`;
  const inWorld = (worldId: string) => sql<boolean>`chat_id in (select id from chats where world_id = ${worldId})`;

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
        .where('ordinal', '>', sql<number>`coalesce((select ordinal from approvals where id = ${p('after')}), 0)`)
        .where('world_id', '=', p('worldId'))
        .where('status', '=', p('status'))
        .where(sql<boolean>`${p('chatId')} in ('', chat_id)`)
        .orderBy('ordinal')
        .limit(upTo(p('limit'))),
    ),
    pendingIds: prepared<{ worldId: string }, [id: string]>((p) =>
      db.selectFrom('approvals').select('id').where(pending).where('world_id', '=', p('worldId')).orderBy('ordinal'),
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
    insertApproval: prepared<RowOf<ApprovalsTable>>((p) => db.insertInto('approvals').values(valuesOf(columns, p))),
    settleApproval: prepared<
      Pick<
        RowOf<ApprovalsTable>,
        'id' | 'status' | 'decision' | 'scope' | 'reason' | 'decisionDigest' | 'decidedBy' | 'decidedAt'
      >
    >((p) =>
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
  | 'approval'
  | 'approvals'
  | 'approvalsAfter'
  | 'pendingApprovalIds'
  | 'expiringApprovals'
  | 'countPendingApprovals'
  | 'insertApproval'
  | 'settleApproval'
>;

export function approvalVerbs(on: Connection, s: ApprovalStatements, session: Session): ApprovalVerbs {
  const approval = on.first(s.approval, toApproval);
  const approvalsOfWorld = on.all(s.approvalsOfWorld, toApproval);
  const approvalsOfChat = on.all(s.approvalsOfChat, toApproval);
  const pendingOfWorld = on.all(s.pendingOfWorld, toApproval);
  const pendingOfChat = on.all(s.pendingOfChat, toApproval);
  const approvalsAfter = on.all(s.approvalsAfter, toApproval);
  const pendingIds = on.all(s.pendingIds, ([id]) => id);
  const expiring = on.all(s.expiring, toApproval);
  const countPending = on.first(s.countPending, ([count]) => count);
  const insertApproval = on.run(s.insertApproval);
  const settleApproval = on.run(s.settleApproval);

  return {
    approval: async (id) => approval({ id }),
    async approvals(worldId, { status, chatId }) {
      if (status === 'pending') {
        return chatId === undefined ? pendingOfWorld({ worldId }) : pendingOfChat({ worldId, chatId });
      }
      const records = await (chatId === undefined
        ? approvalsOfWorld({ worldId })
        : approvalsOfChat({ worldId, chatId }));
      return status === undefined ? records : records.filter((record) => record.status === status);
    },
    approvalsAfter: async (worldId, { status, chatId = '', after = '', limit }) =>
      approvalsAfter({ worldId, status, chatId, after, limit }),
    pendingApprovalIds: async (worldId) => pendingIds({ worldId }),
    expiringApprovals: async () => expiring({}),
    countPendingApprovals: async () => (await countPending({})) ?? 0,
    async insertApproval(record) {
      const question = record.question === null ? null : JSON.stringify(record.question);
      await insertApproval({ ...record, options: JSON.stringify(record.options), question });
    },
    settleApproval: async (id, change) => (await settleApproval({ id, ...change, decidedAt: session.now })) === 1,
  };
}

function toApproval([
  id,
  worldId,
  chatId,
  agentId,
  invocationId,
  messageId,
  toolName,
  callHash,
  message,
  options,
  why,
  rule,
  proposedRule,
  workingDirectory,
  sandbox,
  preview,
  question,
  status,
  decision,
  scope,
  reason,
  decisionDigest,
  decidedBy,
  requestedAt,
  expiresAt,
  decidedAt,
]: ApprovalRow): ApprovalRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    invocationId,
    messageId,
    toolName,
    callHash,
    message,
    options: JSON.parse(options) as ApprovalOption[],
    why,
    rule,
    proposedRule,
    workingDirectory,
    sandbox,
    preview,
    question: question === null ? null : (JSON.parse(question) as ApprovalRecord['question']),
    status: status as ApprovalRecord['status'],
    decision: decision as ApprovalRecord['decision'],
    scope: scope as ApprovalRecord['scope'],
    reason,
    decisionDigest,
    decidedBy,
    requestedAt,
    expiresAt,
    decidedAt,
  };
}
