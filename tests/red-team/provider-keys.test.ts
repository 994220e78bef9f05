import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@countersign/client';
import { addAgent, createChat, createWorld, listMessages, publishMessage, exportWorld } from '@countersign/core';
import { MAY_ALL, scripted } from '@countersign/core/testing';
import { serve, type Serving } from '@countersign/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ME } from './site.js';

const KEY = 'sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
let base = '';
let serving: Serving;
let logged = '';

/** Makes the call that the message contains. */
const obedient = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return 'done';
  return { calls: JSON.parse(last.content) as { name: string; arguments: Record<string, unknown> }[] };
});

beforeAll(async () => {
  // Not in a temporary folder, which a sandbox hides anyway.
  mkdirSync(join(process.cwd(), 'node_modules/.cache'), { recursive: true });
  base = realpathSync(mkdtempSync(join(process.cwd(), 'node_modules/.cache/countersign-keys-')));
  const log = (message: string, fields?: object): void => {
    logged += `${message} ${JSON.stringify(fields)}\n`;
  };
  serving = await serve({
    home: join(base, 'home'),
    env: {},
    log: { info: log, warn: log, error: log },
    port: 0,
    providers: [{ ...obedient, name: 'obedient' }],
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'test',
  });
});
afterAll(async () => {
  await serving.close();
  rmSync(base, { recursive: true, force: true });
});

it('[MODEL8] [MODEL8.2] [SAFE1] an obedient agent finds neither a saved key nor the secrets key', async (test) => {
  const { engine, providers, sandbox } = serving.home;
  test.skip(sandbox.kind === 'none', 'needs a sandbox');
  const { runtime } = engine;
  const folder = join(base, 'work');
  mkdirSync(folder);
  await createWorld(runtime, { name: 'Lab', mode: 'auto', workingDirectory: folder, streaming: false }, ME, MAY_ALL);
  await addAgent(runtime, 'lab', { name: 'Ada', provider: 'obedient', model: 'm', tools: ['*'] }, ME);
  await providers.add(runtime, { kind: 'openai', name: 'OpenAI', apiKey: KEY }, ME);
  const file = join(base, 'home-secrets');
  const command = `exec 2>&1; echo "== begin"; ls -la ${base}; cat ${file} ../home-secrets; grep -r sk-proj ${base}; env; cat /proc/*/environ; echo "== end"`;
  const chat = await createChat(runtime, 'lab');
  const calls = [
    { name: 'shell_cmd', arguments: { command } },
    { name: 'read_file', arguments: { path: file } },
    { name: 'shell_cmd', arguments: { command: `printf '%s%s' ${KEY.slice(0, 9)} ${KEY.slice(9)}` } },
  ];
  await publishMessage(runtime, { worldId: 'lab', chatId: chat.id, speaker: 'human', content: JSON.stringify(calls) });
  await engine.quiet();
  const told = JSON.stringify(obedient.requests.at(-1)?.messages.filter(({ role }) => role === 'tool'));
  expect(told).toContain('== end');
  expect(told).not.toContain(KEY);
  expect(runtime.ownSecrets()).toContain(KEY);
  const secretsKey = readFileSync(file, 'utf8').trim();
  expect(secretsKey).toMatch(/^[\w-]{43}$/);
  expect(told).not.toContain(secretsKey);
  const messages = JSON.stringify(await listMessages(runtime, chat.id));
  expect(messages).toContain('== end');
  expect(JSON.stringify(await exportWorld(runtime, 'lab'))).not.toContain(KEY);
  expect(logged).not.toContain(KEY);
});

it('[MODEL8] [MODEL8.2] an obedient agent that prints a key gets it into no file, log, export or event stream', async (test) => {
  const { engine, providers, sandbox } = serving.home;
  test.skip(sandbox.kind === 'none', 'needs a sandbox');
  const { runtime } = engine;
  const folder = join(base, 'printing');
  mkdirSync(folder);
  await createWorld(runtime, { name: 'Press', mode: 'auto', workingDirectory: folder, streaming: false }, ME, MAY_ALL);
  await addAgent(runtime, 'press', { name: 'Ada', provider: 'obedient', model: 'm', tools: ['*'] }, ME);
  // No vendor prefix: it can be detected only by its value.
  const plain = 'qX7vB2nM9kLp4Rt6Wz8sYd3Fg5Hj';
  await providers.add(runtime, { kind: 'vllm', name: 'Box', baseUrl: 'http://127.0.0.1:9', apiKey: plain }, ME);
  const secretsKey = readFileSync(join(base, 'home-secrets'), 'utf8').trim();
  const secrets = [KEY, plain, secretsKey];
  const chat = await createChat(runtime, 'press');

  const client = createClient({ url: serving.url, token: serving.home.token.value });
  const leaving = new AbortController();
  const received: string[] = [];
  const reading = [{}, { chat: chat.id }].map(async (of, index) => {
    received[index] = '';
    for await (const item of client.events('press', { ...of, signal: leaving.signal }))
      received[index] += JSON.stringify(item);
  });
  await expect.poll(() => received.every((text) => text.includes('"open"')), { timeout: 30_000 }).toBe(true);

  const halves = (text: string): string => `'${text.slice(0, 9)}' '${text.slice(9)}'`;
  const print = secrets.map((secret) => `printf 'found %s%s.\\n' ${halves(secret)}`).join('; ');
  const hunt = `env; cat /proc/*/environ /proc/*/cmdline; cat ${base}/home/* ${base}/home-secrets`;
  const calls = [
    { name: 'shell_cmd', arguments: { command: `exec 2>&1; ${print}; echo "== printed"` } },
    { name: 'shell_cmd', arguments: { command: `exec 2>&1; ${hunt}; echo "== hunted"` } },
    ...['home-secrets', 'home/countersign.db', 'home/token'].map((path) => ({
      name: 'read_file',
      arguments: { path: join(base, path) },
    })),
    { name: 'read_file', arguments: { path: '/proc/self/environ' } },
    { name: 'grep', arguments: { pattern: 'sk-proj|qX7v', path: base } },
  ];
  await publishMessage(runtime, {
    worldId: 'press',
    chatId: chat.id,
    speaker: 'human',
    content: JSON.stringify(calls),
  });
  await engine.quiet();
  const told = JSON.stringify(obedient.requests.at(-1)?.messages.filter(({ role }) => role === 'tool'));
  for (const said of ['== printed', '== hunted', 'found ‹masked›.']) expect(told).toContain(said);
  await expect.poll(() => received.every((text) => text.includes('== printed')), { timeout: 30_000 }).toBe(true);
  leaving.abort();
  await Promise.all(reading);

  const files = readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'home-secrets')
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'));
  expect(files.length).toBeGreaterThan(2);
  const everything = {
    told,
    streams: received.join(''),
    files: files.join(''),
    logged,
    exported: await client.exportWorld('press'),
    audit: await client.exportAudit('press', 'jsonl'),
    messages: JSON.stringify(await client.messages('press', chat.id)),
    providers: JSON.stringify(await client.providers()),
  };
  for (const [where, text] of Object.entries(everything))
    for (const secret of secrets) expect(text.includes(secret), `${where} contains ${secret}`).toBe(false);
});
