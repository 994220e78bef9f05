import { auditEntrySchema, CLIENT_HEADER } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';

afterEach(closeApps);

interface Hits {
  items: { messageId: string; excerpt: string; sender: string; chatId: string; chatTitle: string }[];
  next?: string;
}

describe('search', () => {
  const find = async (t: Awaited<ReturnType<typeof openHarbour>>, q: string, more = ''): Promise<Hits> =>
    (await t.api<Hits>('GET', `/worlds/harbour/search?q=${encodeURIComponent(q)}${more}`)).body;

  it('[HTTP6.2] finds messages of people and agents, newest first, ignoring case and accents', async () => {
    const t = await openHarbour({ script: () => 'The café is shut.' });
    await t.say('Where is the RED boat?');
    await t.say('And the boathouse');
    expect((await find(t, 'cafe')).items.map(({ sender }) => sender)).toEqual(['ada', 'ada']);
    expect((await find(t, 'red BOAT')).items).toMatchObject([
      { sender: 'human', who: { id: 'token' }, chatId: t.chat, excerpt: 'Where is the RED boat?' },
    ]);
    expect((await find(t, 'boat')).items.map(({ excerpt }) => excerpt)).toEqual([
      'And the boathouse',
      'Where is the RED boat?',
    ]);
    await t.say('A third boat');
    expect((await find(t, 'boat')).items).toHaveLength(3);
    const first = await find(t, 'boat', '&limit=2');
    expect(first.items).toHaveLength(2);
    const rest = await find(t, 'boat', `&limit=2&after=${first.next}`);
    expect(rest.items.map(({ excerpt }) => excerpt)).toEqual(['Where is the RED boat?']);
    expect(rest.next).toBeUndefined();
  });

  it('[HTTP6.2] treats every query as plain words, never as database syntax', async () => {
    const t = await openHarbour();
    await t.say('drop the anchor');
    for (const q of [
      '"anchor',
      'anchor" OR "1',
      'anchor*',
      'content:anchor',
      'NEAR(anchor the, 2)',
      "anchor'); drop table messages; --",
      "anchor' & !x | (",
      'anchor^2 -the +drop',
      '{anchor}:',
      '‮anchor',
    ]) {
      const { status } = await t.api('GET', `/worlds/harbour/search?q=${encodeURIComponent(q)}`);
      expect(status).toBe(200);
    }
    expect((await find(t, '"drop" -- anchor*')).items).toHaveLength(1);
    for (const q of ['', ' ', '"', '***', '%00']) {
      const answer = await t.api('GET', `/worlds/harbour/search?q=${q.includes('%') ? q : encodeURIComponent(q)}`);
      expect([400, 422]).toContain(answer.status);
    }
  });

  it('[SAFE6] never finds or shows masked text', async () => {
    const t = await openHarbour();
    await t.say('my key is sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA and the boat is red');
    const hits = (await find(t, 'boat')).items;
    expect(hits).toHaveLength(1);
    expect(JSON.stringify(hits)).not.toContain('AAAAAAA');
    for (const q of ['AAAAAAAAAAAAAAAAAAAAAAAA', 'AAAAA', 'api03']) expect((await find(t, q)).items).toEqual([]);
  });

  it('[HTTP6.2] finds calls, but no results, decisions or secrets, and nothing in deleted chats', async () => {
    const t = await openHarbour();
    const key = 'sk-ant-api03-BBBBBBBBBBBBBBBBBBBBBBBB';
    await t.propose({ name: 'remove', arguments: { path: 'zebra', key } });
    const [question] = await t.pending();
    await t.api('POST', '/worlds/harbour/tool-results', {
      tool_call_id: question?.approvalId,
      decision: 'deny',
      reason: 'walrus',
    });
    await t.settled();
    expect((await find(t, 'walrus')).items).toEqual([]);
    // JSON that a person wrote is still a message.
    const hits = (await find(t, 'zebra')).items;
    expect(hits.map(({ sender }) => sender)).toEqual(['ada', 'human']);
    expect(hits[0]?.excerpt).toMatch(/remove \{.*"path":"zebra"/);
    expect(JSON.stringify(hits)).not.toContain('BBBBBB');
    for (const q of ['BBBBBBBBBBBBBBBBBBBBBBBB', 'api03']) expect((await find(t, q)).items).toEqual([]);
    await t.api('DELETE', `/worlds/harbour/chats/${t.chat}`);
    expect((await find(t, 'zebra')).items).toEqual([]);
  });

  it('[STORE2] [HTTP6.2] excerpts long messages and finds words in many scripts', async () => {
    const t = await openHarbour();
    await t.say(`${'x '.repeat(20_000)} needle 漢字です ${'y '.repeat(20_000)}`);
    const [hit] = (await find(t, 'needle')).items;
    expect(hit?.excerpt).toMatch(/^….*needle 漢字です.*…$/);
    expect(hit?.excerpt.length).toBeLessThan(250);
    expect((await find(t, '漢字')).items).toHaveLength(1);
  });
});

describe('the audit log', () => {
  interface Entries {
    items: { seq: number; kind: string; hash: string; previousHash: string }[];
    next?: string;
  }

  it('[LOG1] [HTTP13.2] is returned in pages, or whole as JSON Lines or CSV', async () => {
    const t = await openHarbour();
    await t.propose({ name: 'remove', arguments: { path: '=1+1', note: 'a "b", c\nd' } });
    const all = (await t.api<Entries>('GET', '/worlds/harbour/audit')).body;
    expect(all.items.map(({ kind }) => kind)).toEqual(['policy', 'request']);
    const first = (await t.api<Entries>('GET', '/worlds/harbour/audit?limit=1')).body;
    const second = (await t.api<Entries>('GET', `/worlds/harbour/audit?limit=1&after=${first.next}`)).body;
    expect([...first.items, ...second.items]).toEqual(all.items);
    expect(second.next).toBeUndefined();
    const lines = (await t.api('GET', '/worlds/harbour/audit?format=jsonl')).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(all.items);
    const csv = await t.api('GET', '/worlds/harbour/audit?format=csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const [columns = ''] = csv.text.split('\r\n');
    expect(columns).toMatch(/^seq,at,worldId,kind,/);
    const fields = Object.keys(auditEntrySchema.shape).filter((field) => !['original', 'judged'].includes(field));
    expect(columns.split(',').sort()).toEqual(fields.sort());
    expect(csv.text.match(/\r\n/g)).toHaveLength(3);
  });

  it('[LOG1.6] lists the records of one person, including in pages and exports', async () => {
    const t = await openHarbour();
    const path = '/worlds/harbour/audit?who=token';
    for (const decision of ['deny', 'approve']) {
      await t.propose({ name: 'remove', arguments: { path: decision } });
      const [question] = await t.pending();
      await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: question?.approvalId, decision });
    }
    const { items } = (await t.api<Entries>('GET', path)).body;
    expect(items).toMatchObject([
      { kind: 'policy', decision: 'agent added' },
      { kind: 'decision', decision: 'deny', who: { kind: 'token', id: 'token' } },
      { kind: 'decision', decision: 'approve' },
    ]);
    const first = (await t.api<Entries>('GET', `${path}&limit=2`)).body;
    const second = (await t.api<Entries>('GET', `${path}&limit=2&after=${first.next}`)).body;
    expect([...first.items, ...second.items]).toEqual(items);
    expect(second.next).toBeUndefined();
    const lines = (await t.api('GET', `${path}&format=jsonl`)).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(items);
    expect((await t.api<Entries>('GET', '/worlds/harbour/audit?who=Token')).body.items).toEqual([]);
    const other = { who: { kind: 'person', id: 'bob', name: 'Bob' }, via: 'http' } as const;
    await t.engine.runtime.store.transact('harbour', async (tx) => {
      for (let count = 0; count < 1200; count += 1)
        tx.record({ kind: 'policy', decision: 'tried', why: `${count}`, ...other });
    });
    await t.propose({ name: 'remove', arguments: { path: 'late' } });
    await t.api('POST', '/worlds/harbour/tool-results', {
      tool_call_id: (await t.pending())[0]?.approvalId,
      decision: 'deny',
    });
    const late = (await t.api<Entries>('GET', path)).body;
    expect([late.items.length, late.next]).toEqual([items.length + 1, undefined]);
    const bobs = (await t.api<Entries>('GET', '/worlds/harbour/audit?who=bob&limit=1000')).body;
    expect(bobs.items).toHaveLength(1000);
    const rest = (await t.api<Entries>('GET', `/worlds/harbour/audit?who=bob&limit=1000&after=${bobs.next}`)).body;
    expect([rest.items.length, rest.next]).toEqual([200, undefined]);
    expect((await t.api('GET', '/worlds/harbour/audit?who=')).body).toMatchObject({ field: 'who' });
  });

  it('[LOG1] is safe to open in a spreadsheet', async () => {
    const t = await openHarbour();
    await t.propose({ name: 'remove', arguments: {} });
    const [question] = await t.pending();
    await t.api('POST', '/worlds/harbour/tool-results', {
      tool_call_id: question?.approvalId,
      decision: 'deny',
      reason: '=HYPERLINK("http://x")',
    });
    const { text } = await t.api('GET', '/worlds/harbour/audit?format=csv');
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`);
  });

  describe('the original of a call that ran', () => {
    const SECRET = 'correct-horse-battery';
    const args = { path: 'a\u202e', password: SECRET };
    const original = (t: Harbour, call: string | undefined, headers?: Record<string, string>) =>
      t.api('POST', `/worlds/harbour/audit/${call}/original`, undefined, headers);

    async function ran(): Promise<{ t: Harbour; call: string }> {
      const t = await openHarbour();
      await t.propose({ name: 'remove', arguments: args });
      const [question] = await t.pending();
      await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: question?.approvalId, decision: 'approve' });
      await t.settled();
      expect(t.runs).toEqual([args]);
      return { t, call: question?.toolCallId ?? '' };
    }

    it('[LOG2] [HTTP12.1] [HTTP12.2] is encrypted in the log and revealed on request, and the reveal is recorded', async () => {
      const { t, call } = await ran();
      expect((await t.api('GET', '/worlds/harbour/audit')).text).not.toContain(SECRET);
      const shown = await original(t, call);
      expect(shown).toMatchObject({
        status: 200,
        body: { toolCallId: call, toolName: 'remove', arguments: { path: 'a‹U+202E›', password: SECRET } },
      });
      const { body, text } = await t.api<Entries>('GET', '/worlds/harbour/audit');
      expect(body.items.at(-1)).toMatchObject({
        kind: 'reveal',
        decision: 'original',
        invocationId: call,
        who: { kind: 'token', id: 'token', name: 'token' },
      });
      expect(text).not.toContain(SECRET);
      expect((await t.api('GET', '/worlds/harbour/audit/verify')).body).toMatchObject({ ok: true });
    });

    it('[LOG2] is the record itself if no part of the call is masked', async () => {
      const t = await openHarbour();
      await t.propose({ name: 'remove', arguments: { path: 'a' } });
      const [question] = await t.pending();
      await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: question?.approvalId, decision: 'approve' });
      await t.settled();
      const { body } = await t.api<Entries>('GET', '/worlds/harbour/audit');
      expect(body.items.find(({ kind }) => kind === 'run')).not.toHaveProperty('original');
      expect((await original(t, question?.toolCallId)).body).toMatchObject({ arguments: { path: 'a' } });
    });

    it('[LOG2] survives the deletion of its chat and world', async () => {
      const { t, call } = await ran();
      await t.api('DELETE', `/worlds/harbour/chats/${t.chat}`);
      expect((await original(t, call)).body).toMatchObject({ arguments: { password: SECRET } });
      await t.api('DELETE', '/worlds/harbour');
      expect((await original(t, call)).body).toMatchObject({ arguments: { password: SECRET } });
      expect((await t.api('GET', '/worlds/harbour/audit/verify')).body).toMatchObject({ ok: true });
    });

    it('[LOG2] is not returned for a call that never ran, or to a client that can’t approve calls', async () => {
      const { t, call } = await ran();
      const { body } = await t.api<{ clientSecret: string }>('POST', '/worlds/harbour/clients', {
        label: 'pipe',
        approvals: false,
      });
      expect((await original(t, call, { [CLIENT_HEADER]: body.clientSecret })).status).toBe(403);
      expect((await original(t, 'call_none')).status).toBe(404);
      expect((await t.api('POST', `/worlds/none/audit/${call}/original`)).status).toBe(404);
      await t.propose({ name: 'remove', arguments: args });
      const [waiting] = await t.pending();
      expect((await original(t, waiting?.toolCallId)).status).toBe(404);
    });
  });

  it('[LOG1] is kept when its world is deleted', async () => {
    const t = await openHarbour();
    await t.api('DELETE', '/worlds/harbour');
    const { body } = await t.api<Entries>('GET', '/worlds/harbour/audit');
    expect(body.items.at(-1)).toMatchObject({ decision: 'world deleted', who: { kind: 'token' } });
    expect((await t.api('GET', '/worlds/harbour/audit?after=x')).body).toMatchObject({ field: 'after' });
  });

  it('[LOG1] is streamed completely even if it is larger than a batch', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Harbour', policy: Array.from({ length: 1_234 }, (_, i) => `deny t${i}`) });
    const { text } = await t.api('GET', '/worlds/harbour/audit?format=jsonl');
    expect(text.trimEnd().split('\n')).toHaveLength(1_234);
  });
});

it('[HTTP12] returns statistics of a world', async () => {
  const t = await openHarbour();
  await t.say('hello');
  await t.propose({ name: 'remove', arguments: { path: 'a' } });
  const [question] = await t.pending();
  expect((await t.api('GET', '/worlds/harbour/stats')).body).toMatchObject({
    turns: { answered: 1, waiting: 1 },
    pendingApprovals: 1,
  });
  t.clock.advance(12_345);
  await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: question?.approvalId, decision: 'approve' });
  await t.settled();
  expect((await t.api('GET', '/worlds/harbour/stats')).body).toMatchObject({
    chats: 1,
    messages: 8,
    turns: { answered: 2 },
    tools: [{ tool: 'remove', succeeded: 1, failed: 0, denied: 0, running: { count: 1 } }],
    approvals: [{ tool: 'remove', decision: 'approved', scope: 'once', count: 1 }],
    waiting: { count: 1, median: 12_000, p95: 12_000 },
    pendingApprovals: 0,
    tokens: [{ agentId: 'ada' }],
  });
});

it('[MODEL3.1] returns costs by agent and day, and tokens without a price apart', async () => {
  const usage = { inputTokens: 10, outputTokens: 3 };
  const t = await openHarbour({ script: () => ({ say: 'Aye.', usage }) });
  await t.say('hello');
  Object.assign(t.provider, { price: () => ({ input: 2, output: 10 }) });
  await t.say('again');
  const day = new Date(t.clock.now()).toISOString().slice(0, 10);
  const items = [{ day, agentId: 'ada', inputTokens: 20, outputTokens: 6, microdollars: 50, unpricedTokens: 13 }];
  expect((await t.api('GET', '/worlds/harbour/costs')).body).toEqual({ items });
  expect((await t.api('GET', `/worlds/harbour/costs?chat=${t.chat}`)).body).toEqual({ items });
  const { body } = await t.api<{ items: object[] }>('GET', `/worlds/harbour/chats/${t.chat}/messages`);
  expect(body.items.at(-1)).toMatchObject({ usage: { ...usage, microdollars: 50 } });
  expect((await t.api('GET', '/worlds/harbour/costs?chat=chat_x')).status).toBe(404);
  t.clock.advance(30 * 86_400_000);
  expect((await t.api('GET', '/worlds/harbour/costs')).body).toEqual({ items: [] });
});

it('[MODEL3.1] a turn has no cost if the price was known for only part of it', async () => {
  const usage = { inputTokens: 10, outputTokens: 3 };
  const call = { name: 'remove', arguments: { path: 'a' } };
  const t = await openHarbour({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { say: 'Gone.', usage } : { say: 'Aye.', calls: [call], usage },
  });
  const prices = [{ input: 2, output: 10 }, undefined, undefined, { input: 2, output: 10 }];
  Object.assign(t.provider, { price: () => prices.shift() });
  for (const text of ['priced first', 'priced last']) {
    await t.say(text);
    const [question] = await t.pending();
    await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: question?.approvalId, decision: 'approve' });
    await t.settled();
  }
  expect((await t.api('GET', '/worlds/harbour/costs')).body).toMatchObject({
    items: [{ inputTokens: 40, outputTokens: 12, microdollars: 0, unpricedTokens: 52 }],
  });
});
