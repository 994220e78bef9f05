import type { AgentRecord, StoreTransaction, WorldRecord } from '@countersign/core/ports';
import { CountersignError, type AgentDefinition, type WorldSettings } from '@countersign/protocol';
import type { Connection, Soon } from '../connection.js';
import type { TransactionState } from '../transaction-state.js';
import type { WorldStatements, WorldRow, AgentRow } from '../queries/worlds.js';

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
>;

export function worldVerbs(on: Connection, s: WorldStatements, state: TransactionState): WorldVerbs {
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
  const insertAgent = on.run(s.insertAgent);
  const updateAgent = on.run(s.updateAgent);

  const raiseRev = raiseRevOn(on, s);

  return {
    world: async (id) => world({ id }),
    worldRev: async (id) => worldRev({ id }),
    worlds: async () => worlds({}),
    worldIdTaken: async (id) => (await worldIdTaken({ id })) !== undefined,
    agents: async (worldId) => agents({ worldId }),
    agentIdTaken: async (worldId, id) => (await agentIdTaken({ worldId, id })) !== undefined,

    async insertWorld({ id, name, settings, policy, proposed = [] }) {
      const row = { id, name, settings: JSON.stringify(settings), now: state.now };
      if ((await insertWorld(row)) === 0) {
        throw new CountersignError('conflict', `The world id "${id}" was used before and can't be reused.`);
      }
      await insertPolicy({ worldId: id, policy: JSON.stringify(policy), proposed: JSON.stringify(proposed) });
      return { id, name, settings, policy, proposed, rev: 1, createdAt: state.now };
    },
    async updateWorld(id, { name, settings, policy, proposed }) {
      await updateWorld({ id, name: name ?? null, settings: jsonOrNull(settings) });
      if (policy === undefined && proposed === undefined) return;
      await updatePolicy({ worldId: id, policy: jsonOrNull(policy), proposed: jsonOrNull(proposed) });
    },

    async insertAgent(worldId, id, definition, makers = []) {
      await raiseRev(worldId);
      const row = {
        worldId,
        id,
        definition: JSON.stringify(definition),
        makers: makersText({ makers }),
        now: state.now,
      };
      if ((await insertAgent(row)) === 0) {
        throw new CountersignError('conflict', `The agent id "${id}" was used before and can't be reused.`);
      }
      return { worldId, id, definition, makers, createdAt: state.now };
    },
    async updateAgent(worldId, id, definition) {
      await raiseRev(worldId);
      await updateAgent({ worldId, id, definition: JSON.stringify(definition) });
    },
  };
}

/** Increments a world's `rev`. Must run before other writes: steps lock the world before such rows too, and a different order would deadlock. */
export function raiseRevOn(on: Connection, s: Pick<WorldStatements, 'updateWorld'>): (id: string) => Soon<number> {
  const updateWorld = on.run(s.updateWorld);
  return (id) => updateWorld({ id, name: null, settings: null });
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

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

function toAgent([worldId, id, definition, makers, createdAt]: AgentRow): AgentRecord {
  return {
    worldId,
    id,
    definition: JSON.parse(definition) as AgentDefinition,
    makers: makers === null ? [] : (JSON.parse(makers) as string[]),
    createdAt,
  };
}

/** Null if people created the agent. */
export function makersText({ makers }: Pick<AgentRecord, 'makers'>): string | null {
  return makers.length === 0 ? null : JSON.stringify(makers);
}
