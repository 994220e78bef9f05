import { homedir } from 'node:os';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import {
  addAgent,
  addMcpServer,
  createChat,
  createRuntime,
  createWorld,
  publishMessage,
  systemClock,
} from '@countersign/core';
import { defineTool, type Provider } from '@countersign/core/ports';
import { MAY_ALL } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { findSandbox, mcpServers } from '@countersign/tools';
import { z } from 'zod';
import { measure, summarize, type Figures, type Plan } from './measure.js';
import { withFolder } from './ours.js';

export interface McpResult {
  /** One call to `echo` with the SDK's own client and transport. */
  sdk: Figures;
  /** Like `sdk`, but through our tool with a sandboxed server: arguments are validated and secrets in the result masked. */
  tool: Figures;
  /** A whole turn with that call, allowed by a rule and stored: gate, transactions and events. */
  turn: Figures;
  /** The same turn with a tool of our own that does nothing. */
  ownTurn: Figures;
}

const SIGNER = { who: { kind: 'person', id: 'bench', name: 'bench' }, via: 'bench' } as const;
const USAGE = { inputTokens: 1, outputTokens: 1 };
const ECHO = 'mcp__everything__echo';
const OWN = 'own_echo';

/** The parts of the SDK used here; the tools package depends on it. */
interface Sdk {
  Client: new (info: { name: string; version: string }) => {
    connect(transport: unknown): Promise<void>;
    callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
    close(): Promise<void>;
  };
  StdioClientTransport: new (server: { command: string; args: string[]; stderr: 'ignore' }) => unknown;
}

/** The cost of a call to an MCP server compared with the bare SDK. */
export async function mcpSuite(plan: Plan): Promise<McpResult> {
  return await withFolder(async (folder) => {
    const server = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
    const direct = await connectDirectly(server);
    const ours = await openEngine(folder, server);
    try {
      const turns = { warmUp: Math.ceil(plan.warmUp / 10), rounds: plan.rounds, perRound: 2 };
      const figures = await measure(
        [
          {
            name: 'sdk',
            run: async () => void (await direct.callTool({ name: 'echo', arguments: { message: 'ahoy' } })),
          },
          { name: 'tool', run: () => ours.call() },
          { name: 'turn', run: () => ours.turn('mcp') },
          { name: 'ownTurn', run: () => ours.turn('own') },
        ],
        turns,
      );
      const of = (name: string): Figures => figures.get(name) ?? summarize([]);
      return { sdk: of('sdk'), tool: of('tool'), turn: of('turn'), ownTurn: of('ownTurn') };
    } finally {
      await direct.close();
      await ours.close();
    }
  });
}

async function connectDirectly(server: string): Promise<InstanceType<Sdk['Client']>> {
  const tools = createRequire(createRequire(import.meta.url).resolve('@countersign/tools'));
  const load = async (name: string): Promise<Partial<Sdk>> =>
    (await import(pathToFileURL(tools.resolve(name)).href)) as Partial<Sdk>;
  const { Client } = await load('@modelcontextprotocol/client');
  const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
  if (Client === undefined || StdioClientTransport === undefined) throw new Error('unexpected version of the SDK');
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'ignore' }));
  return client;
}

interface OurSide {
  call(): Promise<void>;
  turn(which: 'mcp' | 'own'): Promise<void>;
  close(): Promise<void>;
}

async function openEngine(folder: string, server: string): Promise<OurSide> {
  const store = await openSqlite(`${folder}/mcp.sqlite`, { clock: systemClock, synchronous: 'NORMAL' });
  const show = [server.slice(0, server.indexOf('node_modules'))];
  const engine = createRuntime({
    store,
    clock: systemClock,
    providers: [provider],
    tools: [ownEcho],
    mcp: mcpServers({ sandbox: await findSandbox(), show, clock: systemClock }),
    findPlace: () => ({ workingDirectory: folder, home: homedir() }),
    onError: (error) => {
      throw error;
    },
    onListenerFailure: (error) => {
      throw error;
    },
  });
  const { runtime } = engine;
  const world = await createWorld(runtime, { name: 'Bench', policy: [`allow ${ECHO}`], streaming: false }, SIGNER);
  await addAgent(runtime, world.id, { name: 'Ann', provider: 'bench', model: 'm', tools: ['*'] }, SIGNER);
  await engine.start();
  const args = { name: 'everything', transport: 'stdio' as const, command: process.execPath, args: [server] };
  await addMcpServer(runtime, world.id, args, SIGNER, MAY_ALL);
  await runtime.mcp?.start(world.id, 'everything');
  const chat = await createChat(runtime, world.id);
  const context = {
    worldId: world.id,
    agentId: 'ann',
    chatId: chat.id,
    invocationId: 'call',
    workingDirectory: folder,
    signal: new AbortController().signal,
    output: () => undefined,
  };
  return {
    async call() {
      const tool = runtime.tools(world.id).get(ECHO);
      const checked = tool?.validate({ message: 'ahoy' });
      if (tool === undefined || checked?.ok !== true) throw new Error('the server did not start');
      await tool.execute(checked.value, context);
    },
    async turn(which) {
      const idle = new Promise<void>((resolve) => {
        const end = runtime.bus.subscribe(
          world.id,
          (event) => {
            if (event.event !== 'world' || event.data.type !== 'idle') return;
            end();
            resolve();
          },
          'world',
        );
      });
      await publishMessage(runtime, { worldId: world.id, chatId: chat.id, content: which, speaker: 'human' });
      await idle;
    },
    close: () => engine.close(),
  };
}

const ownEcho = defineTool({
  name: OWN,
  description: 'Says the same.',
  parameters: z.object({ message: z.string() }),
  execute: ({ message }) => `Echo: ${message}`,
});

const provider: Provider = {
  name: 'bench',
  async generate({ messages, purpose }) {
    const last = messages.at(-1);
    if (purpose !== 'answer' || last?.role !== 'user') return { type: 'text', content: 'Done.', usage: USAGE };
    const name = last.content.endsWith('mcp') ? ECHO : OWN;
    const call = { id: 'c', type: 'function' as const, function: { name, arguments: '{"message":"ahoy"}' } };
    return { type: 'tool_calls', content: '', usage: USAGE, tool_calls: [call] };
  },
};
