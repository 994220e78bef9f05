import { sql } from 'kysely';
import { prepared, type Queries } from './prepared.js';

export type WorldStatements = ReturnType<typeof worldStatements>;

export function worldStatements(db: Queries) {
  const living = db
    .selectFrom('worlds')
    .innerJoin('world_policies', 'world_policies.world_id', 'worlds.id')
    .select(['id', 'name', 'settings', 'policy', 'proposed', 'rev', 'created_at'])
    .where('deleted_at', 'is', null);
  const agents = db.selectFrom('agents').select(['world_id', 'id', 'definition', 'created_at']);

  return {
    world: prepared<{ id: string }, WorldRow>((p) => living.where('id', '=', p('id'))),
    worldRev: prepared<{ id: string }, [rev: number]>((p) =>
      db.selectFrom('worlds').select('rev').where('id', '=', p('id')).where('deleted_at', 'is', null),
    ),
    worlds: prepared<object, WorldRow>(() => living.orderBy('ordinal')),
    worldIdTaken: prepared<{ id: string }, [id: string]>((p) =>
      db.selectFrom('worlds').select('id').where('id', '=', p('id')),
    ),
    agents: prepared<{ worldId: string }, AgentRow>((p) =>
      agents.where('world_id', '=', p('worldId')).where('deleted_at', 'is', null).orderBy('ordinal'),
    ),
    agentIdTaken: prepared<{ worldId: string; id: string }, [id: string]>((p) =>
      db.selectFrom('agents').select('id').where('world_id', '=', p('worldId')).where('id', '=', p('id')),
    ),

    insertWorld: prepared<{ id: string; name: string; settings: string; now: number }>((p) =>
      db
        .insertInto('worlds')
        .values({
          id: p('id'),
          name: p('name'),
          settings: p('settings'),
          rev: sql.lit(1),
          event_seq: sql.lit(0),
          audit_seq: sql.lit(0),
          audit_hash: sql.lit(''),
          created_at: p('now'),
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    ),
    insertPolicy: prepared<{ worldId: string; policy: string; proposed: string }>((p) =>
      db.insertInto('world_policies').values({ world_id: p('worldId'), policy: p('policy'), proposed: p('proposed') }),
    ),
    updateWorld: prepared<{ id: string; name: string | null; settings: string | null }>((p) =>
      db
        .updateTable('worlds')
        .set({
          name: sql`coalesce(${p('name')}, name)`,
          settings: sql`coalesce(${p('settings')}, settings)`,
          rev: sql`rev + 1`,
        })
        .where('id', '=', p('id'))
        .where('deleted_at', 'is', null),
    ),
    updatePolicy: prepared<{ worldId: string; policy: string | null; proposed: string | null }>((p) =>
      db
        .updateTable('world_policies')
        .set({
          policy: sql`coalesce(${p('policy')}, policy)`,
          proposed: sql`coalesce(${p('proposed')}, proposed)`,
        })
        .where('world_id', '=', p('worldId')),
    ),
    buryWorld: prepared<{ id: string; now: number }>((p) =>
      db
        .updateTable('worlds')
        .set({ deleted_at: p('now'), name: sql.lit(''), settings: sql.lit('{}'), rev: sql`rev + 1` })
        .where('id', '=', p('id')),
    ),
    deletePolicy: prepared<{ worldId: string }>((p) =>
      db.deleteFrom('world_policies').where('world_id', '=', p('worldId')),
    ),
    deleteAgentsOfWorld: prepared<{ worldId: string }>((p) =>
      db.deleteFrom('agents').where('world_id', '=', p('worldId')),
    ),

    insertAgent: prepared<{ worldId: string; id: string; definition: string; now: number }>((p) =>
      db
        .insertInto('agents')
        .values({ world_id: p('worldId'), id: p('id'), definition: p('definition'), created_at: p('now') })
        .onConflict((conflict) => conflict.columns(['world_id', 'id']).doNothing()),
    ),
    updateAgent: prepared<{ worldId: string; id: string; definition: string }>((p) =>
      db
        .updateTable('agents')
        .set({ definition: p('definition') })
        .where('world_id', '=', p('worldId'))
        .where('id', '=', p('id'))
        .where('deleted_at', 'is', null),
    ),
    // The row stays, without what was in it: a grant binds to an id, and a new agent must not inherit it (A22).
    buryAgent: prepared<{ worldId: string; id: string; now: number }>((p) =>
      db
        .updateTable('agents')
        .set({ definition: sql.lit('{}'), deleted_at: p('now') })
        .where('world_id', '=', p('worldId'))
        .where('id', '=', p('id'))
        .where('deleted_at', 'is', null),
    ),
  };
}

export type WorldRow = [
  id: string,
  name: string,
  settings: string,
  policy: string,
  proposed: string,
  rev: number,
  createdAt: number,
];
export type AgentRow = [worldId: string, id: string, definition: string, createdAt: number];
