import {
  changeSchema,
  CountersignError,
  DEFAULT_CHAT_TITLE,
  newAgentSchema,
  newWorldSchema,
  parseInput,
  policySchema,
  slug,
  worldSettingsSchema,
  type Agent,
  type AgentDefinition,
  type NewAgent,
  type NewWorld,
  type ShownPolicy,
  type Signer,
  type World,
  type WorldSettings,
} from '@countersign/protocol';
import { z } from 'zod';
import type { AgentRecord, ChatRecord, StoreTransaction, WorldRecord } from '../ports/index.js';
import { maskSecrets } from '../masking/index.js';
import { foldName } from '../mentions/index.js';
import { compilePolicy } from '../policy/index.js';
import { newId } from '../turn/ids.js';
import { commit, type Runtime, type Step } from './runtime.js';
import { toAgent, toPolicy, toWorld, type Versioned } from './show-world.js';
import { stopTurns } from './stop-chat.js';
import { noteActivity } from './turn-lifecycle.js';
import { agentVersion, policyVersion, refuseStale, worldVersion, type Expected } from './versions.js';

export async function createWorld(runtime: Runtime, input: NewWorld, signer: Signer): Promise<WorldRecord> {
  const { name, policy, ...settings } = parseInput(newWorldSchema, input, 'world');
  refuseUnreadableRules(policy, 'policy');
  if (settings.mainAgent !== undefined) {
    throw new CountersignError('invalid', 'world: mainAgent: a new world has no agents yet; add it first', {
      field: 'mainAgent',
    });
  }
  return await createWorldWith(runtime, { name, settings, policy }, async (tx) => {
    recordRules(tx, [], policy, signer);
    return settings;
  });
}

/** Makes a world with whatever else comes with it, in one transaction; `more` gives the settings it ends up with. */
export async function createWorldWith(
  runtime: Runtime,
  world: { name: string; settings: WorldSettings; policy: readonly string[]; proposed?: readonly string[] },
  more: (tx: StoreTransaction, id: string) => Promise<WorldSettings>,
): Promise<WorldRecord> {
  // Two at once may find the same id free; the second then finds the row and takes the next.
  for (let tries = 0; ; tries += 1) {
    const id = await runtime.store.read((reader) =>
      freeId(slug(world.name, 'world'), (candidate) => reader.worldIdTaken(candidate)),
    );
    try {
      const { value } = await runtime.store.transact(id, async (tx) => {
        const made = await tx.insertWorld({ id, ...world });
        return { ...made, settings: await more(tx, id) };
      });
      return value;
    } catch (error) {
      const taken = await runtime.store.read((reader) => reader.worldIdTaken(id));
      if (!taken || tries >= 5) throw error;
    }
  }
}

export async function updateWorld(
  runtime: Runtime,
  worldId: string,
  change: PartOf<WorldSettings> & { name?: string },
  signer: Signer,
  expected?: Expected,
): Promise<Versioned<World>> {
  const { name, ...settings } = parseInput(changeSchema, change, 'world');
  return await commit(runtime, 'update-world', worldId, async (step) => {
    refuseStale(worldVersion(step.snapshot.world), expected, 'this world');
    const merged = parseInput(
      newWorldSchema.pick({ name: true }).extend(worldSettingsSchema.shape),
      {
        ...changed(worldSettingsSchema.shape, step.snapshot.world.settings, settings),
        name: name ?? step.snapshot.world.name,
      },
      'world',
    );
    if (merged.mainAgent !== undefined && step.snapshot.agent(merged.mainAgent) === undefined) {
      throw new CountersignError('invalid', `world: mainAgent: there is no agent "${merged.mainAgent}" here`, {
        field: 'mainAgent',
      });
    }
    const { name: newName, ...newSettings } = merged;
    await step.tx.updateWorld(worldId, { name: newName, settings: newSettings });
    if (newSettings.mode !== step.snapshot.world.settings.mode) {
      step.tx.record({ kind: 'policy', decision: `mode ${newSettings.mode}`, ...signer });
    }
    recordChanges(step, step.snapshot.world.settings, newSettings, signer);
    step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'update', entity: 'world', id: worldId } });
    const world = { ...step.snapshot.world, name: newName, settings: newSettings };
    return { value: toWorld(world), version: worldVersion(world) };
  });
}

/** Part of a definition. Null takes away what may be absent. */
export type PartOf<T> = { [K in keyof T]?: T[K] | (undefined extends T[K] ? null : never) };

/** A definition with a part of it changed. Null where something must be is left for the schema to refuse. */
function changed(
  shape: Readonly<Record<string, unknown>>,
  before: object,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...before, ...change };
  for (const [field, value] of Object.entries(change)) {
    if (value === null && shape[field] instanceof z.ZodExactOptional) delete merged[field];
  }
  return merged;
}

/** Replaces a world's rules, and says which proposals of an import stay (default: all that were not accepted). One that can't be read refuses them all: a policy never fails open (A19). */
export async function setPolicy(
  runtime: Runtime,
  worldId: string,
  rules: readonly string[],
  signer: Signer,
  { expected, keep }: { expected?: Expected; keep?: readonly string[] } = {},
): Promise<Versioned<ShownPolicy>> {
  const { rules: policy } = parseInput(policySchema, { rules }, 'policy');
  refuseUnreadableRules(policy, 'rules');
  return await commit(runtime, 'set-policy', worldId, async (step) => {
    const before = step.snapshot.world;
    refuseStale(policyVersion(before), expected, 'this policy');
    const invented = keep?.findIndex((rule) => !before.proposed.includes(rule)) ?? -1;
    if (invented >= 0) {
      const field = `proposed.${invented}`;
      throw new CountersignError('invalid', `policy: ${field}: is not among what was proposed`, { field });
    }
    const after = {
      policy: [...new Set(policy)],
      // What was accepted is proposed no more.
      proposed: before.proposed.filter((rule) => !policy.includes(rule) && (keep?.includes(rule) ?? true)),
    };
    await step.tx.updateWorld(worldId, after);
    recordRules(step.tx, before.policy, policy, signer);
    step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'update', entity: 'policy', id: worldId } });
    return { value: toPolicy(after), version: policyVersion(after) };
  });
}

/** What else decides what a call may do: an agent's tools, where a world works. Rules and modes have records of their own. */
function recordChanges(
  step: Step,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  signer: Signer,
  agent: { agentId?: string } = {},
): void {
  const told = (value: unknown): string => (value === undefined ? 'unset' : JSON.stringify(value));
  const changes = Object.keys({ ...before, ...after })
    .filter((field) => field !== 'policy' && field !== 'mode' && told(before[field]) !== told(after[field]))
    // Pages of prompt would fill the log; that it changed is what counts.
    .map((field) =>
      field === 'systemPrompt' ? field : `${field} from ${told(before[field])} to ${told(after[field])}`,
    );
  if (changes.length === 0) return;
  const decision = agent.agentId === undefined ? 'world changed' : 'agent changed';
  step.tx.record({ kind: 'policy', decision, why: maskSecrets(changes.join('; ')), ...agent, ...signer });
}

/** Every rule that came or went, the world's or one agent's (A16). */
export function recordRules(
  tx: Pick<StoreTransaction, 'record'>,
  before: readonly string[],
  after: readonly string[],
  signer: Signer,
  agent: { agentId?: string } = {},
): void {
  const record = (rule: string, decision: string): void =>
    tx.record({ kind: 'policy', rule: maskSecrets(rule), decision, ...agent, ...signer });
  for (const rule of new Set(after)) if (!before.includes(rule)) record(rule, 'added');
  for (const rule of new Set(before)) if (!after.includes(rule)) record(rule, 'removed');
}

export function refuseUnreadableRules(rules: readonly string[], field: string): void {
  const compiled = compilePolicy(rules);
  if (compiled.ok) return;
  const where = `${field}.${compiled.index}`;
  throw new CountersignError('invalid', `${where}: ${compiled.error} (at character ${compiled.position + 1})`, {
    field: where,
  });
}

export async function addAgent(
  runtime: Runtime,
  worldId: string,
  input: NewAgent,
  signer: Signer,
): Promise<AgentRecord> {
  const definition = parseInput(newAgentSchema, input, 'agent');
  refuseUnreadableRules(definition.policy, 'policy');
  return await commit(runtime, 'add-agent', worldId, async (step) => await insertAgent(step, definition, signer));
}

/** Gives an agent its id and its place in the world, in the step's transaction. */
export async function insertAgent(step: Step, definition: AgentDefinition, signer: Signer): Promise<AgentRecord> {
  const worldId = step.snapshot.world.id;
  refuseTakenName(step, definition, undefined);
  const id = await freeId(slug(definition.name, 'agent'), async (candidate) => {
    return (
      (await step.tx.agentIdTaken(worldId, candidate)) ||
      step.snapshot.agents.some((agent) => foldName(agent.definition.name) === foldName(candidate))
    );
  });
  const agent = await step.tx.insertAgent(worldId, id, definition);
  const why = `tools: ${definition.tools.join(', ') || 'none'}`;
  step.tx.record({ kind: 'policy', decision: 'agent added', agentId: id, why: maskSecrets(why), ...signer });
  recordRules(step.tx, [], definition.policy, signer, { agentId: id });
  step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'create', entity: 'agent', id } });
  return agent;
}

export async function updateAgent(
  runtime: Runtime,
  worldId: string,
  agentId: string,
  change: PartOf<NewAgent>,
  signer: Signer,
  expected?: Expected,
): Promise<Versioned<Agent>> {
  const part = parseInput(changeSchema, change, 'agent');
  return await commit(runtime, 'update-agent', worldId, async (step) => {
    const agent = agentOf(step, agentId);
    refuseStale(agentVersion(agent), expected, 'this agent');
    const definition = parseInput(newAgentSchema, changed(newAgentSchema.shape, agent.definition, part), 'agent');
    refuseUnreadableRules(definition.policy, 'policy');
    refuseTakenName(step, definition, agentId);
    await step.tx.updateAgent(worldId, agentId, definition);
    recordChanges(step, agent.definition, definition, signer, { agentId });
    recordRules(step.tx, agent.definition.policy, definition.policy, signer, { agentId });
    step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'update', entity: 'agent', id: agentId } });
    const after = { ...agent, definition };
    return { value: toAgent(after), version: agentVersion(after) };
  });
}

/** Its unfinished turns end first, so that nobody is left with a question of an agent that is gone. */
export async function removeAgent(
  runtime: Runtime,
  worldId: string,
  agentId: string,
  signer: Signer,
  expected?: Expected,
): Promise<void> {
  await commit(runtime, 'remove-agent', worldId, async (step) => {
    refuseStale(agentVersion(agentOf(step, agentId)), expected, 'this agent');
    const turns = (await step.tx.unfinishedTurns()).filter(
      (turn) => turn.worldId === worldId && turn.agentId === agentId,
    );
    await stopTurns(runtime, step, turns, signer);
    await step.tx.deleteAgent(worldId, agentId);
    step.tx.record({ kind: 'policy', decision: 'agent removed', agentId, ...signer });
    await noteActivityIn(runtime, step, turns);
    step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'delete', entity: 'agent', id: agentId } });
  });
}

/** Whoever waits for one of these chats hears that it is idle; without it they would wait for ever. */
async function noteActivityIn(runtime: Runtime, step: Step, turns: readonly { chatId: string }[]): Promise<void> {
  for (const chatId of new Set(turns.map((turn) => turn.chatId))) {
    const chat = await step.tx.chat(chatId);
    if (chat !== undefined) await noteActivity(runtime, step, chat);
  }
}

function agentOf(step: Step, agentId: string): AgentRecord {
  const agent = step.snapshot.agent(agentId);
  if (agent === undefined) throw new CountersignError('not-found', `there is no agent "${agentId}" in this world`);
  return agent;
}

/** A mention must have one reading: no two agents share a name, and no name is another's id. */
function refuseTakenName(step: Step, definition: AgentDefinition, self: string | undefined): void {
  const wanted = foldName(definition.name);
  const clash = step.snapshot.agents.find(
    (agent) => agent.id !== self && (foldName(agent.definition.name) === wanted || foldName(agent.id) === wanted),
  );
  if (clash === undefined) return;
  throw new CountersignError('conflict', `agent: name: "${definition.name}" is taken by ${clash.id}`, {
    field: 'name',
  });
}

export async function freeId(base: string, taken: (id: string) => Promise<boolean>): Promise<string> {
  if (!(await taken(base))) return base;
  for (let number = 2; ; number += 1) {
    const id = `${base}-${number}`;
    if (!(await taken(id))) return id;
  }
}

export async function createChat(runtime: Runtime, worldId: string, title?: string): Promise<ChatRecord> {
  return await commit(runtime, 'create-chat', worldId, async (step) => {
    const chat = await step.tx.insertChat({ id: newId('chat'), worldId, title: DEFAULT_CHAT_TITLE });
    if (title !== undefined) await step.tx.setChatTitle(chat.id, title);
    step.tx.emit({ event: 'crud', chatId: chat.id, data: { operation: 'create', entity: 'chat', id: chat.id } });
    return { ...chat, title: title ?? chat.title, titled: title !== undefined };
  });
}

/** From the next call on (A14). False if it was not live. */
export async function revokeGrant(
  runtime: Runtime,
  worldId: string,
  grantId: string,
  signer: Signer,
): Promise<boolean> {
  return await commit(runtime, 'revoke-grant', worldId, async (step) => {
    const grant = await step.tx.grant(grantId);
    if (grant === undefined || grant.worldId !== worldId) return false;
    if (!(await step.tx.revokeGrant(grantId))) return false;
    step.tx.record({
      kind: 'grant',
      decision: 'revoked',
      chatId: grant.chatId,
      agentId: grant.agentId,
      tool: grant.toolName,
      ...signer,
    });
    step.tx.emit({ event: 'crud', chatId: grant.chatId, data: { operation: 'delete', entity: 'grant', id: grantId } });
    return true;
  });
}

export async function deleteWorld(
  runtime: Runtime,
  worldId: string,
  signer: Signer,
  expected?: Expected,
): Promise<void> {
  const servers = await commit(runtime, 'delete-world', worldId, async (step) => {
    const servers = await step.tx.mcpServers(worldId);
    refuseStale(worldVersion(step.snapshot.world), expected, 'this world');
    const turns = (await step.tx.unfinishedTurns()).filter((turn) => turn.worldId === worldId);
    await stopTurns(runtime, step, turns, signer);
    await noteActivityIn(runtime, step, turns);
    step.tx.record({ kind: 'policy', decision: 'world deleted', ...signer });
    await step.tx.deleteWorld(worldId);
    step.tx.emit({ event: 'crud', chatId: null, data: { operation: 'delete', entity: 'world', id: worldId } });
    return servers;
  });
  for (const { name } of servers) await runtime.mcp?.look(worldId, name);
  runtime.repeats.clear();
}
