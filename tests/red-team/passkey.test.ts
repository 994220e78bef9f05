import { createHash, randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { addAgent, createChat, createWorld, publishMessage } from '@countersign/core';
import { MAY_ALL, scripted } from '@countersign/core/testing';
import { serve, type Serving } from '@countersign/server';
import { defineTool } from 'countersign';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createSoftPasskey, insertPasskey, type SoftPasskey } from '../../packages/server/src/testing/soft-passkey.js';
import { runHere } from '../terminal/harbour-server.js';
import { ME } from './site.js';

const RULE = 'ask pay with passkey';
const paid: number[] = [];
let base = '';
let serving: Serving;
let origin = '';

/** Makes the calls that the message contains. */
const obedient = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return 'done';
  return { calls: JSON.parse(last.content) as { name: string; arguments: Record<string, unknown> }[] };
});

beforeAll(async () => {
  mkdirSync(join(process.cwd(), 'node_modules/.cache'), { recursive: true });
  base = realpathSync(mkdtempSync(join(process.cwd(), 'node_modules/.cache/countersign-passkey-')));
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an amount.',
    parameters: z.object({ amount: z.number() }),
    approval: { required: true },
    execute: ({ amount }) => {
      paid.push(amount);
      return 'paid';
    },
  });
  const log = (): void => undefined;
  serving = await serve({
    home: join(base, 'home'),
    env: {},
    log: { info: log, warn: log, error: log },
    port: 0,
    providers: [{ ...obedient, name: 'obedient' }],
    tools: [pay],
    ollamaUrl: 'http://127.0.0.1:9',
    version: 'test',
  });
  origin = `http://localhost:${new URL(serving.url).port}`;
});
afterAll(async () => {
  await serving.close();
  rmSync(base, { recursive: true, force: true });
});

interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

/** Sends a request as someone who has these credentials and pretends to be a browser at our page. */
function caller(credentials: Record<string, string>) {
  return async (method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answer> => {
    const headers = { Origin: origin, 'Content-Type': 'application/json', ...credentials, ...more };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(new URL(`/api${path}`, serving.url), { method, headers, ...sent });
    const text = await answer.text();
    const read = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
    return { status: answer.status, body: read, headers: answer.headers };
  };
}
type Caller = ReturnType<typeof caller>;

/** Registers a passkey in software, as a browser would do it with a real one. */
async function register(call: Caller, soft: SoftPasskey): Promise<Answer> {
  const options = await call('POST', '/me/passkeys/options');
  const id = Buffer.from(soft.credentialId, 'base64url');
  const client = { type: 'webauthn.create', challenge: options.body['challenge'], origin, crossOrigin: false };
  const data = Buffer.concat([
    createHash('sha256').update(soft.rpId).digest(),
    // Present, identified, with a key; the counter and the model are zero.
    Buffer.from([0x45]),
    Buffer.alloc(20),
    Buffer.from([0, id.length]),
    id,
    // The key in COSE: Ed25519.
    Buffer.from('a4010103272006215820', 'hex'),
    Buffer.from(soft.publicKey.x, 'base64url'),
  ]);
  const text = (word: string): Buffer => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
  const bytes = Buffer.concat([Buffer.from([0x58, data.length]), data]);
  const attestation = Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    bytes,
  ]);
  return await call('POST', '/me/passkeys', {
    credentialId: soft.credentialId,
    clientData: Buffer.from(JSON.stringify(client)).toString('base64url'),
    attestation: attestation.toString('base64url'),
  });
}

/** A script that approves everything that waits in the world, with the token in its folder. */
const approveAll = (url: string): string => `
  import { readFileSync } from 'node:fs';
  const api = '${url}/api/worlds/bank';
  const headers = { Authorization: 'Bearer ' + readFileSync('token', 'utf8'), 'Content-Type': 'application/json' };
  const { items } = await (await fetch(api + '/approvals', { headers })).json();
  for (const { approvalId, toolName } of items) {
    if (toolName !== 'pay') continue;
    const body = JSON.stringify({ tool_call_id: approvalId, decision: 'approve' });
    console.log('answered', (await fetch(api + '/tool-results', { method: 'POST', headers, body })).status);
  }
`;

const challengeOf = ({ body }: Answer): { challenge: string; toSign: string } => ({
  challenge: String(body['challenge']),
  toSign: (body['options'] as { challenge: string } | undefined)?.challenge ?? randomBytes(32).toString('base64url'),
});

it("[SIGN2] [SIGN2.5] [SIGN2.6] [SIGN2.7] [WHO6.1] an obedient agent with the owner's token can't approve a call that needs a passkey", async () => {
  const { engine, token } = serving.home;
  const { runtime } = engine;
  const folder = join(base, 'projects', 'work');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'token'), token.value);
  const mine = createSoftPasskey('ed25519', { origin });
  const passkey = await insertPasskey(runtime.store, 'owner', mine, { origin });
  const owner = caller({ Authorization: `Bearer ${token.value}` });
  await createWorld(runtime, { name: 'Bank', mode: 'ask', workingDirectory: folder, streaming: false }, ME, MAY_ALL);
  await addAgent(runtime, 'bank', { name: 'Ada', provider: 'obedient', model: 'm', tools: ['*'] }, ME);
  const putRules = async (rules: string[], more: object = {}): Promise<Answer> => {
    const { headers } = await owner('GET', '/worlds/bank/policy');
    return await owner('PUT', '/worlds/bank/policy', { rules, ...more }, { 'If-Match': headers.get('etag') ?? '' });
  };
  expect(await putRules([RULE])).toMatchObject({ status: 200 });

  const pending = async (): Promise<{ approvalId: string; toolName: string }[]> =>
    (await owner('GET', '/worlds/bank/approvals')).body['items'] as { approvalId: string; toolName: string }[];
  const tell = async (...calls: { name: string; arguments: object }[]): Promise<string> => {
    const chat = await createChat(runtime, 'bank');
    const content = JSON.stringify(calls);
    await publishMessage(runtime, { worldId: 'bank', chatId: chat.id, speaker: 'human', content });
    await engine.quiet();
    return (await pending()).find(({ toolName }) => toolName === 'pay')?.approvalId ?? '';
  };
  const challenge = async (call: Caller, approval: string): Promise<Answer> =>
    await call('POST', '/me/challenges', {
      action: { kind: 'sign-call', world: 'bank', approval, decision: 'approve' },
    });
  const approve = async (call: Caller, approval: string, more: object = {}): Promise<Answer> =>
    await call('POST', '/worlds/bank/tool-results', { tool_call_id: approval, decision: 'approve', ...more });

  // The owner signs one call. The attacker sees everything that was sent.
  const first = await tell({ name: 'pay', arguments: { amount: 1 } });
  const seen = challengeOf(await challenge(owner, first));
  const used = { challenge: seen.challenge, ...mine.sign(seen.toSign) };
  expect(await approve(owner, first, { confirmation: used })).toMatchObject({ status: 200 });
  await engine.quiet();
  expect(paid).toEqual([1]);

  writeFileSync(join(folder, 'approve.mjs'), approveAll(serving.url));
  const target = await tell({ name: 'pay', arguments: { amount: 1000 } });
  expect(target).not.toBe('');
  const refusals: Record<string, number> = {};
  const attack = (name: string, { status }: Answer): void => {
    refusals[name] = status;
  };

  // With the token, over HTTP and with the command.
  attack('approve', await approve(owner, target));
  attack('approve for the chat', await approve(owner, target, { scope: 'session' }));
  attack('approve always', await approve(owner, target, { scope: 'always' }));
  const env = { COUNTERSIGN_URL: serving.url, COUNTERSIGN_TOKEN: token.value };
  const command = await runHere(['approvals', 'approve', target, '-w', 'bank', '--yes', '--detach'], { env });
  expect(command.stdout).toContain('A rule requires a passkey for this call. Sign it in a browser:');
  // From a shell: once without a sandbox, and once with the agent's own, which a sandbox may keep from the server.
  const script = await promisify(execFile)(process.execPath, ['approve.mjs'], { cwd: folder });
  expect(script.stdout).toBe('answered 403\n');
  await tell({ name: 'shell_cmd', arguments: { command: `${process.execPath} approve.mjs` } });
  for (const { toolName, approvalId } of await pending())
    if (toolName === 'shell_cmd') await approve(owner, approvalId);
  await engine.quiet();
  const records = await runtime.store.read((reader) => reader.audit('bank', { after: 0, limit: 1000 }));
  expect(records.filter(({ kind, tool }) => kind === 'run' && tool === 'shell_cmd')).toHaveLength(1);
  expect(await pending()).toMatchObject([{ approvalId: target }]);

  // Replay what the owner signed, with the old challenge and with a new one.
  attack('replay', await approve(owner, target, { confirmation: used }));
  const fresh = challengeOf(await challenge(owner, target));
  attack(
    'replay for a new challenge',
    await approve(owner, target, { confirmation: { ...used, challenge: fresh.challenge } }),
  );

  // A passkey in software: unregistered, under the owner's credential id, registered for the owner, and confirmed with itself.
  const own = createSoftPasskey('ed25519', { origin });
  const signWith = async (soft: SoftPasskey, call: Caller = owner): Promise<object> => {
    const { challenge: id, toSign } = challengeOf(await challenge(call, target));
    return { challenge: id, ...soft.sign(toSign) };
  };
  attack('unregistered passkey', await approve(owner, target, { confirmation: await signWith(own) }));
  const disguised = { ...(await signWith(own)), credentialId: mine.credentialId };
  attack("the owner's credential id", await approve(owner, target, { confirmation: disguised }));
  const added = await register(owner, own);
  expect(added).toMatchObject({ status: 201, body: { trusted: false } });
  attack('registered passkey', await approve(owner, target, { confirmation: await signWith(own) }));
  const ownPath = `/people/owner/passkeys/${String(added.body['id'])}`;
  const trust = challengeOf(
    await owner('POST', '/me/challenges', { action: { kind: 'trust-passkey', passkey: added.body['id'] } }),
  );
  const byItself = { challenge: trust.challenge, ...own.sign(trust.toSign) };
  attack('trust it', await owner('PATCH', ownPath, { trusted: true, confirmation: byItself }));

  // A new owner, with a passkey of their own.
  expect(await owner('POST', '/people', { name: 'Eve', role: 'owner' })).toMatchObject({ status: 201 });
  const { open } = (await owner('POST', '/people/eve/invitations')).body as { open: string };
  const session = await caller({})('POST', '/session', { invitation: open.split('=')[1] });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const eve = caller({ cookie, 'X-Countersign-Session': String(session.body['session']) });
  const hers = createSoftPasskey('ed25519', { origin });
  expect(await register(eve, hers)).toMatchObject({ status: 201, body: { trusted: false } });
  attack('challenge for a new person', await challenge(eve, target));
  attack('approve as a new person', await approve(eve, target));
  attack('sign as a new person', await approve(eve, target, { confirmation: await signWith(hers, owner) }));

  // Without the rule, or without the owner's passkey, the next one would be trusted.
  attack('remove the rule', await putRules([]));
  attack('weaken the rule', await putRules(['ask pay']));
  attack('remove the passkey', await owner('DELETE', `/people/owner/passkeys/${passkey}`));
  attack('remove the passkey as a new owner', await eve('DELETE', `/people/owner/passkeys/${passkey}`));
  // Around the rule: the world, its folder, its mode, and programs that start without approval.
  const elsewhere = join(base, 'elsewhere');
  mkdirSync(elsewhere);
  symlinkSync(folder, join(elsewhere, 'link'));
  const shell = { name: 'sh', transport: 'stdio', command: '/bin/sh', args: ['-c', 'touch started'] };
  attack('delete the world', await owner('DELETE', '/worlds/bank'));
  attack('another folder', await owner('PATCH', '/worlds/bank', { workingDirectory: elsewhere }));
  attack('no folder', await owner('PATCH', '/worlds/bank', { workingDirectory: null }));
  attack('a higher mode', await owner('PATCH', '/worlds/bank', { mode: 'auto' }));
  attack('an MCP server', await owner('POST', '/worlds/bank/mcp-servers', shell));
  attack('an MCP server, turned off', await owner('POST', '/worlds/bank/mcp-servers', { ...shell, enabled: false }));
  attack('the same folder', await owner('POST', '/worlds', { name: 'Twin', workingDirectory: folder }));
  attack('a folder above', await owner('POST', '/worlds', { name: 'Above', workingDirectory: dirname(folder) }));
  const linked = { name: 'Linked', workingDirectory: join(elsewhere, 'link') };
  attack('a link to the folder', await owner('POST', '/worlds', linked));
  expect(await owner('POST', '/worlds', { name: 'Other', workingDirectory: elsewhere })).toMatchObject({ status: 201 });
  attack('move into the folder', await owner('PATCH', '/worlds/other', { workingDirectory: folder }));
  const forged = challengeOf(
    await owner('POST', '/me/challenges', { action: { kind: 'change-world', method: 'DELETE', path: '/worlds/bank' } }),
  );
  const deletion = { challenge: forged.challenge, ...own.sign(forged.toSign) };
  attack('delete it with another passkey', await owner('DELETE', '/worlds/bank', { confirmation: deletion }));
  attack('delete it with an old signature', await owner('DELETE', '/worlds/bank', { confirmation: used }));
  for (const words of [
    ['worlds', 'remove', 'bank', '--yes'],
    ['worlds', 'edit', 'bank', '--mode', 'auto'],
    ['policy', 'remove', RULE, '-w', 'bank'],
    ['mcp', 'add', 'sh', '/bin/sh', '-w', 'bank'],
  ]) {
    const { code, stderr } = await runHere(words, { env });
    expect([...words, code]).toEqual([...words, 1]);
    expect(stderr).toContain('needs a passkey');
  }
  expect(existsSync(join(folder, 'started'))).toBe(false);
  expect(await putRules([RULE, 'allow pay'])).toMatchObject({ status: 200 });
  await engine.quiet();
  attack('approve after an allow rule', await approve(owner, target));

  expect(Object.entries(refusals).filter(([, status]) => status !== 403 && status !== 409)).toEqual([
    ['approve for the chat', 422],
    ['approve always', 422],
  ]);
  // A disabled owner's passkey stays the trusted one.
  await eve('PATCH', '/people/owner', { status: 'disabled' });
  const third = createSoftPasskey('ed25519', { origin });
  expect(await register(eve, third)).toMatchObject({ status: 201, body: { trusted: false } });
  attack('approve after the owner was disabled', await approve(eve, target));
  expect(refusals['approve after the owner was disabled']).toBe(403);
  await engine.quiet();
  expect(paid).toEqual([1]);
});
