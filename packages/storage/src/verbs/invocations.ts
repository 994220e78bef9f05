import type { InvocationChange, InvocationRecord, OpenCall, StoreTransaction } from '@countersign/core/ports';
import { sql } from 'kysely';
import { changed, keptUnless, type Has } from '../change-set.js';
import type { Connection } from '../connection.js';
import { prepared, upTo, valuesOf, type Bind, type Cells, type Queries, type RowOf } from '../prepared.js';
import type { InvocationsTable } from '../schema.js';

const columns = [
  'id',
  'world_id',
  'chat_id',
  'agent_id',
  'turn_id',
  'iteration',
  'position',
  'message_id',
  'tool_name',
  'arguments',
  'edited',
  'call_hash',
  'status',
  'location',
  'read_only',
  'idempotent',
  'approval_id',
  'started_epoch',
  'result',
  'outcome_unknown',
  'created_at',
  'started_at',
  'settled_at',
] as const satisfies readonly (keyof InvocationsTable)[];

type Nullable = 'callHash' | 'approvalId' | 'startedEpoch' | 'result' | 'startedAt' | 'settledAt';
type ChangeParameters = {
  status: string;
  arguments: string | null;
  edited: number | null;
} & Pick<RowOf<InvocationsTable>, Nullable> &
  Has<Nullable>;

const openColumns = [
  'id',
  'status',
  'location',
  'read_only',
  'started_epoch',
] as const satisfies readonly (keyof InvocationsTable)[];

type InvocationRow = Cells<InvocationsTable, typeof columns>;
type OpenRow = Cells<InvocationsTable, typeof openColumns>;

export type InvocationStatements = ReturnType<typeof invocationStatements>;

export function invocationStatements(db: Queries) {
  const invocations = db.selectFrom('invocations').select(columns);
  // Written as in its index.
  const unknown = sql<boolean>`outcome_unknown = 1`;
  const changes = (p: Bind<ChangeParameters>) => ({
    status: p('status'),
    arguments: sql<string>`coalesce(${p('arguments')}, arguments)`,
    edited: sql<number>`coalesce(${p('edited')}, edited)`,
    call_hash: keptUnless(p('hasCallHash'), p('callHash'), 'call_hash'),
    approval_id: keptUnless(p('hasApprovalId'), p('approvalId'), 'approval_id'),
    started_epoch: keptUnless(p('hasStartedEpoch'), p('startedEpoch'), 'started_epoch'),
    result: keptUnless(p('hasResult'), p('result'), 'result'),
    started_at: keptUnless(p('hasStartedAt'), p('startedAt'), 'started_at'),
    settled_at: keptUnless(p('hasSettledAt'), p('settledAt'), 'settled_at'),
  });

  return {
    invocation: prepared<{ id: string }, InvocationRow>((p) => invocations.where('id', '=', p('id'))),
    invocations: prepared<{ turnId: string; iteration: number }, InvocationRow>((p) =>
      invocations.where('turn_id', '=', p('turnId')).where('iteration', '=', p('iteration')).orderBy('position'),
    ),
    openCalls: prepared<{ turnId: string; iteration: number; limit: number }, OpenRow>((p) => {
      // Each read on its own, so that a thousand approved calls are not sorted to find the first.
      const open = (status: 'started' | 'approved' | 'asked') => sql`select * from (
        select ${sql.raw(openColumns.join())} from invocations
        where turn_id = ${p('turnId')} and iteration = ${p('iteration')} and status = ${sql.lit(status)} and settled_at is null
        order by position limit ${upTo(p('limit'))}) as ${sql.ref(`${status}_calls`)}`;
      const all = sql`${open('started')} union all ${open('approved')} union all ${open('asked')}`;
      return { compile: () => all.compile(db) };
    }),
    outcomeUnknown: prepared<{ chatId: string; toolName: string; arguments: string }, [id: string]>((p) =>
      db
        .selectFrom('invocations')
        .select('id')
        .where(unknown)
        .where('chat_id', '=', p('chatId'))
        .where('tool_name', '=', p('toolName'))
        .where('arguments', '=', p('arguments'))
        .limit(sql.lit(1)),
    ),
    anyUnknown: prepared<{ chatId: string }, [id: string]>((p) =>
      db.selectFrom('invocations').select('id').where(unknown).where('chat_id', '=', p('chatId')).limit(sql.lit(1)),
    ),
    insertInvocation: prepared<RowOf<InvocationsTable>>((p) =>
      db.insertInto('invocations').values(valuesOf(columns, p)),
    ),
    // Two, since hardly a call ends unknown: a column that is set, even to itself, is taken out of its index and put back.
    changeInvocation: prepared<ChangeParameters & { id: string; from: string }>((p) =>
      db.updateTable('invocations').set(changes(p)).where('id', '=', p('id')).where('status', '=', p('from')),
    ),
    changeInvocationAndOutcome: prepared<ChangeParameters & { id: string; from: string; outcomeUnknown: number }>((p) =>
      db
        .updateTable('invocations')
        .set({ ...changes(p), outcome_unknown: p('outcomeUnknown') })
        .where('id', '=', p('id'))
        .where('status', '=', p('from')),
    ),
    clearOutcomeUnknown: prepared<{ chatId: string; toolName: string; arguments: string }>((p) =>
      db
        .updateTable('invocations')
        .set({ outcome_unknown: sql.lit(0) })
        .where(unknown)
        .where('chat_id', '=', p('chatId'))
        .where('tool_name', '=', p('toolName'))
        .where('arguments', '=', p('arguments')),
    ),
  };
}

type InvocationVerbs = Pick<
  StoreTransaction,
  | 'invocation'
  | 'invocations'
  | 'openCalls'
  | 'outcomeUnknown'
  | 'insertInvocation'
  | 'changeInvocation'
  | 'clearOutcomeUnknown'
>;

export function invocationVerbs(on: Connection, s: InvocationStatements): InvocationVerbs {
  const invocation = on.first(s.invocation, toInvocation);
  const invocations = on.all(s.invocations, toInvocation);
  const openCalls = on.all(s.openCalls, toOpenCall);
  const outcomeUnknown = on.first(s.outcomeUnknown, ([id]) => id);
  const insertInvocation = on.run(s.insertInvocation);
  const changeInvocation = on.run(s.changeInvocation);
  const changeInvocationAndOutcome = on.run(s.changeInvocationAndOutcome);
  const clearOutcomeUnknown = on.run(s.clearOutcomeUnknown);

  return {
    invocation: async (id) => invocation({ id }),
    invocations: async (turnId, iteration) => invocations({ turnId, iteration }),
    openCalls: async (turnId, iteration, { limit }) => openCalls({ turnId, iteration, limit }),
    outcomeUnknown: async (chatId, toolName, argumentsText) =>
      (await outcomeUnknown({ chatId, toolName, arguments: argumentsText })) !== undefined,
    async insertInvocation(record) {
      await insertInvocation({
        ...record,
        edited: Number(record.edited),
        readOnly: Number(record.readOnly),
        idempotent: Number(record.idempotent),
        outcomeUnknown: Number(record.outcomeUnknown),
      });
    },
    async changeInvocation(id, from, change) {
      const parameters = { id, from, ...toParameters(change) };
      const changed =
        change.outcomeUnknown === undefined
          ? changeInvocation(parameters)
          : changeInvocationAndOutcome({ ...parameters, outcomeUnknown: Number(change.outcomeUnknown) });
      return (await changed) === 1;
    },
    async clearOutcomeUnknown(chatId, toolName, argumentsText) {
      await clearOutcomeUnknown({ chatId, toolName, arguments: argumentsText });
    },
  };
}

function toParameters(change: InvocationChange): ChangeParameters {
  return {
    status: change.status,
    arguments: change.arguments ?? null,
    edited: change.edited === undefined ? null : Number(change.edited),
    callHash: change.callHash ?? null,
    hasCallHash: changed(change.callHash),
    approvalId: change.approvalId ?? null,
    hasApprovalId: changed(change.approvalId),
    startedEpoch: change.startedEpoch ?? null,
    hasStartedEpoch: changed(change.startedEpoch),
    result: change.result ?? null,
    hasResult: changed(change.result),
    startedAt: change.startedAt ?? null,
    hasStartedAt: changed(change.startedAt),
    settledAt: change.settledAt ?? null,
    hasSettledAt: changed(change.settledAt),
  };
}

function toOpenCall([id, status, location, readOnly, startedEpoch]: OpenRow): OpenCall {
  return {
    id,
    status: status as InvocationRecord['status'],
    location: location as InvocationRecord['location'],
    readOnly: readOnly === 1,
    startedEpoch,
  };
}

function toInvocation([
  id,
  worldId,
  chatId,
  agentId,
  turnId,
  iteration,
  position,
  messageId,
  toolName,
  argumentsText,
  edited,
  callHash,
  status,
  location,
  readOnly,
  idempotent,
  approvalId,
  startedEpoch,
  result,
  outcomeUnknown,
  createdAt,
  startedAt,
  settledAt,
]: InvocationRow): InvocationRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    turnId,
    iteration,
    position,
    messageId,
    toolName,
    arguments: argumentsText,
    edited: edited === 1,
    callHash,
    status: status as InvocationRecord['status'],
    location: location as InvocationRecord['location'],
    readOnly: readOnly === 1,
    idempotent: idempotent === 1,
    approvalId,
    startedEpoch,
    result,
    outcomeUnknown: outcomeUnknown === 1,
    createdAt,
    startedAt,
    settledAt,
  };
}
