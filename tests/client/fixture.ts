import { createRuntime, systemClock, type Engine } from '@countersign/core';
import { defineTool, type Provider, type Tool } from '@countersign/core/ports';
import { createClient, type Client, type Clock } from '@countersign/client';
import { createApp, createAuth } from '@countersign/server';
import { openSqlite } from '@countersign/storage';
import { getRequestListener } from '@hono/node-server';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { z } from 'zod';
import { createRegistry } from '../../packages/server/src/providers/create-registry.js';
import { temporarySecretsKey } from '../../packages/server/src/providers/secrets-key.js';

const TOKEN = 'a-token-that-only-this-test-knows-0123456789';

/** A server over real HTTP, and a proxy to it that can cut connections at any byte. */
export interface Harbour {
  readonly engine: Engine;
  readonly port: number;
  /** Connects directly to the server. */
  readonly client: Client;
  /** A new client without a registration. */
  newClient(): Client;
  newTicket(): string;
  /** Connects through the proxy. */
  readonly wired: Client;
  /** After how many bytes each of the next connections is cut; later ones stay open. */
  cut(bytes: readonly number[]): void;
  /** Closes every open connection. */
  cutNow(): void;
  close(): Promise<void>;
}

/** Retry delays pass immediately; only the timeout of a dead connection takes its full time. */
const hasty: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, ms >= 30_000 ? ms : 1);
    return () => clearTimeout(timer);
  },
};

export async function openHarbour(
  provider: Provider,
  options: { file?: string; port?: number } = {},
): Promise<Harbour> {
  const store = await openSqlite(options.file ?? ':memory:', { clock: systemClock, synchronous: 'NORMAL' });
  const registry = createRegistry({ store, secrets: temporarySecretsKey(), own: [provider] });
  const engine = createRuntime({
    store,
    clock: systemClock,
    providers: [provider],
    providerSource: registry,
    tools,
    findPlace: () => ({ workingDirectory: '/', home: '/root' }),
    onError: (error) => {
      throw error;
    },
    onListenerFailure: (error) => {
      throw error;
    },
  });
  await engine.start();
  const quiet = (): void => undefined;
  let port = 0;
  const auth = createAuth({
    token: TOKEN,
    tokenHolder: { kind: 'token', id: 'token', name: 'token' },
    store: engine.runtime.store,
    report: (error) => {
      throw error;
    },
    clock: systemClock,
    port: () => port,
    host: '127.0.0.1',
    // The proxy has its own port.
    allowHosts: ['127.0.0.1'],
  });
  const app = createApp({
    engine,
    auth,
    log: { info: quiet, warn: quiet, error: quiet },
    version: '0.0.0-test',
    providers: registry,
  });
  const answer = getRequestListener(app.fetch);
  const server = createServer((request, response) => void answer(request, response));
  port = await listen(server, options.port);
  const wire = createWire(port);
  const wirePort = await listen(wire.server);
  const at = (to: number, options: { clock?: Clock; host?: string } = {}): Client =>
    createClient({
      url: `http://127.0.0.1:${to}`,
      token: TOKEN,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
  return {
    engine,
    port,
    client: at(port, { clock: hasty }),
    newClient: () => at(port, { clock: hasty }),
    newTicket: () => auth.newTicket(),
    wired: at(wirePort, { clock: hasty }),
    cut: (bytes) => wire.cut(bytes),
    cutNow: () => wire.cutNow(),
    async close() {
      wire.cutNow();
      wire.server.close();
      await engine.close();
      server.closeAllConnections();
      server.close();
      await store.close();
    },
  };
}

function createWire(target: number): { server: Server; cut(bytes: readonly number[]): void; cutNow(): void } {
  const open = new Set<Socket>();
  let cuts: number[] = [];
  const server = createTcpServer((near) => {
    const far = connect(target, '127.0.0.1');
    let left = cuts.shift() ?? Infinity;
    const end = (): void => {
      near.destroy();
      far.destroy();
      open.delete(near);
    };
    open.add(near);
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => {
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      if (left > 0) near.write(passed);
      else near.write(passed, end);
    });
  });
  return {
    server,
    cut(bytes) {
      cuts = [...bytes];
    },
    cutNow() {
      for (const socket of open) socket.destroy();
    },
  };
}

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

const parameters = z.object({ what: z.string() });

const tools: readonly Tool[] = [
  defineTool({
    name: 'look',
    description: 'looks, and says what it sees as it looks',
    parameters,
    readOnly: true,
    execute: ({ what }, { output }) => {
      output(`looking at ${what}\n`);
      output('hm\n', 'stderr');
      return { seen: what };
    },
  }),
  defineTool({
    name: 'remove',
    description: 'removes, if a person lets it',
    parameters,
    approval: { required: true },
    execute: ({ what }) => `removed ${what}`,
  }),
  defineTool({
    name: 'fail',
    description: 'fails',
    parameters,
    execute: () => {
      throw new Error('it is stuck');
    },
  }),
  defineTool({
    name: 'linger',
    description: 'runs until it is stopped',
    parameters,
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
      }),
  }),
  defineTool({
    name: 'wonder',
    description: 'asks a person',
    parameters,
    question: ({ what }) => ({ text: `What about ${what}?`, choices: ['keep', 'sell'] }),
    execute: () => {
      throw new Error('is never run');
    },
  }),
];
