import type { Addressable } from '../mentions/index.js';
import type { AgentRecord, StoreReader, WorldRecord } from '../ports/index.js';
import { closedPolicy, compileStored, NO_RULES, type Policy } from '../policy/index.js';

/** A world's settings, agents and compiled rules as of one `rev`. */
export interface WorldSnapshot {
  world: WorldRecord;
  policy: Policy;
  /** The rules of the file that no world can change. */
  adminPolicy: Policy;
  agents: readonly AgentRecord[];
  /** The same as mentions are read with. */
  addressable: readonly Addressable[];
  agent(id: string): AgentRecord | undefined;
  /** Its id, for one that is gone: what it said and asked stays on record. */
  agentName(id: string): string;
  agentPolicy(id: string): Policy;
}

export interface SnapshotCache {
  /** Undefined: there is no such world. */
  read(reader: StoreReader, worldId: string): Promise<WorldSnapshot | undefined>;
  /** Undefined: it was not read since it became so. */
  at(worldId: string, rev: number): WorldSnapshot | undefined;
  /** A change of the world was not kept: its `rev` will be given to another one. */
  forget(worldId: string): void;
}

/**
 * Reads a world's `rev` in the caller's transaction and everything else only when it changed: compiling a thousand rules
 * for each step would cost more than the step. Checked every time, so a new deny rule counts from the next step on.
 */
export function createSnapshotCache(adminPolicy: Policy = NO_RULES): SnapshotCache {
  const snapshots = new Map<string, WorldSnapshot>();
  const at = (worldId: string, rev: number): WorldSnapshot | undefined => {
    const known = snapshots.get(worldId);
    return known?.world.rev === rev ? known : undefined;
  };
  return {
    at,
    forget: (worldId) => void snapshots.delete(worldId),
    async read(reader, worldId) {
      const rev = await reader.worldRev(worldId);
      if (rev === undefined) {
        snapshots.delete(worldId);
        return undefined;
      }
      const known = at(worldId, rev);
      if (known !== undefined) return known;
      const world = await reader.world(worldId);
      if (world === undefined) return undefined;
      const snapshot = makeSnapshot(world, await reader.agents(worldId), adminPolicy);
      snapshots.set(worldId, snapshot);
      return snapshot;
    },
  };
}

function makeSnapshot(world: WorldRecord, agents: readonly AgentRecord[], adminPolicy: Policy): WorldSnapshot {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const policies = new Map(agents.map((agent) => [agent.id, compileStored(agent.definition.policy)]));
  return {
    world,
    policy: compileStored(world.policy),
    adminPolicy,
    agents,
    addressable: agents.map(({ id, definition: { name, active } }) => ({ id, name, active })),
    agent: (id) => byId.get(id),
    agentName: (id) => byId.get(id)?.definition.name ?? id,
    agentPolicy: (id) => policies.get(id) ?? closedPolicy('this agent is not in this world'),
  };
}
