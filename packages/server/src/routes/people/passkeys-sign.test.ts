import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Approval, Challenge, Confirmable, CreatedToken, PasskeyConfirmation } from '@countersign/protocol';
import { defineTool, type Tool } from '@countersign/core/ports';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { closeApps, until } from '../../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../../testing/harbour.js';
import { ask, pageOf, signInAs } from '../../testing/sign-in.js';
import { createSoftPasskey, insertPasskey, type SoftPasskey } from '../../testing/soft-passkey.js';

afterEach(closeApps);

const RULE = 'ask remove with passkey';

const WORLD = '/worlds/harbour';
type Answer = Promise<{ status: number; body: Record<string, unknown> }>;

interface Bank {
  t: Harbour;
  soft: SoftPasskey;
  passkeyId: string;
  /** Olga's headers: her token, and the origin of her browser. */
  olga: Record<string, string>;
  put(rules: readonly string[], more?: object): Answer;
  confirm(action: Confirmable, parts?: Parameters<SoftPasskey['sign']>[1]): Promise<PasskeyConfirmation>;
  ask(...paths: string[]): Promise<Approval>;
  sign(approval: Approval, parts?: Parameters<SoftPasskey['sign']>[1]): Promise<PasskeyConfirmation>;
  approve(approval: Approval, more?: object): Answer;
}

/** A world in which payments need Olga's passkey. */
async function openBank(
  rules: readonly string[] = [RULE],
  tools: readonly Tool[] = [],
  folder?: string,
): Promise<Bank> {
  const t = await openHarbour({ tools: [...tools], ...(folder === undefined ? {} : { folder }) });
  const origin = pageOf(t);
  // Only Olga can create a token that signs for her (WHO5.1), and only an invitation before her first passkey lets her.
  const session = await signInAs(t, 'owner');
  const soft = createSoftPasskey('ed25519', { origin });
  const passkeyId = await insertPasskey(t.engine.runtime.store, 'owner', soft, { origin });
  const scopes = ['read', 'chat', 'sign', 'admin'];
  const made = await ask<CreatedToken>(t, 'POST', '/people/owner/tokens', session, { name: 'browser', scopes });
  expect(made.status).toBe(201);
  const olga = { Authorization: `Bearer ${made.body.token}`, Origin: origin };
  const put: Bank['put'] = async (rules, more = {}) => {
    const { headers } = await t.api('GET', `${WORLD}/policy`, undefined, olga);
    const match = { ...olga, 'If-Match': headers.get('etag') ?? '' };
    return await t.api('PUT', `${WORLD}/policy`, { rules, ...more }, match);
  };
  expect((await put(rules)).status).toBe(200);
  const confirm: Bank['confirm'] = async (action, parts = {}) => {
    const answer = await t.api<Challenge>('POST', '/me/challenges', { action }, olga);
    expect(answer.status).toBe(201);
    return { challenge: answer.body.challenge, ...soft.sign(answer.body.options.challenge, parts) };
  };
  return {
    t,
    soft,
    passkeyId,
    olga,
    put,
    confirm,
    async ask(...paths) {
      await t.propose(...(paths.length === 0 ? ['a'] : paths).map((path) => ({ name: 'remove', arguments: { path } })));
      const { items } = (await t.api<{ items: Approval[] }>('GET', `${WORLD}/approvals`, undefined, olga)).body;
      const [first] = items;
      if (first === undefined) throw new Error('there is no approval');
      return first;
    },
    sign: async ({ approvalId }, parts) =>
      await confirm({ kind: 'sign-call', world: 'harbour', approval: approvalId, decision: 'approve' }, parts),
    approve: async ({ approvalId }, more = {}) =>
      await t.api('POST', `${WORLD}/tool-results`, { tool_call_id: approvalId, decision: 'approve', ...more }, olga),
  };
}

/** A tool that writes a note, whose effect depends on what the note says. */
function rehearsable() {
  const note = { text: 'old' };
  const applied: string[] = [];
  const hashOf = (text: string): string =>
    createHash('sha256')
      .update(JSON.stringify([note.text, text]))
      .digest('hex');
  const tool = defineTool({
    name: 'put',
    description: 'Writes a note.',
    parameters: z.strictObject({ text: z.string() }),
    approval: { required: true },
    rehearsals: {
      rehearse: async ({ text }) => {
        const effectHash = hashOf(text);
        const files = [{ path: 'note', change: 'changed' as const, kind: 'file' as const, bytes: text.length }];
        const effect = { files, leftOut: [], effectHash, exitCode: 0, output: '', truncated: false };
        return { fingerprint: effectHash, effect };
      },
      drop: async () => undefined,
      list: async () => [],
    },
    execute: ({ text }, { fingerprint }) => {
      if (fingerprint !== hashOf(text)) throw new Error('it would do something else');
      applied.push(text);
      return 'written';
    },
  });
  return { tool, note, applied };
}

const auditOf = async ({ t }: Bank) =>
  await t.engine.runtime.store.read((reader) => reader.audit('harbour', { after: 0, limit: 500 }));

describe('a call that needs a passkey', () => {
  it('[SIGN2.3] [SIGN2.4] runs once it was signed, and the audit record has the receipt', async () => {
    const bank = await openBank();
    const approval = await bank.ask();
    expect(approval).toMatchObject({
      options: ['deny', 'approve_once'],
      needs: [{ passkey: true, may: ['Olga Owner'] }],
    });
    expect(await bank.approve(approval)).toMatchObject({ status: 403 });
    expect(bank.t.runs).toEqual([]);
    const confirmation = await bank.sign(approval);
    expect(await bank.approve(approval, { confirmation })).toMatchObject({ status: 200, body: { kind: 'recorded' } });
    await bank.t.engine.quiet();
    expect(bank.t.runs).toEqual([{ path: 'a' }]);
    const decision = (await auditOf(bank)).find(({ kind }) => kind === 'decision');
    const { signature, credentialId } = confirmation;
    expect(decision?.receipt).toMatchObject({
      signature,
      credentialId,
      rpId: 'localhost',
      publicKey: bank.soft.publicKey,
    });
    const exported = await bank.t.api('GET', '/worlds/harbour/audit?format=jsonl');
    expect(exported.text).toContain(signature);
    expect((await bank.t.api('GET', '/worlds/harbour/audit/verify')).body).toMatchObject({ ok: true });
  });

  it('[SIGN2.3] [EXT3.1] lets an ACP agent run a call once it was signed, and not before', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-acp-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const bank = await openBank(['ask fixture__execute with passkey'], [], folder);
    const { t, olga } = bank;
    const fixture = fileURLToPath(new URL('../../../../countersign/dist/testing/bundle/acp-agent.js', import.meta.url));
    const acp = { command: [process.execPath, fixture], program: 'fixture' };
    const coder = { name: 'Coder', provider: 'acp', model: 'fixture', acp };
    const path = `${WORLD}/agents`;
    expect((await t.api('POST', path, coder, olga)).status).toBe(409);
    const confirmation = await bank.confirm({ kind: 'change-world', method: 'POST', path, body: coder });
    expect((await t.api('POST', path, { ...coder, confirmation }, olga)).status).toBe(201);
    const call = { toolCallId: 'c1', title: 'Run it', kind: 'execute', rawInput: { command: 'true' } };
    const content = `@Coder\n${JSON.stringify([{ ask: [call] }])}`;
    await t.api('POST', `${WORLD}/chats/${t.chat}/messages`, { content }, olga);
    const approval = await until(async () => {
      // The provider waits a little for further requests.
      t.clock.advance(1);
      return (await t.api<{ items: Approval[] }>('GET', `${WORLD}/approvals`, undefined, olga)).body.items[0];
    }, 'the call waits');
    expect(await bank.approve(approval)).toMatchObject({ status: 403 });
    expect(existsSync(join(folder, 'ran.log'))).toBe(false);
    await bank.approve(approval, { confirmation: await bank.sign(approval) });
    await until(async () => {
      t.clock.advance(1);
      return existsSync(join(folder, 'ran.log')) ? true : undefined;
    }, 'the call ran');
    await t.settled();
    expect(readFileSync(join(folder, 'ran.log'), 'utf8')).toBe('c1\n');
  });

  it('[SIGN2.3] [CHANGE6] signs the effect of a rehearsed call: if that changes, the receipt is worth nothing', async () => {
    const made = rehearsable();
    const bank = await openBank(['ask put with passkey'], [made.tool]);
    await bank.t.propose({ name: 'put', arguments: { text: 'new' } });
    const pending = async (): Promise<Approval> => {
      const { items } = (await bank.t.api<{ items: Approval[] }>('GET', `${WORLD}/approvals`, undefined, bank.olga))
        .body;
      const [first] = items;
      if (first === undefined) throw new Error('there is no approval');
      return first;
    };
    const before = await pending();
    const confirmation = await bank.sign(before);
    made.note.text = 'changed by somebody';
    expect((await bank.approve(before, { confirmation })).status).toBe(409);
    await bank.t.engine.quiet();
    expect(made.applied).toEqual([]);
    const after = await pending();
    expect(after.approvalId).not.toBe(before.approvalId);
    expect(after.effect?.effectHash).not.toBe(before.effect?.effectHash);
    expect((await bank.approve(after, { confirmation })).status).toBe(403);
    const receipt = await bank.sign(after);
    expect(await bank.approve(after, { confirmation: receipt })).toMatchObject({ status: 200 });
    await bank.t.engine.quiet();
    expect(made.applied).toEqual(['new']);
    const decision = (await auditOf(bank)).find(({ kind }) => kind === 'decision');
    expect(decision?.receipt).toMatchObject({ signature: receipt.signature });
    const { body } = await bank.t.api('GET', `${WORLD}/audit/verify`);
    expect(body).toMatchObject({ ok: true });
  });

  it('[SIGN2.3] is refused with a confirmation that was used, is for another call, or is not an approval once', async () => {
    const bank = await openBank();
    const first = await bank.ask();
    const used = await bank.sign(first);
    await bank.approve(first, { confirmation: used });
    await bank.t.engine.quiet();
    const second = await bank.ask('b', 'c');
    expect(await bank.approve(second, { confirmation: used })).toMatchObject({ status: 403 });
    const confirmation = await bank.sign(second);
    for (const more of [{ decision: 'deny' }, { scope: 'session' }, { scope: 'always' }, { arguments: { path: 'b' } }])
      expect(await bank.approve(second, { ...more, confirmation })).toMatchObject({
        status: 422,
      });
    const third = (await bank.t.api<{ items: Approval[] }>('GET', `${WORLD}/approvals`)).body.items[1] ?? second;
    expect(third.approvalId).not.toBe(second.approvalId);
    expect(await bank.approve(third, { confirmation })).toMatchObject({ status: 403 });
    expect(bank.t.runs).toHaveLength(1);
    // The refused attempts didn't use the challenge up.
    expect(await bank.approve(second, { confirmation })).toMatchObject({ status: 200 });
  });

  it('[SIGN2.3] is refused if the passkey stops being trusted, and anyone who may sign can deny it without one', async () => {
    const bank = await openBank();
    const approval = await bank.ask();
    const confirmation = await bank.sign(approval);
    const { store } = bank.t.engine.runtime;
    await store.transact('', async (tx) => {
      await tx.lockServerLog();
      await tx.endCredential(bank.passkeyId);
    });
    expect(await bank.approve(approval, { confirmation })).toMatchObject({ status: 403 });
    expect(await bank.approve(approval, { decision: 'deny' })).toMatchObject({ status: 200 });
    await bank.t.engine.quiet();
    expect(bank.t.runs).toEqual([]);
  });
});

describe('a rule that requires a passkey', () => {
  it('[SIGN2.5] can be removed or changed only with a confirmation', async () => {
    const bank = await openBank();
    const put: Bank['put'] = (rules, more) => bank.put(rules, more);
    for (const rules of [
      [],
      ['ask remove'],
      [`# ${RULE}`],
      ['ask remove(path=b) with passkey'],
      ['ask remove by @owner'],
    ])
      expect(await put(rules)).toMatchObject({ status: 409, body: { field: 'confirmation' } });
    expect((await put([RULE, 'allow remove'])).status).toBe(200);
    const approval = await bank.ask();
    expect(await bank.approve(approval)).toMatchObject({ status: 403 });
    const action: Confirmable = {
      kind: 'change-world',
      method: 'PUT',
      path: `${WORLD}/policy`,
      body: { rules: ['allow *'] },
    };
    const confirmation = await bank.confirm(action);
    expect((await put([], { confirmation })).status).toBe(403);
    expect((await put(['allow *'], { confirmation })).status).toBe(200);
  });

  it('[SIGN2.5] of an agent is protected in the same way, and so is its agent', async () => {
    const bank = await openBank(['ask remove']);
    const { t, olga } = bank;
    const path = `${WORLD}/agents/ada`;
    const patch = (body: object) => t.api('PATCH', path, body, olga);
    const confirmed = (method: 'PATCH' | 'DELETE', body: Record<string, unknown> = {}) =>
      bank.confirm({ kind: 'change-world', method, path, body });
    expect((await patch({ policy: [RULE] })).status).toBe(200);
    expect((await patch({ policy: [] })).status).toBe(409);
    expect((await t.api('DELETE', path, undefined, olga)).status).toBe(409);
    expect((await patch({ name: 'Cashier' })).status).toBe(200);
    expect((await patch({ policy: [], confirmation: await confirmed('PATCH', { policy: [] }) })).status).toBe(200);
    expect((await patch({ policy: [RULE] })).status).toBe(200);
    const wrong = await confirmed('PATCH', { policy: [] });
    expect((await t.api('DELETE', path, { confirmation: wrong }, olga)).status).toBe(403);
    expect((await t.api('DELETE', path, { confirmation: await confirmed('DELETE') }, olga)).status).toBe(204);
  });

  it('[SIGN2.6] [SIGN2.7] protects its world: other settings, MCP servers, its folder and the world itself need a confirmation', async () => {
    const bank = await openBank();
    const { t, olga } = bank;
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-bank-')));
    const link = `${folder}-link`;
    onTestFinished(() => [folder, link].forEach((path) => rmSync(path, { recursive: true, force: true })));
    mkdirSync(join(folder, 'inside'));
    symlinkSync(folder, link);
    type Change = [method: 'POST' | 'PATCH' | 'DELETE', path: string, body: Record<string, unknown>, done: number];
    const send = ([method, path, body]: Change, more: object = {}) => t.api(method, path, { ...body, ...more }, olga);
    const program = { name: 'git', transport: 'stdio', command: '/bin/true', env: { KEY: 'secret-value' } };
    const server = `${WORLD}/mcp-servers/git`;
    const changes: Change[] = [
      ['PATCH', WORLD, { workingDirectory: folder }, 200],
      ['PATCH', WORLD, { mode: 'auto' }, 200],
      ['POST', `${WORLD}/mcp-servers`, program, 201],
      ['POST', `${WORLD}/mcp-servers`, { name: 'shop', transport: 'http', url: 'http://127.0.0.1:9/' }, 201],
      ['POST', `${WORLD}/agents`, { name: 'Coder', provider: 'acp', model: 'x', acp: { command: ['/bin/true'] } }, 201],
      ['PATCH', `${WORLD}/agents/coder`, { acp: { command: ['/bin/false'] } }, 200],
      ['PATCH', server, { args: ['--all'], env: {} }, 200],
      ['PATCH', server, { network: true }, 200],
      ['PATCH', server, { trusted: true }, 200],
      ['POST', '/worlds', { name: 'Same', workingDirectory: folder }, 201],
      ['POST', '/worlds', { name: 'Linked', workingDirectory: link }, 201],
      ['POST', '/worlds', { name: 'Inside', workingDirectory: join(folder, 'inside') }, 201],
      ['DELETE', WORLD, {}, 204],
    ];
    let earlier: PasskeyConfirmation | undefined;
    for (const change of changes) {
      const [method, path, body, done] = change;
      expect(await send(change)).toMatchObject({ status: 409, body: { field: 'confirmation' } });
      const confirmation = await bank.confirm({ kind: 'change-world', method, path, body });
      // A confirmation is for exactly this request.
      expect(await send(change, { confirmation: earlier })).toMatchObject({
        status: earlier === undefined ? 409 : 403,
      });
      expect((await send(change, { confirmation })).status).toBe(done);
      earlier = await bank.confirm({ kind: 'change-world', method, path, body });
      if (path !== server || body['trusted'] !== true) continue;
      // Turning a server off is always safe, and turning it on is not.
      const [off, on]: Change[] = [
        ['PATCH', server, { enabled: false }, 200],
        ['PATCH', server, { enabled: true }, 200],
      ];
      expect((await send(off as Change)).status).toBe(200);
      expect((await send(on as Change)).status).toBe(409);
      // What weakens nothing needs none.
      for (const body of [{ name: 'Yard' }, { mode: 'read' }, { streaming: false }])
        expect((await t.api('PATCH', WORLD, body, olga)).status).toBe(200);
    }
    // Challenges contain no secrets of what they confirm.
    const rows = await t.engine.runtime.store.read((reader) => reader.credentials('owner', 'challenge'));
    expect(JSON.stringify(rows)).not.toContain('secret-value');
    // Without the rule, nothing needs a confirmation.
    expect((await t.api('POST', '/worlds', { name: 'Free', workingDirectory: folder }, olga)).status).toBe(201);
    expect((await t.api('POST', '/worlds/free/mcp-servers', program, olga)).status).toBe(201);
    expect((await t.api('DELETE', '/worlds/free', undefined, olga)).status).toBe(204);
  });
});
