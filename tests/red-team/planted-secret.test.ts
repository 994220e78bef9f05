import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAgent, createChat, createWorld } from '@countersign/core';
import { defineTool, ProviderError } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { createLog, serve, type Serving } from '@countersign/server';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { ME } from './site.js';

let serving: Serving;
let base = '';
let worldId = '';
let logged = '';
/** The texts of the model and the tools in this run. */
let text = '';
let secret = '';

const letters = Array.from('abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789');
const word = fc.string({ unit: fc.constantFrom(...letters), minLength: 14, maxLength: 20 });
const named = fc.constantFrom<(s: string) => string>(
  (s) => JSON.stringify({ user: 'bob', password: s }),
  (s) => `Authorization: Bearer ${s}`,
  (s) => `https://bob:${s}@host/x`,
  (s) => `login --token ${s} -v`,
  (s) => `API_KEY=${s}`,
  (s) => `client_secret: ${s}`,
  (s) => `mysql -uroot -p${s} db`,
  (s) => `<config><password>${s}</password></config>`,
);
const wrapped = fc.constantFrom<(s: string) => string>(
  String,
  (s) => JSON.stringify(s),
  (s) => JSON.stringify({ body: JSON.stringify({ text: s }) }),
  (s) => `https://host/?q=${encodeURIComponent(s)}`,
  (s) => `printf %s '${s.replaceAll("'", `'\\''`)}'`,
);
const planted = fc.oneof(
  fc.tuple(word, named, wrapped).map(([s, name, wrap]) => ({ secret: `${s}9Z`, text: wrap(name(`${s}9Z`)) })),
  fc
    .tuple(word, wrapped)
    .map(([s, wrap]) => ({ secret: `ghp_${s}0123456789abcdefgh`, text: wrap(`see ghp_${s}0123456789abcdefgh there`) })),
);

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'countersign-secret-')));
  const loose = z.looseObject({});
  const tools = [
    defineTool({
      name: 'send',
      description: 'sends',
      parameters: loose,
      approval: { required: true },
      execute: () => text,
    }),
    defineTool({
      name: 'tell',
      description: 'tells',
      parameters: loose,
      execute: (_, { output }) => {
        for (let at = 0; at < text.length; at += 3) output(text.slice(at, at + 3));
        return { text, deep: [{ lines: [text] }] };
      },
    }),
    defineTool({
      name: 'break',
      description: 'breaks',
      parameters: loose,
      execute: () => {
        throw new Error(text);
      },
    }),
  ];
  const provider = scripted(({ messages, purpose }) => {
    if (purpose === 'title') return text;
    const last = messages.at(-1);
    if (last?.role === 'user' && last.content.startsWith('fail'))
      return { fail: new ProviderError('bad-request', text) };
    if (last?.role !== 'user') return text;
    return {
      say: text,
      calls: [
        { name: 'send', arguments: { note: text, password: secret, deep: { notes: [text] } } },
        { name: 'tell', arguments: { text } },
        { name: 'break', arguments: {} },
        { name: 'nobody', arguments: { text } },
        { name: 'tell', arguments: `{"text": ${JSON.stringify(text)}` },
        { name: 'ask_human', arguments: { question: text, choices: [text.slice(0, 200)] } },
        { name: 'send_message', arguments: { content: text } },
      ],
    };
  });
  serving = await serve({
    home: join(base, 'home'),
    env: {},
    port: 0,
    version: '0.0.0-test',
    log: createLog({ level: 'info', isTerminal: false, now: () => 0, write: (line) => (logged += line) }),
    providers: [provider],
    tools,
  });
  const { runtime } = serving.home.engine;
  const world = await createWorld(runtime, { name: 'Vault', policy: ['allow send_message'] }, ME);
  worldId = world.id;
  await addAgent(runtime, worldId, { name: 'Ada', provider: provider.name, model: 'm', tools: ['*'] }, ME);
  runtime.bus.subscribe(worldId, () => {
    throw new Error(`a listener says ${text}`);
  });
});
afterAll(async () => {
  await serving.close();
  await rm(base, { recursive: true, force: true });
});

async function api(method: string, path: string, body?: unknown): Promise<string> {
  const response = await fetch(`${serving.url}/api/worlds/${worldId}${path}`, {
    method,
    headers: { authorization: `Bearer ${serving.home.token.value}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await response.text();
}

/** The event stream of a chat from its start to the current end of the log. */
async function stream(chatId: string): Promise<string> {
  const last = await serving.home.engine.runtime.store.read((reader) =>
    reader.events(worldId, { after: 0, limit: 100_000, chatId }),
  );
  const end = `id: ${last.at(-1)?.id ?? 0}\n`;
  const stop = new AbortController();
  const response = await fetch(`${serving.url}/api/worlds/${worldId}/chats/${chatId}/events`, {
    headers: { authorization: `Bearer ${serving.home.token.value}`, 'last-event-id': '0', accept: 'text/event-stream' },
    signal: stop.signal,
  });
  let heard = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += chunk;
    if (`${heard}\n`.includes(end) || heard.includes('reset')) break;
  }
  stop.abort();
  return heard;
}

const pending = async (): Promise<{ approvalId: string; question?: unknown }[]> =>
  (JSON.parse(await api('GET', '/approvals?status=pending')) as { items: { approvalId: string; question?: unknown }[] })
    .items;

it('[SAFE6] [LOG1] a planted secret appears in nothing that a client, a log or an audit export shows', async () => {
  const { engine } = serving.home;
  const { runtime } = engine;
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(planted, async (plant) => {
      ({ secret, text } = plant);
      runs += 1;
      const live: string[] = [];
      const stopListening = runtime.bus.subscribe(worldId, (event) => void live.push(JSON.stringify(event)));
      const chat = await createChat(runtime, worldId);
      await api('POST', `/chats/${chat.id}/messages`, { content: `look: ${text}` });
      await engine.quiet();
      const cards = await Promise.all(
        (await pending()).map(({ approvalId }) => api('GET', `/approvals/${approvalId}`)),
      );
      for (const { approvalId, question } of await pending()) {
        const answer = question === undefined ? { decision: 'deny', reason: text } : { content: text };
        await api('POST', '/tool-results', { tool_call_id: approvalId, ...answer });
      }
      await engine.quiet();
      await api('POST', `/chats/${chat.id}/messages`, { content: 'fail now' });
      await engine.quiet();
      expect(cards).toHaveLength(2);
      const shown = await Promise.all([
        api('GET', '/chats'),
        api('GET', `/chats/${chat.id}`),
        api('GET', `/chats/${chat.id}/messages`),
        api('GET', `/agents/ada/memory?chat=${chat.id}`),
        api('GET', '/approvals'),
        api('GET', '/audit?limit=1000'),
        api('GET', '/audit?format=jsonl'),
        api('GET', '/audit?format=csv'),
        api('GET', '/search?q=look'),
        api('GET', '/stats'),
        stream(chat.id),
      ]);
      stopListening();
      const everything = [...cards, ...shown, ...live, logged];
      expect(everything.filter((one) => one.includes(secret))).toEqual([]);
      expect(live.length).toBeGreaterThan(20);
      await api('DELETE', `/chats/${chat.id}`);
    }),
    { numRuns: 8 },
  );
  // Each of these would show it if it were not masked: the log reports the failed listener, the audit log all calls.
  expect(logged).toContain('a listener failed');
  expect(runs).toBeGreaterThanOrEqual(8);
});
