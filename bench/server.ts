import { once } from 'node:events';
import { Agent, get, request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createAdaptorServer } from '@hono/node-server';
import { serve, type Serving } from '@countersign/server';
import { Hono } from 'hono';
import { measure, summarize, type Figures, type Plan, type Subject } from './measure.js';
import { withFolder } from './ours.js';
import { createServerModel, GATED, GATED_QUESTION, TEXT_QUESTION, type ServerModel } from './server-model.js';
import { measureReaders, type ReadersResult } from './server-readers.js';
import { measureStarts, type StartsResult } from './server-start.js';

export interface ServerResult {
  /** One request over a keep-alive connection. */
  bareHandler: Figures;
  health: Figures;
  oneWorld: Figures;
  /** From the model to a reader's socket. */
  firstChunk: Figures;
  askVisible: Figures;
  /** From sending the decision to the start of the tool. */
  decisionToTool: Figures;
  readers: ReadersResult;
  starts: StartsResult;
}

export async function serverSuite(plan: Plan, quick: boolean): Promise<ServerResult> {
  const starts = await measureStarts(quick ? 3 : 7);
  return await withFolder(async (folder) => {
    const model = createServerModel();
    const ignore = (): void => undefined;
    const serving = await serve({
      home: join(folder, 'home'),
      env: {},
      port: 0,
      version: 'bench',
      log: { info: ignore, warn: ignore, error: (message, fields) => console.error(message, fields) },
      providers: [model.provider],
      tools: [model.tool],
    });
    try {
      const bench = await createBench(serving);
      const requests = await measureRequests(bench, plan);
      const turns = await measureTurns(bench, model, plan.rounds);
      const readers = await measureReaders(bench, quick ? 10 : 40);
      return { ...requests, ...turns, readers, starts };
    } finally {
      await serving.close();
    }
  });
}

/** A world on the server, and how to send requests to it. */
export interface ServerBench {
  url: string;
  token: string;
  worldPath: string;
  chatPath: string;
  post: (path: string, body: unknown) => Promise<unknown>;
}

async function createBench({ url, home }: Serving): Promise<ServerBench> {
  const agent = new Agent({ keepAlive: true });
  const { value: token } = home.token;
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const asked = request(`${url}/api${path}`, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    asked.end(JSON.stringify(body));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const said = await text(response);
    if ((response.statusCode ?? 500) >= 300) throw new Error(`${path} answered ${response.statusCode}: ${said}`);
    return said === '' ? undefined : (JSON.parse(said) as unknown);
  };
  await post('/worlds', { name: 'bench' });
  const definition = { name: 'Ana', provider: 'bench', model: 'scripted', tools: [GATED] };
  await post('/worlds/bench/agents', definition);
  const chat = (await post('/worlds/bench/chats', { title: 'bench' })) as { id: string };
  return { url, token, worldPath: '/worlds/bench', chatPath: `/worlds/bench/chats/${chat.id}`, post };
}

/** The overhead of the guard, the credential check, schemas and a read, compared with a handler that returns the same response without them. */
async function measureRequests(
  { url, token, worldPath }: ServerBench,
  plan: Plan,
): Promise<Pick<ServerResult, 'bareHandler' | 'health' | 'oneWorld'>> {
  const bare = new Hono().get('/', (c) => c.json({ status: 'ok', version: 'bench' }));
  const server = createAdaptorServer({ fetch: bare.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${token}` };
  const ask = (name: string, at: string): Subject => ({
    name,
    async run() {
      const [response] = (await once(get(at, { agent, headers }), 'response')) as [IncomingMessage];
      await text(response);
      if (response.statusCode !== 200) throw new Error(`${at} answered ${response.statusCode}`);
    },
  });
  try {
    const taken = await measure(
      [
        ask('bare', `http://127.0.0.1:${port}/`),
        ask('health', `${url}/api/health`),
        ask('world', `${url}/api${worldPath}`),
      ],
      plan,
    );
    const figures = (name: string): Figures => taken.get(name) ?? summarize([]);
    return { bareHandler: figures('bare'), health: figures('health'), oneWorld: figures('world') };
  } finally {
    agent.destroy();
    server.close();
  }
}

/** Turns in one chat, with one reader on its stream. */
async function measureTurns(
  bench: ServerBench,
  model: ServerModel,
  rounds: number,
): Promise<Pick<ServerResult, 'firstChunk' | 'askVisible' | 'decisionToTool'>> {
  const reader = await openReader(bench);
  const times = { firstChunk: [] as number[], askVisible: [] as number[], decisionToTool: [] as number[] };
  const since = (start: bigint, end: bigint): number => Number(end - start) / 1000;
  for (let i = -20; i < rounds; i += 1) {
    const chunk = reader.next('"type":"chunk"');
    const idle = reader.next('"type":"idle"');
    await bench.post(`${bench.chatPath}/messages`, { content: TEXT_QUESTION });
    const firstChunk = since(model.chunkAt(), (await chunk).at);
    await idle;
    const asked = reader.next('TOOL_APPROVAL_REQUESTED');
    const waiting = reader.next('"type":"waiting"');
    await bench.post(`${bench.chatPath}/messages`, { content: GATED_QUESTION });
    const askedAt = await asked;
    await waiting;
    const ended = reader.next('"type":"idle"');
    const id = /"approval_id":"([^"]+)"/.exec(askedAt.text)?.[1];
    const decidedAt = process.hrtime.bigint();
    await bench.post(`${bench.worldPath}/tool-results`, { tool_call_id: id, decision: 'approve', scope: 'once' });
    await ended;
    if (i < 0) continue;
    times.firstChunk.push(firstChunk);
    times.askVisible.push(since(model.askedAt(), askedAt.at));
    times.decisionToTool.push(since(decidedAt, model.ranAt()));
  }
  reader.close();
  return {
    firstChunk: summarize(times.firstChunk),
    askVisible: summarize(times.askVisible),
    decisionToTool: summarize(times.decisionToTool),
  };
}

interface Heard {
  at: bigint;
  text: string;
}

/** One reader's socket, with the arrival times of expected data. */
async function openReader({ url, token, chatPath }: ServerBench) {
  const asked = get(`${url}/api${chatPath}/events`, { agent: false, headers: { authorization: `Bearer ${token}` } });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const waiting = new Set<{ words: string; tell: (heard: Heard) => void }>();
  response.on('data', (bytes: Buffer) => {
    const at = process.hrtime.bigint();
    const said = bytes.toString();
    for (const one of [...waiting]) {
      if (!said.includes(one.words)) continue;
      waiting.delete(one);
      one.tell({ at, text: said });
    }
  });
  return {
    next: (words: string): Promise<Heard> =>
      new Promise((resolve) => {
        waiting.add({ words, tell: resolve });
      }),
    close: () => response.destroy(),
  };
}
