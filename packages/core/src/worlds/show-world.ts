import type { Agent, AgentDefinition, Chat, ListedTool, ShownPolicy, World } from '@countersign/protocol';
import { maskPrompt } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { AgentRecord, ChatRecord, StoreReader, WorldRecord } from '../ports/index.js';
import { agentIn, chatIn, noWorld } from '../step/look-up.js';
import type { Runtime } from '../step/runtime.js';
import { prepareTools } from '../step/tool-sources.js';
import { agentVersion, policyVersion, worldVersion } from './versions.js';
import { warnOfRules } from './warn-of-rules.js';

/** Something that can be changed, with the version that a change of it names (W6). */
export interface Versioned<T> {
  value: T;
  version: string;
}

/** Reads in one moment of one world. Throws `not-found` if there is none. */
export async function readWorld<T>(
  runtime: Runtime,
  worldId: string,
  work: (reader: StoreReader, snapshot: WorldSnapshot) => Promise<T>,
): Promise<T> {
  return await runtime.store.read(async (reader) => {
    const snapshot = await runtime.snapshots.read(reader, worldId);
    if (snapshot === undefined) throw noWorld(worldId);
    return await work(reader, snapshot);
  });
}

/** The same for a chat of it. */
export async function readChat<T>(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  work: (reader: StoreReader, chat: ChatRecord) => Promise<T>,
): Promise<T> {
  return await readWorld(
    runtime,
    worldId,
    async (reader) => await work(reader, chatIn(await reader.chat(chatId), worldId, chatId)),
  );
}

export async function showWorlds(runtime: Runtime): Promise<World[]> {
  return (await runtime.store.read((reader) => reader.worlds())).map(toWorld);
}

/** `lastEventId` is of the same moment: a stream resumed from there has no gap and no repeat. */
export async function showWorld(runtime: Runtime, worldId: string): Promise<Versioned<World>> {
  return await readWorld(runtime, worldId, async (reader, { world }) => ({
    value: { ...toWorld(world), lastEventId: await reader.lastEventId(worldId) },
    version: worldVersion(world),
  }));
}

export async function showPolicy(runtime: Runtime, worldId: string): Promise<Versioned<ShownPolicy>> {
  return await readWorld(runtime, worldId, async (_, { world }) => ({
    value: toPolicy(world, runtime.tools(worldId).keys()),
    version: policyVersion(world),
  }));
}

export async function showAgents(runtime: Runtime, worldId: string): Promise<Agent[]> {
  return await readWorld(runtime, worldId, async (_, { agents }) => agents.map(toAgent));
}

export async function showAgent(runtime: Runtime, worldId: string, agentId: string): Promise<Versioned<Agent>> {
  return await readWorld(runtime, worldId, async (_, snapshot) => {
    const agent = agentIn(snapshot, agentId);
    return { value: toAgent(agent), version: agentVersion(runtime.store.hashKey, agent) };
  });
}

export async function showChat(runtime: Runtime, worldId: string, chatId: string): Promise<Chat> {
  return await readChat(runtime, worldId, chatId, async (reader, chat) => ({
    ...toChat(chat),
    lastEventId: await reader.lastEventId(worldId),
  }));
}

/** How long a list waits for servers whose tools belong on it. */
const LIST_WAIT_MS = 3_000;

/** What agents of a world can ask for, by name. */
export async function showTools(runtime: Runtime, worldId: string): Promise<ListedTool[]> {
  // Whoever looks at the list is a reason to find out what is on it.
  if (runtime.sources.length > 0) await prepareTools(runtime, worldId, ['*'], AbortSignal.timeout(LIST_WAIT_MS));
  return await readWorld(runtime, worldId, async () => {
    const tools = [...runtime.tools(worldId).values()];
    return tools
      .map(({ definition, trusted }) => ({ ...definition, trusted }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

export function toWorld({ id, name, settings }: WorldRecord): World {
  return { id, name, ...settings };
}

export function toPolicy(
  { policy, proposed }: Pick<WorldRecord, 'policy' | 'proposed'>,
  tools: Iterable<string>,
): ShownPolicy {
  const warnings = warnOfRules(policy, tools);
  return { rules: [...policy], proposed: [...proposed], ...(warnings.length === 0 ? {} : { warnings }) };
}

/** As people see it: a key that somebody pasted into the prompt is masked (A15), and stays what it is when the prompt is sent back. */
export function toAgent({ id, definition }: AgentRecord): Agent {
  return { id, ...showAgentDefinition(definition) };
}

export function showAgentDefinition(definition: AgentDefinition): AgentDefinition {
  return { ...definition, systemPrompt: maskPrompt(definition.systemPrompt).value };
}

export function toChat({ id, title, status, createdAt }: ChatRecord): Chat {
  return { id, title, status, createdAt: new Date(createdAt).toISOString() };
}
