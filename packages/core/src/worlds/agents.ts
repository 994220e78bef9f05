import {
  ACP_PROVIDER,
  type Agent,
  type AgentDefinition,
  changeSchema,
  CountersignError,
  EXTERNAL_PROVIDER,
  foldName,
  modelSettings,
  nearest,
  type NewAgent,
  newAgentSchema,
  parseInput,
  type Signer,
  slug,
} from '@countersign/protocol';
import { z } from 'zod';
import { revealPrompt } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { AgentRecord, StoreReader, TurnRecord } from '../ports/index.js';
import { checkSigners } from './check-signers.js';
import { refuseReach } from './refuse-reach.js';
import { refuseUnconfirmed, type Safeguards } from './refuse-unconfirmed.js';
import { checkRules } from './compile-rules.js';
import { freeId } from './free-id.js';
import { agentIn, changeWorld, commit } from '../step/commit.js';
import { applyPart, type PartOf } from './apply-part.js';
import type { Runtime, Step } from '../step/runtime.js';
import { writeFact } from '../step/write-fact.js';
import { toAgent, type Versioned } from './show-world.js';
import { chatsAtWork, stopTurns } from '../chats/stop-chat.js';
import { agentVersion, refuseStale } from './versions.js';

const POLICY = { field: 'policy', of: 'policy' };

/** Accepts any name: an unchanged name that became reserved later stays valid. */
const existingAgentSchema = newAgentSchema.extend({ name: z.string() });

export async function addAgent(
  runtime: Runtime,
  worldId: string,
  input: NewAgent,
  signer: Signer,
  { isConfirmed = false, may }: Omit<Safeguards, 'expected'> = {},
): Promise<AgentRecord> {
  const definition = parseInput(newAgentSchema, input, 'agent');
  refuseAcp(definition);
  await runtime.providers.find(definition.provider);
  refuseUnknownProvider(runtime, definition.provider);
  refuseSettings(runtime, definition);
  const written = { rules: definition.policy, source: POLICY, tools: runtime.tools(worldId) };
  return await changeWorld(runtime, 'add-agent', worldId, async ({ tx, snapshot }) => {
    checkRules({ ...written, now: tx.now() });
    await refuseReach({ runtime, reader: tx, snapshot }, { kind: 'agent', after: definition }, { may, isConfirmed });
    await checkSigners(tx, worldId, { ...written, agents: snapshot.agents });
    refuseTakenName(snapshot, definition, undefined);
    refuseUnconfirmed(snapshot, { kind: 'agent-program', before: undefined, after: definition }, isConfirmed);
    const id = await freeAgentId(tx, snapshot, definition.name);
    const agent: AgentRecord = { worldId, id, definition, makers: [], createdAt: tx.now() };
    await writeFact(tx, { kind: 'agent-added', agent, by: signer });
    return agent;
  });
}

/** An unused id for a new agent: no current or former agent in the world has it. */
export async function freeAgentId(
  reader: Pick<StoreReader, 'agentIdTaken'>,
  { world, agents }: WorldSnapshot,
  name: string,
): Promise<string> {
  return await freeId(slug(name, 'agent'), async (candidate) => {
    if (await reader.agentIdTaken(world.id, candidate)) return true;
    return agents.some((agent) => foldName(agent.definition.name) === foldName(candidate));
  });
}

export async function updateAgent(
  runtime: Runtime,
  worldId: string,
  agentId: string,
  change: PartOf<NewAgent>,
  signer: Signer,
  { expected, isConfirmed = false, may }: Safeguards = {},
): Promise<Versioned<Agent>> {
  const part = parseInput(changeSchema, change, 'agent');
  // Load before the transaction, because loading reads from the store.
  if (typeof part['provider'] === 'string') await runtime.providers.find(part['provider']);
  const updated = await changeWorld(runtime, 'update-agent', worldId, async (change) => {
    const agent = agentIn(change.snapshot, agentId);
    refuseStale(agentVersion(runtime.store.hashKey, agent), expected, 'this agent');
    const wanted = restoreSecrets(applyPart(newAgentSchema.shape, agent.definition, part), agent.definition);
    const isRenamed = wanted['name'] !== agent.definition.name;
    const definition = parseInput(isRenamed ? newAgentSchema : existingAgentSchema, wanted, 'agent');
    refuseAcp(definition);
    const programs = { before: agent.definition, after: definition };
    await refuseReach(
      { runtime, reader: change.tx, snapshot: change.snapshot },
      { kind: 'agent', ...programs },
      { may, isConfirmed },
    );
    // A provider that is no longer configured may stay, so that the rest of the agent can still be edited.
    if (definition.provider !== agent.definition.provider) refuseUnknownProvider(runtime, definition.provider);
    // Settings that the provider no longer accepts may stay too, so that the agent can still be renamed or deactivated.
    if (modelCall(definition) !== modelCall(agent.definition)) refuseSettings(runtime, definition);
    const stored = agent.definition.policy;
    refuseUnconfirmed(change.snapshot, { kind: 'rules', before: stored, after: definition.policy }, isConfirmed);
    refuseUnconfirmed(change.snapshot, { kind: 'agent-program', ...programs }, isConfirmed);
    const written = { rules: definition.policy, source: POLICY, tools: runtime.tools(worldId), stored };
    checkRules({ ...written, now: change.tx.now() });
    await checkSigners(change.tx, worldId, { ...written, agents: change.snapshot.agents, agentId });
    refuseTakenName(change.snapshot, definition, agentId);
    const after = { ...agent, definition };
    await writeFact(change.tx, { kind: 'agent-changed', before: agent, after, by: signer });
    return { value: toAgent(after), version: agentVersion(runtime.store.hashKey, after) };
  });
  const { provider, active } = updated.value;
  const isOutside = provider === EXTERNAL_PROVIDER || provider === ACP_PROVIDER;
  if (isOutside && !active) await stopInactive(runtime, worldId, agentId, signer);
  return updated;
}

/** Prompts are shown with masked secrets, so masks that are sent back are replaced with their values. */
function restoreSecrets(wanted: Record<string, unknown>, before: AgentDefinition): Record<string, unknown> {
  const { systemPrompt } = wanted;
  if (typeof systemPrompt !== 'string') return wanted;
  const revealed = revealPrompt(systemPrompt, before.systemPrompt);
  if (revealed.ok) return { ...wanted, systemPrompt: revealed.value };
  const sentence = `agent: systemPrompt: ${revealed.unknown} is an unknown placeholder. Enter the value itself`;
  throw new CountersignError('invalid', sentence, { field: 'systemPrompt' });
}

/** Ends the agent's unfinished turns first, so that no question from a removed agent stays open. */
export async function removeAgent(
  runtime: Runtime,
  worldId: string,
  agentId: string,
  signer: Signer,
  { expected, isConfirmed = false }: Safeguards = {},
): Promise<void> {
  const { findChats, stopIn } = turnsOf(runtime, worldId, agentId, signer);
  const chats = await findChats();
  await commit(runtime, 'remove-agent', worldId, { chats }, (step) => {
    const agent = agentIn(step.snapshot, agentId);
    refuseStale(agentVersion(runtime.store.hashKey, agent), expected, 'this agent');
    refuseUnconfirmed(step.snapshot, { kind: 'rules', before: agent.definition.policy, after: [] }, isConfirmed);
    stopIn(step, chats);
    step.tx.write({ kind: 'agent-removed', worldId, agentId, by: signer });
  });
  // A turn may have started in another chat since the lookup. From here on, no more turns can start.
  const late = await findChats();
  if (late.length === 0) return;
  await commit(runtime, 'remove-agent', worldId, { chats: late }, (step) => stopIn(step, late));
}

/** The unfinished turns of an agent, in all of its chats. */
function turnsOf(runtime: Runtime, worldId: string, agentId: string, signer: Signer) {
  const isItsTurn = (turn: TurnRecord): boolean => turn.worldId === worldId && turn.agentId === agentId;
  return {
    findChats: (): Promise<string[]> => runtime.store.read((reader) => chatsAtWork(reader, isItsTurn)),
    stopIn: (step: Step, chats: readonly string[]) =>
      stopTurns(runtime, step, chats.flatMap((id) => step.tx.unfinishedTurns(id)).filter(isItsTurn), signer),
  };
}

/** Ends the turns of an agent that was deactivated, and denies its waiting calls. The gate already refuses new ones. */
async function stopInactive(runtime: Runtime, worldId: string, agentId: string, signer: Signer): Promise<void> {
  const { findChats, stopIn } = turnsOf(runtime, worldId, agentId, signer);
  const chats = await findChats();
  if (chats.length > 0)
    await commit(runtime, 'deactivate-agent', worldId, { chats }, (step) => {
      if (step.snapshot.agent(agentId)?.definition.active !== true) stopIn(step, chats);
    });
}

/** An ACP agent needs a program to start, and no other agent has one (EXT3). */
export function refuseAcp(
  { provider, acp }: Pick<AgentDefinition, 'provider' | 'acp'>,
  { field = 'acp', of = 'agent' }: { field?: string; of?: string } = {},
): void {
  if ((provider === ACP_PROVIDER) === (acp !== undefined)) return;
  const detail =
    acp === undefined
      ? 'an agent with the provider acp needs the command of its program, such as { "command": ["gemini", "--acp"] }'
      : 'only an agent with the provider acp can have a command';
  throw new CountersignError('invalid', `${of}: acp: ${detail}`, { field });
}

/** Rejects an unknown provider now; otherwise, a typo would only show up in the agent's first turn. */
function refuseUnknownProvider({ providers }: Runtime, name: string): void {
  if (name === EXTERNAL_PROVIDER || providers.get(name) !== undefined) return;
  const known = providers.names();
  const closest = nearest(name, known);
  const meant = closest === undefined ? '' : ` Did you mean "${closest}"?`;
  const detail = `There is no provider "${name}".${meant} Known: ${known.join(', ') || 'none'}.`;
  throw new CountersignError('invalid', detail, { field: 'provider' });
}

/** The settings for calling the agent's model, for comparison. */
function modelCall(definition: AgentDefinition): string {
  return JSON.stringify([definition.provider, definition.model, modelSettings(definition)]);
}

/** Rejects settings that the vendor doesn't support: otherwise, the agent's first turn would fail. */
function refuseSettings({ providers }: Runtime, definition: AgentDefinition): void {
  const { provider, model } = definition;
  const problem = providers.get(provider)?.checkSettings?.(model, modelSettings(definition));
  if (problem !== undefined) throw new CountersignError('invalid', problem.detail, { field: problem.field });
}

/** Mentions must be unambiguous: no two agents share a name, and no name equals another agent's id. */
export function refuseTakenName(snapshot: WorldSnapshot, definition: AgentDefinition, self: string | undefined): void {
  const wanted = foldName(definition.name);
  const clash = snapshot.agents.find(
    (agent) => agent.id !== self && (foldName(agent.definition.name) === wanted || foldName(agent.id) === wanted),
  );
  if (clash === undefined) return;
  throw new CountersignError('conflict', `agent: name: "${definition.name}" is already taken by ${clash.id}`, {
    field: 'name',
  });
}
