import type { Agent, AgentDefinition, Chat, ListedTool, ShownPolicy, World } from '@countersign/protocol';
import { maskPrompt } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { AgentRecord, ChatRecord, RegisteredTool, StoreReader, WorldRecord } from '../ports/index.js';
import { agentIn, chatIn, noWorld } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { prepareTools } from '../call/parse.js';
import { agentMayAskFor } from '../policy/index.js';
import { REVIEW_CALL } from '../turn/ids.js';
import { agentVersion, policyVersion, worldVersion } from './versions.js';
import { warnOfRules } from './warn-of-rules.js';

/** A value with its version, which a conditional update must name (HTTP15). */
export interface Versioned<T> {
  value: T;
  version: string;
}

/** Runs a consistent read of one world. Throws `not-found` if it doesn't exist. */
export async function readWorld<T>(
  runtime: Runtime,
  worldId: string,
  work: (reader: StoreReader, snapshot: WorldSnapshot) => Promise<T>,
): Promise<T> {
  return await runtime.store.read(async (reader) => {
    const snapshot = await runtime.caches.snapshots.read(reader, worldId);
    if (snapshot === undefined) throw noWorld(worldId);
    return await work(reader, snapshot);
  });
}

/** Like `readWorld`, for a chat. */
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

/** `lastEventId` is from the same snapshot, so a stream that resumes there has no gap and no duplicates. */
export async function showWorld(runtime: Runtime, worldId: string): Promise<Versioned<World>> {
  return await readWorld(runtime, worldId, async (reader, { world }) => ({
    value: { ...toWorld(world), lastEventId: await reader.lastEventId(worldId) },
    version: worldVersion(world),
  }));
}

export async function showPolicy(runtime: Runtime, worldId: string): Promise<Versioned<ShownPolicy>> {
  return await readWorld(runtime, worldId, async (reader, { world }) => ({
    value: toPolicy(world, runtime.tools(worldId), reader.now()),
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

/** How long a tool list waits for servers to start. */
const LIST_WAIT_MS = 3_000;

/** The tools that agents in a world can request, by name. `patterns`: only those in this list of an agent. */
export async function showTools(
  runtime: Runtime,
  worldId: string,
  { patterns = ['*'], waitMs = LIST_WAIT_MS }: { patterns?: readonly string[]; waitMs?: number } = {},
): Promise<ListedTool[]> {
  // Start the servers: the list must include their tools.
  if (runtime.sources.length > 0) await prepareTools(runtime, worldId, patterns, AbortSignal.timeout(waitMs));
  return await readWorld(runtime, worldId, async () => {
    const tools = [...runtime.tools(worldId).values()];
    return tools
      .filter(
        ({ definition: { name }, byServer }) =>
          name !== REVIEW_CALL && byServer !== true && agentMayAskFor(patterns, name),
      )
      .map(({ definition, claims }) => ({ ...definition, trusted: claims !== undefined }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

export function toWorld({ id, name, settings }: WorldRecord): World {
  return { id, name, ...settings };
}

export function toPolicy(
  { policy, proposed }: Pick<WorldRecord, 'policy' | 'proposed'>,
  tools: ReadonlyMap<string, RegisteredTool>,
  now: number,
): ShownPolicy {
  const warnings = warnOfRules(policy, tools, now);
  return { rules: [...policy], proposed: [...proposed], ...(warnings.length === 0 ? {} : { warnings }) };
}

/** An agent as shown to people. Keys pasted into the prompt are masked (SAFE6) and restored when the prompt is sent back. */
export function toAgent({ id, definition }: AgentRecord): Agent {
  return { id, ...showAgentDefinition(definition) };
}

export function showAgentDefinition(definition: AgentDefinition): AgentDefinition {
  return { ...definition, systemPrompt: maskPrompt(definition.systemPrompt).value };
}

export function toChat({ id, title, status, root, branches, filed, createdAt }: ChatRecord): Chat {
  const first = root ?? (branches > 0 ? id : undefined);
  const branchOf = first === undefined ? {} : { branchOf: first };
  return {
    id,
    title,
    status,
    ...branchOf,
    ...(filed === null ? {} : { filed }),
    createdAt: new Date(createdAt).toISOString(),
  };
}
