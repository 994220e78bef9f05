import { sql } from 'kysely';
import { invocationColumns } from '../columns.js';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { InvocationsTable } from '../schema.js';

export type InvocationRow = Cells<InvocationsTable, typeof invocationColumns>;

export type InvocationStatements = ReturnType<typeof invocationStatements>;

export function invocationStatements(db: Queries) {
  const invocations = db.selectFrom('invocations').select(invocationColumns);
  // Written as in its index.
  const unknown = sql<boolean>`outcome_unknown = 1`;

  return {
    invocation: prepared<{ id: string }, InvocationRow>((p) => invocations.where('id', '=', p('id'))),
    invocations: prepared<{ turnId: string; iteration: number }, InvocationRow>((p) =>
      invocations.where('turn_id', '=', p('turnId')).where('iteration', '=', p('iteration')).orderBy('position'),
    ),
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
