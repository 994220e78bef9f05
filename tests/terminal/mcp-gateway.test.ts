import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));
let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(async () => await t.close());

const addedSchema = z.object({
  agent: z.string(),
  tokenFile: z.string(),
  config: z.object({
    mcpServers: z.object({ countersign: z.object({ command: z.string(), args: z.array(z.string()) }) }),
  }),
});

interface Message {
  id?: number;
  params?: { message?: string };
  result?: { content?: { text: string }[]; tools?: { name: string }[] };
}

/** The real command, with the configuration that it printed itself. */
function startGateway(words: readonly string[]) {
  const child = spawn(process.execPath, [command, ...words], { env: { ...t.env, COUNTERSIGN_TOKEN: '' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const heard: Message[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line) as Message));
  return {
    child,
    heard,
    send: (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    answer: async (id: number): Promise<Message> =>
      await expect
        .poll(() => heard.find((message) => message.id === id), { timeout: 60_000 })
        .toBeDefined()
        .then(() => heard.find((message) => message.id === id) ?? {}),
  };
}

it('[GATE5] [GATE5.1] [EXT2.6] holds a call of a stdio client while the server restarts, and answers it once', async () => {
  const home = join(t.folder, 'client-home');
  const added = await t.runHere([
    '--home',
    home,
    'mcp-gateway',
    'add',
    'Cursor',
    '-w',
    'docks',
    '--tools',
    'stamp',
    '--json',
  ]);
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const { agent, tokenFile, config } = addedSchema.parse(JSON.parse(added.stdout));
  expect(tokenFile).toBe(join(home, 'gate', `mcp-docks-${agent}.token`));
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);

  const { command: node, args: words } = config.mcpServers.countersign;
  // In this test, the program is the test runner itself.
  const [program = '', ...args] = words;
  expect([node, isAbsolute(program)]).toEqual([process.execPath, true]);
  expect(args).toEqual(expect.arrayContaining(['--url', t.env['COUNTERSIGN_URL']]));
  const gateway = startGateway(args);
  const info = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  gateway.send({ id: 0, method: 'initialize', params: info });
  await gateway.answer(0);
  gateway.send({ method: 'notifications/initialized' });
  gateway.send({ id: 1, method: 'tools/list' });
  expect((await gateway.answer(1)).result?.tools?.map(({ name }) => name)).toEqual(['stamp', 'wait_for_call']);

  const params = { name: 'stamp', arguments: { letter: 'a' }, _meta: { progressToken: 7 } };
  gateway.send({ id: 2, method: 'tools/call', params });
  const waits = (): Message[] =>
    gateway.heard.filter(({ params: told }) => told?.message?.includes('/w/docks/c/') === true);
  await expect.poll(() => waits().length, { timeout: 60_000 }).toBe(1);
  await t.restart();
  await expect.poll(() => waits().length, { timeout: 60_000 }).toBeGreaterThan(1);
  const { items } = await t.client.approvals('docks');
  expect(items).toHaveLength(1);
  for (const approval of items) await t.client.decide('docks', approval, { decision: 'approve' });
  expect((await gateway.answer(2)).result?.content).toEqual([{ type: 'text', text: 'stamped a' }]);
  expect(t.runs).toEqual(['a']);

  gateway.child.stdin.end();
  expect(await once(gateway.child, 'exit')).toEqual([0, null]);
  expect(gateway.heard.filter(({ id }) => id === 2)).toHaveLength(1);
});

it('[GATE5.2] warns about tools that the world doesn’t have, and adds the agent', async () => {
  const words = [
    'mcp-gateway',
    'add',
    'Typo',
    '-w',
    'docks',
    '--tools',
    'stmap,mcp__*',
    '--home',
    join(t.folder, 'typo'),
  ];
  const { code, stderr } = await t.runHere(words);
  expect(code).toBe(0);
  expect(stderr).toContain('no tool named "stmap" in this world. Did you mean "stamp"?');
  expect(stderr).not.toContain('mcp__');
});

it('[GATE5.2] leaves no agent and no token behind if the token can’t be saved', async () => {
  const known = async () => ({
    agents: (await t.client.agents('docks')).items.map(({ id }) => id),
    tokens: await Promise.all((await t.client.people()).items.map(({ id }) => t.client.tokens(id))),
  });
  const before = await known();
  const home = join(t.folder, 'locked');
  mkdirSync(home);
  // A file where a folder is needed: it can't be written by root either.
  writeFileSync(join(home, 'gate'), '');
  const words = ['mcp-gateway', 'add', 'Lost', '-w', 'docks', '--tools', 'stamp', '--home', home];
  const { code, stderr } = await t.runHere(words);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`Could not write ${join(home, 'gate')}`) as string]);
  expect(await known()).toEqual(before);
});

it('[GATE5] says what is wrong and exits, instead of offering nothing', async () => {
  const run = async (words: string[], env: Record<string, string> = {}) =>
    await t.runHere(['mcp-gateway', ...words], { env: { COUNTERSIGN_GATE_TOKEN: '', ...env } });
  expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('-w') as string });
  expect(await run(['-w', 'docks'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--token-file') as string,
  });
  const wrong = { COUNTERSIGN_GATE_TOKEN: 'cs_wrong' };
  expect(await run(['-w', 'docks'], wrong)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('did not prove that it is the server of this token') as string,
  });
  expect(await run(['-w', 'docks'], { ...wrong, COUNTERSIGN_URL: 'http://127.0.0.1:9' })).toMatchObject({
    code: 1,
    stdout: '',
  });
  expect(await run(['-w', 'docks', '--token-file', '/nowhere/token'])).toMatchObject({ code: 2, stdout: '' });
});
