import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addAgent, createChat, createWorld, listMessages, publishMessage, exportWorld } from '@countersign/core';
import { scripted } from '@countersign/core/testing';
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

it('[P8] [P8.2] [A21] an obedient agent finds neither a saved key nor the secrets key', async (test) => {
  const { engine, providers, sandbox } = serving.home;
  test.skip(sandbox.kind === 'none', 'needs a sandbox');
  const { runtime } = engine;
  const folder = join(base, 'work');
  mkdirSync(folder);
  await createWorld(runtime, { name: 'Lab', mode: 'auto', workingDirectory: folder, streaming: false }, ME);
  await addAgent(runtime, 'lab', { name: 'Ada', provider: 'obedient', model: 'm', tools: ['*'] }, ME);
  await providers.add(runtime, { kind: 'openai', name: 'OpenAI', apiKey: KEY }, ME);
  const file = join(base, 'home-secrets');
  const command = `exec 2>&1; echo "== begin"; ls -la ${base}; cat ${file} ../home-secrets; grep -r sk-proj ${base}; env; cat /proc/*/environ; echo "== end"`;
  const chat = await createChat(runtime, 'lab');
  const calls = [
    { name: 'shell_cmd', arguments: { command } },
    { name: 'read_file', arguments: { path: file } },
    { name: 'shell_cmd', arguments: { command: `echo ${KEY}` } },
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
  // Our own message and call named the key; nothing else does.
  expect(messages).toContain('== end');
  expect(JSON.stringify(await exportWorld(runtime, 'lab'))).not.toContain(KEY);
  expect(logged).not.toContain(KEY);
});
