import { sql } from 'kysely';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { GrantsTable } from '../schema.js';

const columns = [
  'id',
  'world_id',
  'chat_id',
  'agent_id',
  'tool_name',
  'pattern',
  'answered_rule',
  'granted_by',
  'granted_at',
  'last_used_at',
  'revoked_at',
] as const satisfies readonly (keyof GrantsTable)[];

/** The key is only looked up by; nobody reads it. */
const writtenColumns = [...columns, 'pattern_key'] as const satisfies readonly (keyof GrantsTable)[];

/** What is not said by who asks for the grants of a call. */
const foundColumns = [
  'id',
  'world_id',
  'pattern',
  'answered_rule',
  'granted_by',
  'granted_at',
  'last_used_at',
] as const satisfies readonly (keyof GrantsTable)[];

type CallOfGrants = {
  chatId: string;
  agentId: string;
  toolName: string;
  usedAfter: number;
  key: string;
  otherKey: string;
};

type FoundRow = Cells<GrantsTable, typeof foundColumns>;
export type GrantRow = Cells<GrantsTable, typeof columns>;

export type GrantStatements = ReturnType<typeof grantStatements>;

export function grantStatements(db: Queries) {
  const grants = db.selectFrom('grants').select(columns);

  return {
    grant: prepared<{ id: string }, GrantRow>((p) => grants.where('id', '=', p('id'))),
    // Ten thousand of them may stand before one call (N3): each column that is read for nothing would be read ten thousand times.
    grants: prepared<CallOfGrants, FoundRow>((p) =>
      db
        .selectFrom('grants')
        .select(foundColumns)
        .where('revoked_at', 'is', null)
        .where('chat_id', '=', p('chatId'))
        .where('agent_id', '=', p('agentId'))
        .where('tool_name', '=', p('toolName'))
        .where(sql<boolean>`pattern_key in ('', ${p('key')}, ${p('otherKey')})`)
        .where('last_used_at', '>', p('usedAfter'))
        .orderBy('ordinal'),
    ),
    anyGrant: prepared<{ chatId: string }, [id: string]>((p) =>
      db.selectFrom('grants').select('id').where('chat_id', '=', p('chatId')).limit(sql.lit(1)),
    ),
    grantsOfWorld: prepared<{ worldId: string }, GrantRow>((p) =>
      grants
        .where('revoked_at', 'is', null)
        .where(sql<boolean>`chat_id in (select id from chats where world_id = ${p('worldId')})`)
        .orderBy('ordinal'),
    ),
    insertGrant: prepared<RowOf<GrantsTable>>((p) => db.insertInto('grants').values(valuesOf(writtenColumns, p))),
    touchGrant: prepared<{ id: string; now: number }>((p) =>
      db
        .updateTable('grants')
        .set({ last_used_at: p('now') })
        .where('id', '=', p('id')),
    ),
    revokeGrant: prepared<{ id: string; now: number }>((p) =>
      db
        .updateTable('grants')
        .set({ revoked_at: p('now') })
        .where('id', '=', p('id'))
        .where('revoked_at', 'is', null),
    ),
  };
}
