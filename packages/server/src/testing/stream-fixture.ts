import type { Server } from 'node:http';
import { promisify } from 'node:util';
import { createAdaptorServer } from '@hono/node-server';
import { addAgent, createChat, createRuntime, createWorld, publishMessage, type Engine } from '@countersign/core';
import type { Tool } from '@countersign/core/ports';
import { createFakeClock, scripted, type FakeClock, type Script } from '@countersign/core/testing';
import type { NewClient, Signer } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { Hono } from 'hono';
import type { Env } from '../app/context.js';
import { listenOn } from '../serve/listen-on.js';
import { streamEvents } from '../streams/stream-events.js';
import { openStream, type OpenStream } from './open-stream.js';
import type { Sent } from './send.js';

export const TESTER: Signer = { who: { kind: 'person', id: 'token', name: 'token' }, via: 'test' };

/** A world with one agent, whose streams can be read over HTTP. */
export interface StreamFixture {
  engine: Engine;
  clock: FakeClock;
  worldId: string;
  chatId: string;
  reported: readonly string[];
  url: string;
  /** Number of open connections. */
  connections: () => Promise<number>;
  say: (content: string, chatId?: string) => Promise<void>;
  /** Opens a stream, by default for the fixture's chat. `query`: query parameters. */
  stream: (query?: Record<string, string>, sent?: Sent) => Promise<OpenStream>;
  register: (client: NewClient) => Promise<string>;
  close(): Promise<void>;
}

export async function openStreamFixture(
  script: Script = () => 'ok',
  tools: readonly Tool[] = [],
): Promise<StreamFixture> {
  const clock = createFakeClock();
  const reported: string[] = [];
  const engine = createRuntime({
    store: await openSqlite(':memory:', { clock }),
    clock,
    providers: [scripted(script)],
    tools,
    findPlace: () => ({ workingDirectory: process.cwd(), home: '/' }),
    onListenerFailure: (error) => reported.push(String(error)),
    onError: (error, what) => reported.push(`${what}: ${String(error)}`),
  });
  await engine.start();
  const { id: worldId } = await createWorld(engine.runtime, { name: 'Harbour' }, TESTER);
  await addAgent(engine.runtime, worldId, { name: 'Ada', provider: 'scripted', model: 'any', tools: ['*'] }, TESTER);
  const { id: chatId } = await createChat(engine.runtime, worldId);
  const clients = new Map<string, { id: string; approvals: boolean }>();

  const app = new Hono<Env>();
  app.get('/', async (c) => {
    const { chat, after, until, client, world = worldId } = c.req.query();
    const known = client === undefined ? undefined : clients.get(client);
    return await streamEvents(c, {
      engine,
      watch: undefined,
      worldId: world,
      ...(chat === undefined ? {} : { chatId: chat }),
      ...(after === undefined ? {} : { after: Number(after) }),
      ...(until === undefined ? {} : { untilSettled: true }),
      ...(known === undefined ? {} : { client: known }),
    });
  });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  const url = `http://127.0.0.1:${await listenOn(server, 0, '127.0.0.1')}/`;

  return {
    engine,
    clock,
    worldId,
    chatId,
    reported,
    url,
    connections: () => promisify(server.getConnections.bind(server))(),
    async say(content, chat = chatId) {
      await publishMessage(engine.runtime, { worldId, chatId: chat, speaker: 'human', content });
    },
    stream: (query = { chat: chatId }, sent = {}) =>
      openStream(`${url}?${new URLSearchParams(query).toString()}`, sent),
    async register(client) {
      const { clientId } = await engine.clients.register(worldId, client);
      clients.set(clientId, { id: clientId, approvals: client.approvals });
      return clientId;
    },
    async close() {
      await engine.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
