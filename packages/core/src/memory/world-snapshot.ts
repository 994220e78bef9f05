import {
  ACP_PROVIDER,
  type AcpSettings,
  EXTERNAL_PROVIDER,
  toAddressable,
  type Addressable,
} from '@countersign/protocol';
import type { AgentRecord, StoreReader, WorldRecord } from '../ports/index.js';
import { closedPolicy, compileStored, NO_RULES, policyAt, type Policies, type Policy } from '../policy/index.js';

/** A world's settings, agents and compiled rules at one `rev`, without the rules that have ended. */
export interface WorldSnapshot {
  world: WorldRecord;
  policy: Policy;
  /** The administrator's rules, from a file that no world can change. */
  adminPolicy: Policy;
  agents: readonly AgentRecord[];
  /** The agents in the form that mentions need. */
  addressable: readonly Addressable[];
  agent(id: string): AgentRecord | undefined;
  /** Falls back to the id for a removed agent, whose messages are kept. */
  agentName(id: string): string;
  agentPolicy(id: string): Policy;
}

/** The rules that apply to an agent's calls. Without an agent, for a person who tests the world's rules. */
export function policiesOf(
  snapshot: Pick<WorldSnapshot, 'policy' | 'adminPolicy' | 'agentPolicy'>,
  agentId: string | undefined,
): Policies & { readonly admin: Policy } {
  const agent = agentId === undefined ? NO_RULES : snapshot.agentPolicy(agentId);
  return { admin: snapshot.adminPolicy, world: snapshot.policy, agent };
}

/** Whether an external program acts as this agent: no model is called for it (EXT1). */
export function isExternal(snapshot: Pick<WorldSnapshot, 'agent'>, agentId: string): boolean {
  return snapshot.agent(agentId)?.definition.provider === EXTERNAL_PROVIDER;
}

/** How the program of an ACP agent is started (EXT3). Undefined for other agents. */
export function acpOf(snapshot: Pick<WorldSnapshot, 'agent'>, agentId: string): AcpSettings | undefined {
  const { provider, acp } = snapshot.agent(agentId)?.definition ?? {};
  return provider === ACP_PROVIDER ? acp : undefined;
}

export interface SnapshotCache {
  /** Undefined if the world doesn't exist. */
  read(reader: StoreReader, worldId: string): Promise<WorldSnapshot | undefined>;
  /** Undefined if this `rev` isn't cached. `now`: by the store's clock. */
  at(worldId: string, rev: number, now: number): WorldSnapshot | undefined;
  /** Must be called if a change to the world was rolled back, because its `rev` will be reused. */
  forget(worldId: string): void;
}

/**
 * Reads a world's `rev` in the caller's transaction, and the rest only if it changed: compiling a thousand rules per step would cost more than
 * the step. The check runs every time, so a new deny rule applies from the next step on, and a rule that has ended allows nothing in it.
 */
export function createSnapshotCache(adminPolicy: Policy = NO_RULES): SnapshotCache {
  const snapshots = new Map<string, WorldSnapshot>();
  const at = (worldId: string, rev: number, now: number): WorldSnapshot | undefined => {
    const known = snapshots.get(worldId);
    if (known?.world.rev !== rev) return undefined;
    const current = withoutEnded(known, now);
    if (current !== known) snapshots.set(worldId, current);
    return current;
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
      const known = at(worldId, rev, reader.now());
      if (known !== undefined) return known;
      const world = await reader.world(worldId);
      if (world === undefined) return undefined;
      const snapshot = withoutEnded(makeSnapshot(world, await reader.agents(worldId), adminPolicy), reader.now());
      snapshots.set(worldId, snapshot);
      return snapshot;
    },
  };
}

/** While the world doesn't change, a rule that has ended stays ended, even if the clock is set back. The rules of agents allow nothing anyway. */
function withoutEnded(snapshot: WorldSnapshot, now: number): WorldSnapshot {
  const policy = policyAt(snapshot.policy, now);
  const adminPolicy = policyAt(snapshot.adminPolicy, now);
  const isSame = policy === snapshot.policy && adminPolicy === snapshot.adminPolicy;
  return isSame ? snapshot : { ...snapshot, policy, adminPolicy };
}

function makeSnapshot(world: WorldRecord, agents: readonly AgentRecord[], adminPolicy: Policy): WorldSnapshot {
  const byId = new Map(agents.map((agent) => [agent.id, agent]));
  const policies = new Map(agents.map((agent) => [agent.id, compileStored(agent.definition.policy)]));
  return {
    world,
    policy: compileStored(world.policy),
    adminPolicy,
    agents,
    addressable: agents.map(({ id, definition }) => toAddressable({ id, ...definition })),
    agent: (id) => byId.get(id),
    agentName: (id) => byId.get(id)?.definition.name ?? id,
    agentPolicy: (id) => policies.get(id) ?? closedPolicy('this agent was removed from this world'),
  };
}
