import type { Tool } from '@countersign/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, TOKEN } from '../testing/app-fixture.js';
import { openHarbour, removing } from '../testing/harbour.js';
import { openStream } from '../testing/open-stream.js';

afterEach(closeApps);

interface Page {
  items: { messageId: string; content: string }[];
  next?: string;
}

const asStream = { authorization: `Bearer ${TOKEN}`, accept: 'text/event-stream' };

describe('chats', () => {
  it('[HTTP6] [WORLD18] are created with and without a title, renamed, filed and deleted', async () => {
    const t = await openHarbour();
    const made = await t.api('POST', '/worlds/harbour/chats', { title: 'Ropes' });
    expect(made).toMatchObject({ status: 201, body: { title: 'Ropes', status: 'idle' } });
    const path = `/worlds/harbour/chats/${String(made.body['id'])}`;
    const events = await openStream(`${t.url}/api${path}/events`, { headers: asStream });
    expect(await t.api('PATCH', path, { title: '  Knots ' })).toMatchObject({ status: 200, body: { title: 'Knots' } });
    await events.until(({ event, data }) => event === 'crud' && data['operation'] === 'update');
    await events.until(({ event, data }) => event === 'system' && data['message'] === 'Knots');
    expect((await t.api('GET', path)).body).toMatchObject({
      title: 'Knots',
      lastEventId: expect.any(Number) as number,
    });
    for (const filed of ['pinned', 'archived'])
      expect(await t.api('PATCH', path, { filed })).toMatchObject({ status: 200, body: { title: 'Knots', filed } });
    expect((await t.api('GET', path)).body).toMatchObject({ filed: 'archived' });
    expect((await t.api('PATCH', path, { filed: null })).body).not.toHaveProperty('filed');
    for (const body of [{}, { filed: 'lost' }]) expect((await t.api('PATCH', path, body)).status).toBe(422);
    expect(await t.api('PATCH', path, { title: ' ' })).toMatchObject({ status: 422, body: { field: 'title' } });
    expect((await t.api('DELETE', path)).status).toBe(204);
    await events.over;
    expect((await t.api('GET', path)).status).toBe(404);
    expect((await t.api('PATCH', path, { title: 'x' })).status).toBe(404);
    expect((await t.api('GET', '/worlds/harbour/chats?before=end&limit=1')).body).toMatchObject({
      items: [{ id: t.chat }],
    });
  });

  it('[TURN16] [HTTP6.3] send the files of tools: images with their type, anything else only as a download', async () => {
    const t = await openHarbour();
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const html = Buffer.from('<script>alert(1)</script>');
    await t.engine.runtime.store.transact('harbour', async (tx) => {
      const data = png.toString('base64');
      await tx.insertAttachment({ chatId: t.chat, id: 'a'.repeat(64), kind: 'image', mimeType: 'image/png', data });
      const page = { kind: 'file' as const, mimeType: 'text/html', data: html.toString('base64') };
      await tx.insertAttachment({ chatId: t.chat, id: 'b'.repeat(64), ...page });
    });
    const path = `${t.url}/api/worlds/harbour/chats/${t.chat}/attachments`;
    const headers = { authorization: `Bearer ${TOKEN}` };
    const image = await fetch(`${path}/${'a'.repeat(64)}`, { headers });
    expect(Buffer.from(await image.arrayBuffer())).toEqual(png);
    expect(Object.fromEntries(image.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="attachment-aaaaaaaaaaaa.png"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
    });
    const page = await fetch(`${path}/${'b'.repeat(64)}`, { headers });
    expect(Buffer.from(await page.arrayBuffer())).toEqual(html);
    expect(page.headers.get('content-type')).toBe('application/octet-stream');
    expect(page.headers.get('content-disposition')).toBe('attachment; filename="attachment-bbbbbbbbbbbb.bin"');
    expect((await fetch(`${path}/${'c'.repeat(64)}`, { headers })).status).toBe(404);
    expect((await fetch(`${path}/${'a'.repeat(64)}`)).status).toBe(401);
    const other = await t.api('POST', '/worlds/harbour/chats');
    const elsewhere = path.replace(t.chat, String(other.body['id']));
    expect((await fetch(`${elsewhere}/${'a'.repeat(64)}`, { headers })).status).toBe(404);
  });

  it('[WORLD7] a title set by a person is not replaced', async () => {
    const t = await openHarbour({ script: ({ purpose }) => (purpose === 'title' ? 'A title of the model' : 'ok') });
    await t.api('PATCH', `/worlds/harbour/chats/${t.chat}`, { title: 'Mine' });
    await t.say('hello');
    await t.engine.quiet();
    expect((await t.api('GET', `/worlds/harbour/chats/${t.chat}`)).body).toMatchObject({ title: 'Mine' });
  });

  it('[HTTP6.1] [HTTP13.2] store a message once and list messages in pages, forwards and backwards', async () => {
    const t = await openHarbour();
    const path = `/worlds/harbour/chats/${t.chat}/messages`;
    const sent = await t.api('POST', path, { content: 'first', clientMessageId: 'c1' });
    expect(sent.status).toBe(202);
    expect((await t.api('POST', path, { content: 'first', clientMessageId: 'c1' })).body).toEqual(sent.body);
    await t.settled();
    for (const content of ['second', 'third']) await t.say(content);
    const all = (await t.api<Page>('GET', path)).body;
    expect(all.items.map(({ content }) => content)).toEqual(['first', 'ok', 'second', 'ok', 'third', 'ok']);
    expect(all.next).toBeUndefined();
    const words = (page: Page): string[] => page.items.map(({ content }) => content);
    const newest = (await t.api<Page>('GET', `${path}?before=end&limit=4`)).body;
    expect(words(newest)).toEqual(['second', 'ok', 'third', 'ok']);
    const older = (await t.api<Page>('GET', `${path}?before=${newest.next}&limit=4`)).body;
    expect(words(older)).toEqual(['first', 'ok']);
    expect(older.next).toBeUndefined();
    const forwards = (await t.api<Page>('GET', `${path}?limit=3`)).body;
    expect(words((await t.api<Page>('GET', `${path}?after=${forwards.next}`)).body)).toEqual(['ok', 'third', 'ok']);
    expect(await t.api('GET', `${path}?after=a&before=b`)).toMatchObject({ status: 422, body: { field: 'before' } });
    expect(await t.api('GET', `${path}?before=nowhere`)).toMatchObject({ status: 422, body: { field: 'before' } });
  });

  it('[HTTP6.1] [TURN12] stream the answer to a message until the chat is idle', async () => {
    const t = await openHarbour();
    const stream = await openStream(`${t.url}/api/worlds/harbour/chats/${t.chat}/messages`, {
      method: 'POST',
      headers: asStream,
      body: { content: 'hello' },
    });
    expect(await stream.over).toBe(true);
    const messages = stream.frames.filter(({ event }) => event === 'message').map(({ data }) => data['content']);
    expect(messages).toEqual(['hello', 'ok']);
    expect(stream.frames.at(-1)).toMatchObject({ event: 'world', data: { type: 'idle' } });
  });

  it('[WORLD9] [HTTP6.2] can be stopped', async () => {
    const t = await openHarbour({
      script: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        }),
    });
    const path = `/worlds/harbour/chats/${t.chat}`;
    await t.api('POST', `${path}/messages`, { content: 'hello' });
    expect((await t.api('GET', path)).body).toMatchObject({ status: 'working' });
    expect((await t.api('POST', `${path}/stop`)).status).toBe(204);
    expect((await t.api('GET', path)).body).toMatchObject({ status: 'idle' });
  });

  it('[HTTP5.2] [WORLD14] show an agent’s memory', async () => {
    const t = await openHarbour();
    await t.say('@ada hello');
    await t.say('@human hello');
    const memory = (await t.api<Page>('GET', `/worlds/harbour/agents/ada/memory?chat=${t.chat}`)).body;
    expect(memory.items.map(({ content }) => content)).toEqual(['@ada hello', 'ok']);
    expect((await t.api('GET', '/worlds/harbour/agents/ada/memory')).body).toMatchObject({ field: 'chat' });
    expect((await t.api('GET', `/worlds/harbour/agents/bob/memory?chat=${t.chat}`)).status).toBe(404);
    expect((await t.api('GET', '/worlds/harbour/agents/ada/memory?chat=none')).status).toBe(404);
  });

  it('[CALL6] of another world are not found', async () => {
    const t = await openHarbour();
    await t.api('POST', '/worlds', { name: 'Other' });
    const path = `/worlds/other/chats/${t.chat}`;
    for (const [method, more, body] of [
      ['GET', '', undefined],
      ['GET', '/messages', undefined],
      ['GET', '/events', undefined],
      ['POST', '/messages', { content: 'hi' }],
      ['POST', '/stop', undefined],
      ['PATCH', '', { title: 'x' }],
      ['DELETE', '', undefined],
    ] as const) {
      expect((await t.api(method, `${path}${more}`, body)).status).toBe(404);
    }
    expect((await t.api<Page>('GET', `/worlds/harbour/chats/${t.chat}/messages`)).body.items).toEqual([]);
  });

  it('[HTTP6] show the timeline of a turn', async () => {
    const t = await openHarbour();
    await t.propose({ name: 'remove', arguments: { path: 'a' } });
    const [pending] = await t.pending();
    const path = `/worlds/harbour/chats/${t.chat}/turns/${pending?.turnId}/timeline`;
    const waiting = (await t.api<{ spans: { kind: string; endedAt?: string }[] }>('GET', path)).body;
    expect(waiting.spans.map(({ kind }) => kind)).toEqual(['model', 'waiting']);
    expect(waiting.spans[1]).not.toHaveProperty('endedAt');
    await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: pending?.approvalId, decision: 'approve' });
    await t.settled();
    const done = (await t.api('GET', path)).body;
    expect(done).toMatchObject({
      agentId: 'ada',
      endedAt: expect.any(String) as string,
      spans: [
        { kind: 'model', outcome: 'calls' },
        { kind: 'waiting', label: 'remove', outcome: 'approved' },
        { kind: 'tool', label: 'remove', outcome: 'succeeded' },
        { kind: 'model', outcome: 'answer' },
      ],
    });
    expect((await t.api('GET', `/worlds/harbour/chats/${t.chat}/turns/none/timeline`)).status).toBe(404);
  });

  it('[CHANGE6] [HTTP6] a rehearsal is part of the timeline, and its effect part of the approval', async () => {
    const effect = {
      files: [{ path: 'a', change: 'removed', kind: 'file', bytes: 1 }],
      leftOut: [],
      effectHash: 'a'.repeat(64),
      exitCode: 0,
      output: '',
      truncated: false,
    } as const;
    const shown = { ...effect, files: [...effect.files], leftOut: [] };
    const rehearsing: Tool = {
      ...removing().tool,
      definition: { ...removing().tool.definition, name: 'sweep' },
      rehearsals: {
        rehearse: async () => ({ fingerprint: effect.effectHash, effect: shown }),
        drop: async () => undefined,
        list: async () => [],
      },
    };
    const t = await openHarbour({ tools: [rehearsing] });
    await t.propose({ name: 'sweep', arguments: {} });
    const [pending] = await t.pending();
    expect(pending).toMatchObject({ effect });
    const path = `/worlds/harbour/chats/${t.chat}/turns/${pending?.turnId}/timeline`;
    const { spans } = (await t.api<{ spans: { kind: string; outcome?: string }[] }>('GET', path)).body;
    expect(spans.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['model', 'calls'],
      ['rehearsal', 'rehearsed'],
      ['waiting', undefined],
    ]);
  });
});
