import type { AgentRecord, StoreTransaction, WorldRecord } from '@countersign/core/ports';
import { CountersignError, type AgentDefinition, type WorldSettings } from '@countersign/protocol';
import { sql } from 'kysely';
import type { Connection } from '../connection.js';
import { prepared, type Queries } from '../prepared.js';
import type { Session } from '../session.js';

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

type WorldVerbs = Pick<
  StoreTransaction,
  | 'world'
  | 'worldRev'
  | 'worlds'
  | 'worldIdTaken'
  | 'agents'
  | 'agentIdTaken'
  | 'insertWorld'
  | 'updateWorld'
  | 'insertAgent'
  | 'updateAgent'
  | 'deleteAgent'
> & {
  /** Empties the world's own rows and keeps its id. What is in its chats goes first. */
  buryWorld: (id: string) => Promise<void>;
};

export function worldVerbs(on: Connection, s: WorldStatements, session: Session): WorldVerbs {
  const world = on.first(s.world, toWorld);
  const worldRev = on.first(s.worldRev, ([rev]) => rev);
  const worlds = on.all(s.worlds, toWorld);
  const worldIdTaken = on.first(s.worldIdTaken, ([id]) => id);
  const agents = on.all(s.agents, toAgent);
  const agentIdTaken = on.first(s.agentIdTaken, ([id]) => id);
  const insertWorld = on.run(s.insertWorld);
  const insertPolicy = on.run(s.insertPolicy);
  const updateWorld = on.run(s.updateWorld);
  const updatePolicy = on.run(s.updatePolicy);
  const buryWorld = on.run(s.buryWorld);
  const deletePolicy = on.run(s.deletePolicy);
  const deleteAgentsOfWorld = on.run(s.deleteAgentsOfWorld);
  const insertAgent = on.run(s.insertAgent);
  const updateAgent = on.run(s.updateAgent);
  const buryAgent = on.run(s.buryAgent);

  const raiseRev = (id: string) => updateWorld({ id, name: null, settings: null });

  return {
    world: async (id) => world({ id }),
    worldRev: async (id) => worldRev({ id }),
    worlds: async () => worlds({}),
    worldIdTaken: async (id) => (await worldIdTaken({ id })) !== undefined,
    agents: async (worldId) => agents({ worldId }),
    agentIdTaken: async (worldId, id) => (await agentIdTaken({ worldId, id })) !== undefined,

    async insertWorld({ id, name, settings, policy, proposed = [] }) {
      const row = { id, name, settings: JSON.stringify(settings), now: session.now };
      if ((await insertWorld(row)) === 0) {
        throw new CountersignError('conflict', `The world id "${id}" was given before and is never given again.`);
      }
      await insertPolicy({ worldId: id, policy: JSON.stringify(policy), proposed: JSON.stringify(proposed) });
      return { id, name, settings, policy, proposed, rev: 1, createdAt: session.now };
    },
    async updateWorld(id, { name, settings, policy, proposed }) {
      await updateWorld({ id, name: name ?? null, settings: jsonOrNull(settings) });
      if (policy === undefined && proposed === undefined) return;
      await updatePolicy({ worldId: id, policy: jsonOrNull(policy), proposed: jsonOrNull(proposed) });
    },
    async buryWorld(id) {
      await deleteAgentsOfWorld({ worldId: id });
      await deletePolicy({ worldId: id });
      await buryWorld({ id, now: session.now });
    },

    async insertAgent(worldId, id, definition) {
      if ((await insertAgent({ worldId, id, definition: JSON.stringify(definition), now: session.now })) === 0) {
        throw new CountersignError('conflict', `The agent id "${id}" was given before and is never given again.`);
      }
      await raiseRev(worldId);
      return { worldId, id, definition, createdAt: session.now };
    },
    async updateAgent(worldId, id, definition) {
      await updateAgent({ worldId, id, definition: JSON.stringify(definition) });
      await raiseRev(worldId);
    },
    async deleteAgent(worldId, id) {
      await buryAgent({ worldId, id, now: session.now });
      await raiseRev(worldId);
    },
  };
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

type WorldRow = [
  id: string,
  name: string,
  settings: string,
  policy: string,
  proposed: string,
  rev: number,
  createdAt: number,
];
type AgentRow = [worldId: string, id: string, definition: string, createdAt: number];

function toWorld([id, name, settings, policy, proposed, rev, createdAt]: WorldRow): WorldRecord {
  return {
    id,
    name,
    settings: JSON.parse(settings) as WorldSettings,
    policy: JSON.parse(policy) as string[],
    proposed: JSON.parse(proposed) as string[],
    rev,
    createdAt,
  };
}

function toAgent([worldId, id, definition, createdAt]: AgentRow): AgentRecord {
  return { worldId, id, definition: JSON.parse(definition) as AgentDefinition, createdAt };
}
