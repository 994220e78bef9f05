import { sql } from 'kysely';
import { foundGrantColumns, grantColumns, writtenGrantColumns } from '../columns.js';
import { prepared, valuesOf, type Cells, type Queries, type RowOf } from './prepared.js';
import type { GrantsTable } from '../schema.js';

type CallOfGrants = {
  chatId: string;
  agentId: string;
  toolName: string;
  key: string;
  otherKey: string;
};

export type FoundRow = Cells<GrantsTable, typeof foundGrantColumns>;
export type GrantRow = Cells<GrantsTable, typeof grantColumns>;

export type GrantStatements = ReturnType<typeof grantStatements>;

export function grantStatements(db: Queries) {
  const grants = db.selectFrom('grants').select(grantColumns);

  return {
    grant: prepared<{ id: string }, GrantRow>((p) => grants.where('id', '=', p('id'))),
    // Ten thousand of them may stand before one call (N3): each column that is read for nothing would be read ten thousand times.
    grants: prepared<CallOfGrants, FoundRow>((p) =>
      db
        .selectFrom('grants')
        .select(foundGrantColumns)
        .where('revoked_at', 'is', null)
        .where('chat_id', '=', p('chatId'))
        .where('agent_id', '=', p('agentId'))
        .where('tool_name', '=', p('toolName'))
        .where(sql<boolean>`pattern_key in ('', ${p('key')}, ${p('otherKey')})`)
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
    insertGrant: prepared<RowOf<GrantsTable>>((p) => db.insertInto('grants').values(valuesOf(writtenGrantColumns, p))),
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
