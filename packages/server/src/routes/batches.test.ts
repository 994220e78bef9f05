import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SealedBatch, Store, Tool } from '@countersign/core/ports';
import type { Script } from '@countersign/core/testing';
import type { Approval, CallBatch, Challenge } from '@countersign/protocol';
import { openPostgres } from '@countersign/storage';
import { editFile, shellCmd, writeFile } from '@countersign/tools';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../../../tests/support/make-folder.js';
import { createMigratedDatabase } from '../../../../tests/support/postgres-database.js';
import { sharedSandbox } from '../../../../tests/support/shared-sandbox.js';
import { createReceiptCheck } from '../receipts/create-receipt-check.js';
import { closeApps } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';
import { add, ownToken } from '../testing/people.js';
import { ask, pageOf } from '../testing/sign-in.js';
import { createSoftPasskey, insertPasskey } from '../testing/soft-passkey.js';

afterEach(closeApps);

const sandbox = await sharedSandbox();
const sh = (command: string) => ({ name: 'shell_cmd', arguments: { command } });
const put = (path: string, content: string) => ({ name: 'write_file', arguments: { path, content } });

type Answer = Promise<{ status: number; body: Record<string, unknown> }>;

interface Desk {
  readonly t: Harbour;
  readonly folder: string;
  readonly read: (path: string) => string;
  /** Of all waiting calls, as the server's token. */
  readonly review: (ids?: readonly string[]) => Promise<{ status: number; body: CallBatch & Record<string, unknown> }>;
  readonly approve: (batch: Pick<CallBatch, 'id' | 'batchHash'>, more?: object, as?: Record<string, string>) => Answer;
  readonly rules: (...rules: string[]) => Promise<void>;
  readonly audit: () => Promise<Record<string, unknown>[]>;
}

/** A world whose agent runs commands in a sandbox and writes files. */
async function open({
  wrap = (tool) => tool,
  ...more
}: { store?: Store; script?: Script; wrap?: (tool: Tool) => Tool } = {}): Promise<Desk> {
  const folder = await makeFolder();
  onTestFinished(folder.remove);
  const files = { lock: sandbox.kind === 'bubblewrap' ? sandbox.drafting : undefined };
  const tools = [shellCmd({ sandbox }), writeFile(files), editFile(files)].map(wrap);
  const t = await openHarbour({ tools, folder: folder.path, ...more });
  return {
    t,
    folder: folder.path,
    read: (path) => readFileSync(join(folder.path, path), 'utf8'),
    async review(ids) {
      const approvals = ids ?? (await t.pending()).map(({ approvalId }) => approvalId);
      return await t.api('POST', '/worlds/harbour/batches', { approvals });
    },
    approve: ({ id, batchHash }, more = {}, as) =>
      t.api('POST', `/worlds/harbour/batches/${id}/decision`, { decision: 'approve', batchHash, ...more }, as),
    async rules(...rules) {
      const { headers } = await t.api('GET', '/worlds/harbour/policy');
      const match = { 'If-Match': headers.get('etag') ?? '' };
      expect((await t.api('PUT', '/worlds/harbour/policy', { rules }, match)).status).toBe(200);
    },
    audit: async () =>
      (await t.api<{ items: Record<string, unknown>[] }>('GET', '/worlds/harbour/audit?limit=200')).body.items,
  };
}

/** A gate that a test opens. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

/** Batches are sealed like this. */
const sealing =
  (change: (sealed: SealedBatch) => Partial<SealedBatch>) =>
  (tool: Tool): Tool => {
    const { batches } = tool;
    if (batches === undefined) return tool;
    const seal: typeof batches.seal = async (...about) => {
      const sealed = await batches.seal(...about);
      return { ...sealed, ...change(sealed) };
    };
    return { ...tool, batches: { seal } };
  };

/** Without a command, because a sandbox takes half a second. */
const TWO = [put('notes', 'two\n'), put('copy', 'two\n')];

describe.skipIf(sandbox.kind !== 'bubblewrap')('several calls of one chat', () => {
  it('[HTTP8.11] [CHANGE11] [CHANGE11.3] [CHANGE11.6] are rehearsed in one draft, applied as one, and undone as one', async () => {
    const { t, folder, read, review, approve, audit } = await open();
    writeFileSync(join(folder, 'notes'), 'one\n');
    await t.propose(
      sh('echo two >> notes; mkdir made; echo x > made/tmp'),
      put('made/more', 'first'),
      sh('cat made/more > copied; rm made/tmp; echo token=ghp_abcdefghijklmnopqrstuvwxyz0123456789'),
    );
    const { status, body } = await review();
    expect([status, body.calls.length]).toEqual([201, 3]);
    expect(body.calls.map(({ effect }) => effect.files.map(({ path }) => path).sort())).toEqual([
      ['made', 'made/tmp', 'notes'],
      ['made/more'],
      ['copied', 'made/tmp'],
    ]);
    expect(body.calls[2]?.effect.output).toContain('‹masked');
    expect(body.between).toEqual(['made/tmp']);
    expect(body.effect.files.map(({ path }) => path).sort()).toEqual(['copied', 'made', 'made/more', 'notes']);
    expect([read('notes'), readdirSync(folder)]).toEqual(['one\n', ['notes']]);
    // The order in which they run is not the sender's choice.
    const ids = (await t.pending()).map(({ approvalId }) => approvalId);
    expect((await review(ids.toReversed())).body).toEqual(body);

    expect(await approve({ ...body, batchHash: 'ab'.repeat(32) })).toMatchObject({ status: 409 });
    expect(await approve(body)).toMatchObject({ status: 200, body: { kind: 'recorded', state: 'approved' } });
    await t.settled();
    expect(await t.pending()).toEqual([]);
    const applied = [read('notes'), read('made/more'), read('copied'), existsSync(join(folder, 'made/tmp'))];
    expect(applied).toEqual(['one\ntwo\n', 'first', 'first', false]);
    const records = await audit();
    expect(records.filter(({ kind }) => kind === 'decision').map(({ batch }) => batch)).toEqual(Array(3).fill(body.id));
    expect(records.filter(({ kind }) => kind === 'outcome').map(({ decision }) => decision)).toEqual(
      Array(3).fill('succeeded'),
    );
    // A replay finds the same decision, and does nothing.
    expect(await approve(body)).toMatchObject({ status: 200, body: { kind: 'repeated' } });

    const { items } = (await t.api<{ items: { toolCallId: string }[] }>('GET', '/worlds/harbour/undo')).body;
    expect(items).toHaveLength(3);
    const path = `/worlds/harbour/calls/${items[1]?.toolCallId}/undo`;
    const { effectHash } = (await t.api<{ effect: { effectHash: string } }>('GET', path)).body.effect;
    expect((await t.api('POST', path, { effectHash })).status).toBe(200);
    expect([read('notes'), readdirSync(folder)]).toEqual(['one\n', ['notes']]);
    expect((await audit()).filter(({ kind, decision }) => kind === 'undo' && decision === 'done')).toHaveLength(3);
    expect((await t.api('GET', `/worlds/harbour/calls/${items[0]?.toolCallId}/undo`)).body).toEqual({
      state: 'undone',
    });
  });

  it('[CHANGE11.3] on PostgreSQL too', async () => {
    const store = await openPostgres(await createMigratedDatabase());
    const { t, read, review, approve } = await open({ store });
    await t.propose(...TWO);
    const { body } = await review();
    expect(await approve(body)).toMatchObject({ status: 200 });
    await t.settled();
    expect([read('notes'), read('copy')]).toEqual(['two\n', 'two\n']);
  });

  it('[CHANGE11.3] of several agents of the chat, and each gets its own results', async () => {
    const script: Script = ({ messages }) => {
      const at = messages.findLastIndex(({ role, content }) => role === 'user' && content.includes('write'));
      if (messages.slice(at + 1).some(({ role }) => role === 'tool')) return 'done';
      const name = messages[at]?.content.includes('@Bob') === true ? 'bob' : 'ada';
      return { calls: [put(`${name}-1`, name), put(`${name}-2`, name)] };
    };
    const { t, folder, review, approve } = await open({ script });
    await t.api('POST', '/worlds/harbour/agents', { name: 'Bob', provider: 'scripted', model: 'any', tools: ['*'] });
    await t.say('@Ada write');
    await t.say('@Bob write');
    const { body } = await review();
    expect(new Set(body.calls.map(({ agentId }) => agentId)).size).toBe(2);
    expect(await approve(body)).toMatchObject({ status: 200 });
    await expect.poll(() => readdirSync(folder).toSorted()).toEqual(['ada-1', 'ada-2', 'bob-1', 'bob-2']);
    expect(await t.settled()).toBe('idle');
  });

  it('[CHANGE11.4] denying denies all, and a denied batch can’t be approved', async () => {
    const { t, folder, review, approve } = await open();
    await t.propose(...TWO);
    const { body } = await review();
    expect(await approve(body, { decision: 'deny', reason: 'no' })).toMatchObject({
      status: 200,
      body: { state: 'denied' },
    });
    await t.settled();
    expect(await t.pending()).toEqual([]);
    expect((await approve(body)).status).toBe(409);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each<[string, (desk: Desk, approvals: readonly Approval[]) => Promise<void>]>([
    ['the folder changed', async ({ folder }) => writeFileSync(join(folder, 'notes'), 'by somebody else')],
    ['a rule was added', async ({ rules }) => await rules('deny web_fetch')],
    [
      'a call was edited',
      async ({ t }, [first]) => {
        const edited = {
          tool_call_id: first?.approvalId,
          decision: 'approve',
          arguments: { path: 'copy', content: '' },
        };
        expect((await t.api('POST', '/worlds/harbour/tool-results', edited)).status).toBe(409);
      },
    ],
    [
      'a call was denied',
      async ({ t }, [, second]) => {
        const denied = { tool_call_id: second?.approvalId, decision: 'deny' };
        expect((await t.api('POST', '/worlds/harbour/tool-results', denied)).status).toBe(200);
      },
    ],
  ])('[CHANGE11.7] need approval again if %s', async (_, change) => {
    const desk = await open();
    await desk.t.propose(...TWO);
    const { body } = await desk.review();
    await change(desk, (await desk.t.pending()) as unknown as Approval[]);
    const before = readdirSync(desk.folder);
    const refusal = await desk.approve(body);
    expect(refusal.status).toBe(409);
    await desk.t.settled();
    expect(readdirSync(desk.folder)).toEqual(before);
    expect((await desk.audit()).filter(({ kind }) => kind === 'run')).toEqual([]);
    const again = await desk.review();
    expect(again.body.batchHash).not.toBe(body.batchHash);
  });

  it('[CHANGE11.2] stop at the first call that fails, which may be because of what was left out before', async () => {
    const { t, folder, review } = await open();
    await t.propose(
      sh('mkdir .vscode; echo {} > .vscode/tasks.json'),
      sh('cat .vscode/tasks.json'),
      sh('echo never > z'),
    );
    const { status, body } = await review();
    expect([status, body['detail']]).toEqual([
      409,
      'Call 2 (shell_cmd) failed, so the batch ends there: it exited with code 1: cat: .vscode/tasks.json: No such file or directory',
    ]);
    expect([readdirSync(folder), (await t.pending()).length]).toEqual([[], 3]);
  });

  it('[CHANGE11.2] are judged by rules about effects, each and all together', async () => {
    const { t, folder, review, rules } = await open();
    writeFileSync(join(folder, 'old'), '');
    await t.propose(sh('rm old'), sh('echo new > new'));
    await rules('deny shell_cmd removing old');
    const { status, body } = await review();
    expect([status, body['detail']]).toEqual([409, 'A rule denies shell_cmd: deny shell_cmd removing old.']);
  });

  it('[CHANGE11.9] run a call that can’t be rehearsed last, once the others were applied and only if it was approved too', async () => {
    const { t, read, review, approve } = await open();
    await t.propose(...TWO, { name: 'remove', arguments: { path: 'a' } });
    const { body } = await review();
    expect([body.calls.length, body.last?.toolName]).toEqual([2, 'remove']);
    expect((await approve(body)).status).toBe(200);
    await t.settled();
    expect([read('copy'), t.runs, (await t.pending()).length]).toEqual(['two\n', [], 1]);
    const [left] = await t.pending();
    const deny = { tool_call_id: left?.approvalId, decision: 'deny' };
    expect((await t.api('POST', '/worlds/harbour/tool-results', deny)).status).toBe(200);
    await t.settled();

    await t.propose(...TWO, { name: 'remove', arguments: { path: 'b' } });
    const second = (await review()).body;
    expect((await approve(second, { approveLast: true })).status).toBe(200);
    await expect.poll(() => t.runs).toEqual([{ path: 'b' }]);
    expect(read('notes')).toBe('two\n');

    await t.settled();
    await t.propose({ name: 'remove', arguments: { path: 'c' } }, ...TWO);
    expect(await review()).toMatchObject({ status: 409 });
  });

  it('[CHANGE11.8] leave no draft once the chat was deleted, or one of them was denied', async () => {
    const { t, review } = await open();
    const made = (name: string): string[] =>
      sandbox.kind !== 'bubblewrap'
        ? []
        : readdirSync(sandbox.drafting.folder).filter((draft) =>
            existsSync(join(sandbox.drafting.folder, draft, 'upper', name)),
          );
    const [denied, deleted] = [crypto.randomUUID(), crypto.randomUUID()];
    await t.propose(put(denied, 'a secret'), put('copy', ''));
    await review();
    expect(made(denied)).toHaveLength(1);
    const [, second] = await t.pending();
    await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: second?.approvalId, decision: 'deny' });
    await expect.poll(() => made(denied)).toEqual([]);
    await t.api('POST', `/worlds/harbour/chats/${t.chat}/stop`);

    await t.propose(put(deleted, 'a secret'), put('copy', ''));
    await review();
    expect(made(deleted)).toHaveLength(1);
    expect((await t.api('DELETE', `/worlds/harbour/chats/${t.chat}`)).status).toBe(204);
    await expect.poll(() => made(deleted)).toEqual([]);
  });

  it('[CHANGE11.8] stay kept while a colleague reviews many subsets of the same calls', async () => {
    const { t, review, approve } = await open();
    const { id } = await add(t, 'Mallory', 'approver');
    const mallory = await ownToken(t, id, ['read', 'chat', 'sign']);
    await t.propose(...TWO, ...['a', 'b', 'c'].map((name) => put(name, '')));
    const ids = (await t.pending()).map(({ approvalId }) => approvalId);
    const subsets = Array.from({ length: 31 }, (_, bits) => ids.filter((_id, index) => (bits >> index) % 2 === 1));
    const [first = [], ...others] = subsets.filter(({ length }) => length > 1);
    const as = (approvals: readonly string[]) => t.api('POST', '/worlds/harbour/batches', { approvals }, mallory);
    // Also if the colleague was the first who reviewed it.
    expect((await as(first)).status).toBe(201);
    const { body } = await review(first);
    for (const approvals of others.slice(0, 21)) expect((await as(approvals)).status).toBe(201);
    expect((await approve(body)).status).toBe(200);
    await t.settled();
  });

  it('[CHANGE11.3] [HTTP14] run as the first of two people signed them, and the second one changes nothing', async () => {
    const [looks, looking, applying, reached] = [gate(), gate(), gate(), gate()];
    const wrap = sealing((sealed) => ({
      apply: async (...about) => {
        reached.open();
        await applying.opened;
        await sealed.apply(...about);
      },
    }));
    const { t, read, review, approve } = await open({ wrap });
    const { id } = await add(t, 'Bob', 'approver');
    const bob = await ownToken(t, id, ['read', 'chat', 'sign']);
    await t.propose(...TWO);
    const { body } = await review();
    const { process } = t.engine.runtime;
    const resumeUnfinished = process.resumeUnfinished.bind(process);
    // The second person's request has seen that the calls wait, and is about to read them once more.
    const resumeLater: typeof resumeUnfinished = async (of) => {
      Object.assign(process, { resumeUnfinished });
      looks.open();
      await looking.opened;
      await resumeUnfinished(of);
    };
    Object.assign(process, { resumeUnfinished: resumeLater });
    const second = approve(body, {}, bob);
    await looks.opened;
    expect((await approve(body)).status).toBe(200);
    await reached.opened;
    looking.open();
    expect(await second).toMatchObject({ status: 200, body: { kind: 'repeated', state: 'started' } });
    expect(await approve(body, { decision: 'deny' }, bob)).toMatchObject({ status: 409, body: { state: 'started' } });
    applying.open();
    await t.settled();
    expect([read('notes'), read('copy')]).toEqual(['two\n', 'two\n']);
  });

  it('[STORE4.1] change nothing if the process may not act any more once all of them have started', async () => {
    const { t, folder, review, approve } = await open();
    await t.propose(...TWO);
    const { body } = await review();
    const { runtime } = t.engine;
    let started = 0;
    Object.assign(runtime, {
      probe: (point: string) => {
        if (point !== 'before tool-execution') return;
        started += 1;
        if (started === 2) Object.assign(runtime.process, { mayAct: () => false });
      },
    });
    expect((await approve(body)).status).toBe(200);
    await expect.poll(() => started).toBe(2);
    expect(await t.settled()).toBe('idle');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[CHANGE11.2] [CHANGE11.7] name the mode of the world if it is what refuses them', async () => {
    const { t, folder, review, approve } = await open();
    await t.propose(...TWO);
    const { body } = await review();
    expect((await t.api('PATCH', '/worlds/harbour', { mode: 'read' })).status).toBe(200);
    const why = expect.stringContaining('this world is in read mode') as string;
    expect(await approve(body)).toMatchObject({ status: 409, body: { detail: why } });
    expect(await review()).toMatchObject({ status: 409, body: { detail: why } });
    expect([readdirSync(folder), (await t.pending()).length]).toEqual([[], 2]);
  });

  it('[CHANGE11.2] say which rule denies one, with secrets masked', async () => {
    const { t, review, rules } = await open();
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    await t.propose(...TWO, put(secret, ''));
    await rules(`deny write_file(./${secret})`);
    const { status, body } = await review();
    expect([status, body['detail']]).toEqual([
      409,
      expect.stringContaining('A rule denies write_file: deny write_file'),
    ]);
    expect(body['detail']).not.toContain(secret);
  });

  it('[CHANGE11.8] are 2 to 20 of one chat that wait, and nobody else’s', async () => {
    const { t, review } = await open();
    await t.propose(...TWO);
    const ids = (await t.pending()).map(({ approvalId }) => approvalId);
    const [first = ''] = ids;
    expect((await review([first])).status).toBe(422);
    expect((await review([first, first])).status).toBe(422);
    expect((await review(Array.from({ length: 21 }, (_, index) => `approval_${index}`))).status).toBe(422);
    expect((await review([first, 'approval_none'])).status).toBe(404);
    await t.api('POST', '/worlds', { name: 'Other' });
    expect((await t.api('POST', '/worlds/other/batches', { approvals: ids })).status).toBe(404);
    const { body } = await review();
    const path = `/worlds/other/batches/${body.id}/decision`;
    expect((await t.api('POST', path, { decision: 'approve', batchHash: body.batchHash })).status).toBe(404);
  });
});

describe.skipIf(sandbox.kind !== 'bubblewrap')('the signatures of a batch', () => {
  /** Ann asks, and Bob and Carl may sign. */
  async function openSigned(rules: readonly string[], prepare?: (t: Harbour, ids: string[]) => Promise<void>) {
    const desk = await open();
    const { t } = desk;
    const ids = await Promise.all(['Ann', 'Bob', 'Carl'].map(async (name) => (await add(t, name, 'approver')).id));
    const [ann = {}, bob = {}, carl = {}] = await Promise.all(
      ids.map((id) => ownToken(t, id, ['read', 'chat', 'sign'])),
    );
    await t.api('PUT', '/groups/ops', { people: ids });
    await prepare?.(t, ids);
    await desk.rules(...rules);
    await t.api('POST', `/worlds/harbour/chats/${t.chat}/messages`, { content: JSON.stringify(TWO) }, ann);
    await t.settled();
    return { ...desk, ann, bob, carl, ids };
  }

  it('[CHANGE11.10] a requester of one call can’t sign any of them', async () => {
    const desk = await openSigned(['ask write_file by not requester']);
    const { t, ann, bob, read, approve, review } = desk;
    const { body } = await review();
    expect(await approve(body, {}, ann)).toMatchObject({ status: 403 });
    expect(await approve(body)).toMatchObject({ status: 403 });
    expect(await approve(body, {}, bob)).toMatchObject({ status: 200, body: { state: 'approved' } });
    await t.settled();
    expect(read('copy')).toBe('two\n');
  });

  it('[CHANGE11.10] needs all signatures of all calls, and they count for nothing else', async () => {
    const desk = await openSigned(['ask write_file(./copy) by 2 of @ops']);
    const { t, bob, carl, folder, read, approve, review } = desk;
    const { body } = await review();
    expect(body.needs).toMatchObject([{ count: 2, signed: [] }]);
    expect(await approve(body, {}, bob)).toMatchObject({ status: 200, body: { state: 'asked' } });
    expect(readdirSync(folder)).toEqual([]);
    expect((await review()).body.needs).toMatchObject([{ signed: [{ name: 'Bob' }] }]);
    // The signature was for the batch, not for that call alone.
    const copying = (await t.pending())[1];
    const alone = { tool_call_id: copying?.approvalId, decision: 'approve', callHash: copying?.callHash };
    expect(await t.api('POST', '/worlds/harbour/tool-results', alone, carl)).toMatchObject({
      status: 200,
      body: { state: 'asked' },
    });
    expect(await approve(body, {}, bob)).toMatchObject({ status: 200, body: { kind: 'repeated' } });
    expect(await approve(body, {}, carl)).toMatchObject({ status: 200, body: { state: 'approved' } });
    await t.settled();
    expect(read('copy')).toBe('two\n');
    // Nobody undoes alone what several people had to sign.
    const { items } = (await t.api<{ items: { toolCallId: string }[] }>('GET', '/worlds/harbour/undo')).body;
    const states = items.map(
      async ({ toolCallId }) => (await t.api('GET', `/worlds/harbour/calls/${toolCallId}/undo`)).body['state'],
    );
    expect(await Promise.all(states)).toEqual(['needs-signers', 'needs-signers']);
  });

  it('[CHANGE11.11] is one signature of a passkey that covers every call, which the export proves', async () => {
    let origin = '';
    let soft = createSoftPasskey();
    const desk = await openSigned(['ask write_file with passkey'], async (t, [, bob = '']) => {
      origin = pageOf(t);
      soft = createSoftPasskey('ed25519', { origin });
      await insertPasskey(t.engine.runtime.store, bob, soft, { origin });
    });
    const { t, read, review, approve, audit } = desk;
    const session = { ...desk.bob, Origin: origin };
    const { body } = await review();
    const send = (path: string, sent: object) => ask(t, 'POST', path, session, sent);
    const decision = { decision: 'approve', batchHash: body.batchHash };
    const path = `/worlds/harbour/batches/${body.id}/decision`;
    expect((await approve(body)).status).toBe(403);
    expect((await send(path, decision)).status).toBe(403);
    const action = { kind: 'sign-batch', world: 'harbour', batch: body.id, batchHash: body.batchHash };
    const confirm = async () => {
      const { body: made } = await ask<Challenge>(t, 'POST', '/me/challenges', session, { action });
      return { challenge: made.challenge, ...soft.sign(made.options.challenge) };
    };
    const confirmation = await confirm();
    expect(await send(path, { ...decision, confirmation })).toMatchObject({ status: 200, body: { state: 'approved' } });
    expect((await send(path, { ...decision, confirmation })).status).toBe(403);
    await t.settled();
    expect(read('copy')).toBe('two\n');
    const check = createReceiptCheck(undefined);
    const records = (await audit()) as unknown as Parameters<typeof check>[0][];
    expect(records.filter(({ receipt }) => receipt !== undefined)).toHaveLength(2);
    expect(records.map((record) => check(record))).toEqual(records.map(() => undefined));
    const [signed] = records.filter(({ receipt }) => receipt !== undefined);
    const forged = { ...signed, arguments: { command: 'rm -rf *' } } as typeof signed;
    expect(forged === undefined ? '' : createReceiptCheck(undefined)(forged)).toBe('other-call');
  });
});
