import { sql } from 'kysely';
import { invocationColumns } from '../columns.js';
import { keptUnless, type Has } from './kept-unless.js';
import { prepared, upTo, valuesOf, type Bind, type Cells, type Queries, type RowOf } from './prepared.js';
import type { InvocationsTable } from '../schema.js';

type Nullable = 'callHash' | 'approvalId' | 'startedEpoch' | 'result' | 'startedAt' | 'settledAt';
export type ChangeParameters = {
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

export type InvocationRow = Cells<InvocationsTable, typeof invocationColumns>;
export type OpenRow = Cells<InvocationsTable, typeof openColumns>;

export type InvocationStatements = ReturnType<typeof invocationStatements>;

export function invocationStatements(db: Queries) {
  const invocations = db.selectFrom('invocations').select(invocationColumns);
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
      db.insertInto('invocations').values(valuesOf(invocationColumns, p)),
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
