import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  addAgent,
  addMcpServer,
  createChat,
  createRuntime,
  createWorld,
  listApprovals,
  publishMessage,
  decideCall,
  showMcpServer,
  systemClock,
  type Engine,
} from '@countersign/core';
import { MAY_ALL, scripted, type Script, type ScriptedProvider } from '@countersign/core/testing';
import type {
  Approval,
  McpServer,
  NewAgent,
  NewMcpServer,
  Signer,
  ToolDecision,
  WorldEvent,
} from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { mcpServers, type McpOptions } from '@countersign/tools';
import { sharedSandbox } from '../../support/shared-sandbox.js';
import { root } from '../../support/source-modules.js';
import { until } from './until.js';

export const ME: Signer = { who: { kind: 'person', id: 'me', name: 'me' }, via: 'test' };

export interface LabOptions {
  script?: Script;
  policy?: string[];
  agent?: Partial<NewAgent>;
  mcp?: Partial<McpOptions>;
  /** A file. Default: in memory. */
  store?: string;
  world?: { mode?: 'read' | 'ask' | 'auto' };
  folder?: string;
  ownSecrets?: string[];
}

/** An engine with a scripted model, one world, one agent with all tools, and real MCP servers. */
export interface Lab {
  engine: Engine;
  worldId: string;
  agentId: string;
  folder: string;
  provider: ScriptedProvider;
  events: WorldEvent[];
  add(server: NewMcpServer): Promise<McpServer>;
  /** Waits until it is running. */
  running(name: string): Promise<McpServer>;
  show(name: string): Promise<McpServer>;
  chat(): Promise<string>;
  /** Sends a message and waits until the chat has settled. */
  say(text: string, chatId?: string): Promise<string>;
  settled(chatId: string): Promise<string>;
  pending(): Promise<Approval[]>;
  decide(approval: Approval, decision: Omit<ToolDecision, 'tool_call_id'>): ReturnType<typeof decideCall>;
  /** The results in the model's last request. */
  results(): string[];
  close(): Promise<void>;
}

export async function freshFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-mcp-test-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Long timeouts for busy machines, except where a timeout is tested. */
const PATIENT = { connectMs: 120_000, turnWaitMs: 120_000, callWaitMs: 120_000, healthMs: 3_600_000 };

export async function openLab(options: LabOptions = {}): Promise<Lab> {
  const folder = options.folder ?? (await freshFolder());
  const provider = scripted(options.script ?? (() => 'Nothing to do.'));
  const store = await openSqlite(options.store ?? ':memory:', { clock: systemClock, synchronous: 'NORMAL' });
  const used = options.mcp?.sandbox ?? (await sharedSandbox());
  const engine = createRuntime({
    store,
    clock: systemClock,
    providers: [provider],
    mcp: mcpServers({ sandbox: used, clock: systemClock, show: [root], ...PATIENT, firstPauseMs: 50, ...options.mcp }),
    findPlace: () => ({ workingDirectory: folder, home: homedir() }),
    onError: (error, what) => {
      throw new Error(`${what}: ${String(error)}`);
    },
    onListenerFailure: (error) => {
      throw error;
    },
    ...(options.ownSecrets === undefined ? {} : { ownSecrets: options.ownSecrets }),
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= engine.close());
  onTestFinished(close);
  const known = (await store.read((reader) => reader.worlds()))[0];
  const world =
    known ??
    (await createWorld(
      engine.runtime,
      { name: 'Harbour', workingDirectory: folder, policy: options.policy ?? [], ...options.world },
      ME,
      MAY_ALL,
    ));
  const worldId = world.id;
  const agents = await store.read((reader) => reader.agents(worldId));
  const agent =
    agents[0] ??
    (await addAgent(
      engine.runtime,
      worldId,
      { name: 'Ann', provider: 'scripted', model: 'm', tools: ['*'], ...options.agent },
      ME,
    ));
  await engine.start();
  const events: WorldEvent[] = [];
  engine.runtime.bus.subscribe(worldId, (event) => void events.push(event));
  const show = async (name: string): Promise<McpServer> => (await showMcpServer(engine.runtime, worldId, name)).value;

  const settled = async (chatId: string): Promise<string> => {
    let status: string | undefined;
    await until(async () => {
      status = (await store.read((reader) => reader.chat(chatId)))?.status;
      return status !== 'working';
    }, 'the chat settles');
    return status ?? '';
  };

  return {
    engine,
    worldId,
    agentId: agent.id,
    folder,
    provider,
    events,
    add: async (server) => (await addMcpServer(engine.runtime, worldId, server, ME, MAY_ALL)).value,
    async running(name) {
      await until(
        async () => (await show(name)).status === 'running',
        async () => `${name} runs: ${JSON.stringify(await show(name))}`,
      );
      return await show(name);
    },
    show,
    chat: async () => (await createChat(engine.runtime, worldId)).id,
    async say(content, chatId) {
      const id = chatId ?? (await createChat(engine.runtime, worldId)).id;
      await publishMessage(engine.runtime, { worldId, chatId: id, content, speaker: 'human' });
      await settled(id);
      return id;
    },
    settled,
    pending: () => listApprovals(engine.runtime, worldId, { status: 'pending' }),
    decide: (approval, decision) =>
      decideCall(
        engine.runtime,
        worldId,
        undefined,
        { tool_call_id: approval.approvalId, callHash: approval.callHash, ...decision },
        ME,
      ),
    results: () =>
      (provider.requests.at(-1)?.messages ?? []).flatMap((message) =>
        message.role === 'tool' ? [message.content] : [],
      ),
    close,
  };
}
