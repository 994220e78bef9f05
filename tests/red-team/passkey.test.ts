import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addAgent, createChat, createWorld, publishMessage } from '@countersign/core';
import { scripted } from '@countersign/core/testing';
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

const challengeOf = ({ body }: Answer): { challenge: string; toSign: string } => ({
  challenge: String(body['challenge']),
  toSign: (body['options'] as { challenge: string } | undefined)?.challenge ?? randomBytes(32).toString('base64url'),
});

it("[A49] [A49.5] [W8.8] an obedient agent with the owner's token can't approve a call that needs a passkey", async () => {
  const { engine, token } = serving.home;
  const { runtime } = engine;
  const folder = join(base, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'token'), token.value);
  const mine = createSoftPasskey('ed25519', { origin });
  const passkey = await insertPasskey(runtime.store, 'owner', mine, { origin });
  const owner = caller({ Authorization: `Bearer ${token.value}` });
  await createWorld(runtime, { name: 'Bank', mode: 'auto', workingDirectory: folder, streaming: false }, ME);
  await addAgent(runtime, 'bank', { name: 'Ada', provider: 'obedient', model: 'm', tools: ['*'] }, ME);
  const putRules = async (rules: string[], more: object = {}): Promise<Answer> => {
    const { headers } = await owner('GET', '/worlds/bank/policy');
    return await owner('PUT', '/worlds/bank/policy', { rules, ...more }, { 'If-Match': headers.get('etag') ?? '' });
  };
  expect(await putRules([RULE])).toMatchObject({ status: 200 });

  const tell = async (...calls: { name: string; arguments: object }[]): Promise<string> => {
    const chat = await createChat(runtime, 'bank');
    const content = JSON.stringify(calls);
    await publishMessage(runtime, { worldId: 'bank', chatId: chat.id, speaker: 'human', content });
    await engine.quiet();
    const { items } = (await owner('GET', '/worlds/bank/approvals')).body as {
      items: { approvalId: string; toolName: string }[];
    };
    return items.find(({ toolName }) => toolName === 'pay')?.approvalId ?? '';
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

  const approveByShell = `curl -sS -X POST -H "Authorization: Bearer $(cat token)" -H 'Content-Type: application/json' -d '{"tool_call_id":"x","decision":"approve"}' ${serving.url}/api/worlds/bank/tool-results`;
  const target = await tell(
    { name: 'pay', arguments: { amount: 1000 } },
    { name: 'shell_cmd', arguments: { command: approveByShell } },
  );
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
  const command = await runHere(['approvals', 'approve', target, '-w', 'bank', '--detach'], { env });
  expect(command.stdout + command.stderr).toContain('passkey');

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
