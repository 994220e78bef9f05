import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, get, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineTool, type Provider, type Tool } from 'countersign';
import { serve, type Serving } from '@countersign/server';
import { z } from 'zod';
import { HOSTILE_BYTES } from './masking.js';
import { withFolder } from './ours.js';

/** The longest time that 5 MB of hostile input blocked the event loop, by entry point. */
export type BlocksResult = Record<Entry, { text: string; ms: number }>;

const ENTRIES = [
  'a page (web_fetch)',
  'arguments (write_file)',
  'a tool result',
  'an answer of a model',
  'a message of a person',
  'an HTTP body',
  'an MCP result',
  'output of a command',
  'an external call',
  'many keys',
  'too many keys',
  'many keys of an external call',
  'many calls',
  'many calls with too many keys',
] as const;
type Entry = (typeof ENTRIES)[number];

const TEXTS = ['a+', '\u202Ea', '; ', 'ls;', '%252B', '"\'', '<div>', '{"a":[', 'token=Ab1Cd2Ef3Gh4Ij5Kl6 '];
const LONGEST_MESSAGE = 1_000_000;
/** Just below the limits for arguments and commands. */
const LONG_ARGUMENTS = 900_000;
const LONGEST_COMMAND = 120_000;
const MAX_VALUES = 4_900;
const MAX_COMMANDS = 1_900;

/** Takes the shortest of several rounds, to exclude other load on the machine, and the longest over all texts. */
export async function blocksSuite(rounds: number): Promise<BlocksResult> {
  return await withFolder(async (folder) => {
    const bench = await openBench(folder);
    try {
      const results: Partial<BlocksResult> = {};
      for (const entry of ENTRIES) {
        let worst = { text: '', ms: 0 };
        for (const unit of TEXTS) {
          const work = await bench.prepare(entry, unit);
          let ms = Number.POSITIVE_INFINITY;
          for (let round = 0; round < rounds; round += 1) ms = Math.min(ms, await longestBlock(work));
          if (ms > worst.ms) worst = { text: unit, ms };
        }
        results[entry] = worst;
      }
      return results as BlocksResult;
    } finally {
      await bench.close();
    }
  });
}

/** The longest time, in milliseconds, during which nothing else could run. */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let last = ownTime();
  let isOver = false;
  const look = (): void => {
    const now = ownTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return longest;
}

const SCHEDULED = `/proc/${process.pid}/task/${process.pid}/schedstat`;
const isLinux = existsSync(SCHEDULED);

/** CPU time of this thread, to exclude other load; wall time where that isn't available. */
function ownTime(): number {
  return isLinux ? Number(readFileSync(SCHEDULED, 'utf8').split(' ')[0]) / 1e6 : performance.now();
}

interface Bench {
  /** Preparation isn't measured, because it is the attacker's work. */
  prepare(entry: Entry, unit: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

async function openBench(folder: string): Promise<Bench> {
  let reply: Awaited<ReturnType<Provider['generate']>> = { type: 'text', content: '', usage: USAGE };
  let result = '';
  let keys = 0;
  const provider: Provider = {
    name: 'hostile',
    generate: ({ messages, purpose }) =>
      Promise.resolve(
        purpose === 'answer' && messages.at(-1)?.role === 'user'
          ? reply
          : { type: 'text', content: 'Done.', usage: USAGE },
      ),
  };
  const flood = defineTool({
    name: 'flood',
    description: 'Gives a long text.',
    parameters: z.object({}),
    execute: () => result,
  });
  const page = await openPage(() => result);
  const work = join(folder, 'work');
  mkdirSync(work);
  const home = join(folder, 'home');
  mkdirSync(home);
  const limits = 'limit external to 100000 calls a minute\nlimit external to 100000 MB an hour\n';
  writeFileSync(join(home, 'admin.rules'), limits);
  const ignore = (): void => undefined;
  const serving = await serve({
    home,
    env: { COUNTERSIGN_WORK: work },
    port: 0,
    version: 'bench',
    log: { info: ignore, warn: ignore, error: ignore },
    providers: [provider],
    tools: [flood, { ...(await webFetchOf(page.port)), definition: PAGE_TOOL }],
    show: [fileURLToPath(new URL('..', import.meta.url))],
    ollamaUrl: 'http://127.0.0.1:9',
  });
  const send = sender(serving);
  const workingDirectory = join(work, 'hostile');
  mkdirSync(workingDirectory);
  const policy = ['allow shell_cmd(cat flood.txt)', 'allow mcp__flood__*'];
  await send('/worlds', JSON.stringify({ name: 'Hostile', workingDirectory, policy, streaming: false }));
  await send('/worlds/hostile/agents', JSON.stringify({ name: 'Ann', provider: 'hostile', model: 'm', tools: ['*'] }));
  const program = { transport: 'stdio', command: process.execPath, args: [MCP_SERVER] };
  await send('/worlds/hostile/mcp-servers', JSON.stringify({ name: 'flood', ...program }));
  await send('/worlds/hostile/external/agents', JSON.stringify({ name: 'Claude', program: 'claude' }));

  /** Sends a message in a new chat and waits until the agent answers or needs approval. One client is listening, as in a browser. */
  async function turn(body: string): Promise<void> {
    const chat = /"id":"([^"]+)"/.exec(await send('/worlds/hostile/chats', '{}'))?.[1] ?? '';
    const path = `/worlds/hostile/chats/${chat}`;
    await send(`${path}/messages`, body, { accept: 'text/event-stream' });
    await send(`${path}/messages`);
    await send(`/worlds/hostile/approvals?chat=${chat}`);
  }

  /** Each round has its own keys, because a call with a known key isn't read again. */
  function proposing(proposals: readonly string[]): () => Promise<void> {
    return async () => {
      for (const text of proposals) {
        keys += 1;
        await send('/worlds/hostile/external/calls', `{"key":"k${keys}",${text.slice(1)}`);
      }
    };
  }

  return {
    async prepare(entry, unit) {
      const text = unit.repeat(HOSTILE_BYTES / unit.length);
      const escaped = Math.ceil((Buffer.byteLength(JSON.stringify(unit)) - 2) / unit.length);
      const call = (name: string, args: unknown, count = 1): void => {
        const made = { id: 'c', type: 'function' as const, function: { name, arguments: JSON.stringify(args) } };
        const calls = Array.from({ length: count }, (_, at) => ({ ...made, id: `c${at}` }));
        reply = { type: 'tool_calls', content: '', tool_calls: calls, usage: USAGE };
      };
      reply = { type: 'text', content: 'Well.', usage: USAGE };
      result = text;
      let body = JSON.stringify({ content: 'go' });
      switch (entry) {
        case 'a page (web_fetch)':
          call(PAGE_TOOL.name, { url: `http://page.example:${page.port}/` });
          break;
        case 'arguments (write_file)':
          call('write_file', { path: 'a.json', content: text });
          break;
        case 'a tool result':
          call('flood', {});
          break;
        case 'an answer of a model':
          reply = { type: 'text', content: text, usage: USAGE };
          break;
        case 'a message of a person':
          body = JSON.stringify({ content: text.slice(0, LONGEST_MESSAGE) });
          break;
        case 'an HTTP body':
          return async () => void (await send('/worlds/hostile/policy/check', text));
        case 'an MCP result':
          call('mcp__flood__flood', { unit, count: Math.floor(HOSTILE_BYTES / Buffer.byteLength(unit)) });
          break;
        case 'output of a command':
          writeFileSync(join(workingDirectory, 'flood.txt'), text);
          call('shell_cmd', { command: 'cat flood.txt' });
          break;
        case 'an external call': {
          const [short, long] = [text.slice(0, LONGEST_COMMAND / escaped), text.slice(0, LONG_ARGUMENTS / escaped)];
          const lines = Array.from({ length: MAX_COMMANDS }, (_, at) => `${unit.slice(0, 3)}${at}`).join('\n');
          const runs = [short, long, lines].map((command) => proposal('Bash', { command }));
          return proposing([...runs, proposal('Write', { file_path: 'a.txt', content: long })]);
        }
        case 'many keys':
          call('write_file', manyKeys(unit, MAX_VALUES));
          break;
        case 'too many keys':
          call('write_file', manyKeys(unit, 60_000));
          break;
        case 'many keys of an external call':
          return proposing([MAX_VALUES, 60_000].map((count) => proposal('Write', manyKeys(unit, count))));
        case 'many calls':
          call('write_file', manyKeys(unit, 70), 64);
          break;
        case 'many calls with too many keys':
          call('write_file', manyKeys(unit, 60_000), 10);
      }
      return () => turn(body);
    },
    async close() {
      page.close();
      await serving.close();
    },
  };
}

function proposal(tool: string, args: unknown): string {
  return JSON.stringify({ agent: 'claude', session: 's', program: 'claude', tool, arguments: args });
}

function manyKeys(unit: string, count: number): Record<string, unknown> {
  const members = Array.from({ length: count }, (_, at) => [`${unit.slice(0, 3)}${at}`, unit.slice(0, 1)] as const);
  return { path: 'a.json', content: 'a', ...Object.fromEntries(members) };
}

const USAGE = { inputTokens: 1, outputTokens: 1 };
const MCP_SERVER = fileURLToPath(new URL('../hostile-mcp.mjs', import.meta.url));
const PAGE_TOOL = {
  name: 'fetch_page',
  description: 'Reads the page.',
  parameters: { type: 'object', properties: { url: { type: 'string' } } },
  location: 'server' as const,
};

/** The real tool, with access to a page on this machine, which it would otherwise refuse. */
async function webFetchOf(port: number): Promise<Tool> {
  const path = new URL('../../packages/tools/dist/web/web-fetch.js', import.meta.url).href;
  const { createWebFetch } = (await import(path)) as { createWebFetch: (network: unknown, limits: unknown) => Tool };
  const resolve = (): Promise<unknown> => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
  return createWebFetch({ resolve, mayConnect: () => port > 0 }, { timeoutMs: 20_000, bodyBytes: 2 * 1024 * 1024 });
}

async function openPage(html: () => string): Promise<{ port: number; close: () => void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(html());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Reads only the start of the response: a browser would handle it in another process. */
function sender({ url, home }: Serving) {
  return async (path: string, body?: string, headers: Record<string, string> = {}): Promise<string> => {
    const options = { headers: { authorization: `Bearer ${home.token.value}`, ...headers } };
    const json = { 'content-type': 'application/json', ...options.headers };
    const asked =
      body === undefined
        ? get(`${url}/api${path}`, options)
        : request(`${url}/api${path}`, { method: 'POST', headers: json }).end(body);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    // Requests that are too large are rejected before they have been sent completely.
    asked.on('error', () => undefined);
    let said = '';
    response.on('data', (bytes: Buffer) => {
      if (said.length < 10_000) said += bytes.toString('latin1', 0, 10_000);
    });
    await once(response, 'end');
    return said;
  };
}
