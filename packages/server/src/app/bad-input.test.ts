import type { Store } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { problemTexts } from './problem-texts.js';
import { closeApps, openApp, TOKEN } from '../testing/app-fixture.js';
import { openHarbour } from '../testing/harbour.js';
import { send } from '../testing/send.js';

afterEach(closeApps);

const json = { 'Content-Type': 'application/json' };

describe('URLs', () => {
  it('[HTTP1] an unknown path is 404, and a wrong method is 405 and lists the allowed ones', async () => {
    const t = await openApp();
    expect((await t.api('GET', '/nowhere')).status).toBe(404);
    expect((await t.api('GET', '/worlds/x/y/z')).status).toBe(404);
    const wrong = await t.api('DELETE', '/worlds');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, POST');
    expect((await t.api('PATCH', '/health')).headers.get('allow')).toBe('GET');
    expect((await t.api('DELETE', '/openapi.json')).status).toBe(405);
    expect((await t.api('PUT', '/worlds/import', {})).status).toBe(405);
  });

  it.each([
    '/worlds/%FF',
    '/worlds/%',
    '/worlds/%E0%A4%A',
    '/worlds/a%00b',
    '/worlds?after=%00',
    '/worlds?after=%C3%28',
  ])('[HTTP1.1] a URL that is not valid UTF-8 is 400: %s', async (path) => {
    const t = await openApp();
    const answer = await t.api('GET', path);
    expect(answer).toMatchObject({ status: 400, body: { field: expect.any(String) as string } });
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const host = await send(`${t.url}/api${path}`, { headers: { host: 'evil.example' } });
    expect(host.status).toBe(403);
  });

  it.each([
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f',
    '__proto__',
    'constructor',
    '%252e',
    'a%2Fb',
    '*',
    "'--",
    '%F0%9F%8C%BB',
  ])('[HTTP1] a malicious id matches nothing: %s', async (id) => {
    const t = await openApp();
    expect([404, 405]).toContain((await t.api('GET', `/worlds/${id}`)).status);
    expect([404, 405]).toContain((await t.api('GET', `/worlds/${id}/chats/${id}/messages`)).status);
  });

  it('[HTTP1] an id that is too long is rejected with the name of the parameter', async () => {
    const t = await openApp();
    expect(await t.api('GET', `/worlds/${'x'.repeat(300)}`)).toMatchObject({ status: 422, body: { field: 'world' } });
  });

  it('[HTTP1] an unknown, repeated or invalid query parameter is rejected with an error that names it', async () => {
    const t = await openApp();
    for (const [query, field] of [
      ['lmit=3', 'lmit'],
      ['limit=1&limit=2', 'limit'],
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['limit=x', 'limit'],
      ['limit=', 'limit'],
      ['after=', 'after'],
      ['__proto__=1', '__proto__'],
    ] as const) {
      expect(await t.api('GET', `/worlds?${query}`)).toMatchObject({ status: 422, body: { field } });
    }
    expect(await t.api('GET', '/health?x=1')).toMatchObject({ status: 422, body: { field: 'x' } });
  });
});

describe('request bodies', () => {
  it.each([
    ['malformed JSON', '{"name": ', 400],
    ['nothing', '', 400],
    ['blanks', '  \n', 400],
    ['the wrong JSON type', '[]', 422],
    ['null', 'null', 422],
    ['a string', '"x"', 422],
    ['a wrong type', '{"name": 5}', 422],
    ['an unknown field', '{"name": "x", "admin": true}', 422],
    ['a __proto__ field', '{"name": "x", "__proto__": {"mode": "auto"}}', 422],
    ['NUL', '{"name": "a\\u0000b"}', 422],
    ['a lone surrogate', '{"name": "a\\ud800b"}', 422],
    ['a lone surrogate in a key', '{"name": "x", "a\\udc00": 1}', 422],
    ['a number too large', '{"name": "x", "turnLimit": 1e999}', 422],
    ['deep nesting', `{"name": ${'['.repeat(9_000)}${']'.repeat(9_000)}}`, 422],
    ['very deep nesting', `${'['.repeat(500_000)}${']'.repeat(500_000)}`, 413],
  ])('[HTTP1] a body with %s is rejected and writes nothing', async (_, body, status) => {
    const t = await openApp();
    const answer = await t.api('POST', '/worlds', body, json);
    expect(answer.status).toBe(status);
    expect((await t.api('GET', '/worlds')).body).toEqual({ items: [] });
    expect(t.errors).toEqual([]);
  });

  it('[HTTP1] a validation error names the path of the invalid field', async () => {
    const t = await openHarbour();
    const client = { label: 'x', approvals: true, tools: [{ name: 'ok', description: 'd', parameters: {}, extra: 1 }] };
    expect((await t.api('POST', '/worlds/harbour/clients', client)).body).toMatchObject({ field: 'tools.0.extra' });
    const text = { ...client, tools: [{ name: 'ok', description: 'd', parameters: { type: 'string' } }] };
    expect((await t.api('POST', '/worlds/harbour/clients', text)).body).toMatchObject({
      status: 422,
      field: 'parameters',
      detail: expect.stringContaining('"type": "object"') as unknown,
    });
    const nul = { content: 'x', clientMessageId: 'a\0' };
    expect((await t.api('POST', `/worlds/harbour/chats/${t.chat}/messages`, nul)).body).toMatchObject({
      field: 'clientMessageId',
      detail: '"clientMessageId" contains a NUL character or an unpaired surrogate.',
    });
  });

  it('[HTTP1.1] a body that is not UTF-8 is 400', async () => {
    const t = await openApp();
    for (const bytes of [
      [0x7b, 0xff, 0x7d],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
    ]) {
      const response = await fetch(`${t.url}/api/worlds`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKEN}`, ...json },
        body: new Uint8Array(bytes),
      });
      expect(response.status).toBe(400);
    }
  });

  it('[HTTP1.1] a body with another content type is 415', async () => {
    const t = await openApp();
    const body = '{"name":"x"}';
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      '',
      'json',
    ]) {
      expect((await t.api('POST', '/worlds', body, { 'Content-Type': type })).status).toBe(415);
    }
    expect((await t.api('POST', '/worlds', body, { 'Content-Type': 'application/json; charset=latin1' })).status).toBe(
      415,
    );
    expect((await t.api('POST', '/worlds', body, { ...json, 'Content-Encoding': 'gzip' })).status).toBe(415);
    expect((await t.api('POST', '/worlds', body, { 'Content-Type': 'Application/JSON; charset="UTF-8"' })).status).toBe(
      201,
    );
  });

  it('[HTTP1.1] a body with more than 10,000 values is 413, and is not parsed', async () => {
    const t = await openApp();
    const { status, body } = await t.api<{ detail: string }>('POST', '/worlds', '[1'.padEnd(30_000, ',1'), json);
    const detail = 'The body has too many values. The limit is 10000.';
    expect({ status, detail: body.detail }).toEqual({ status: 413, detail });
  });

  it('[HTTP1.1] a body over the limit is 413, with or without Content-Length', async () => {
    const t = await openHarbour();
    const path = `/worlds/harbour/chats/${t.chat}/messages`;
    const large = JSON.stringify({ content: 'x'.repeat(30 * 1024 * 1024) });
    expect((await t.api('POST', path, large, json)).status).toBe(413);
    const unsaid = await fetch(`${t.url}/api${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, ...json },
      body: new ReadableStream({
        start(controller) {
          for (let i = 0; i < 60; i += 1) controller.enqueue(new Uint8Array(100_000).fill(0x20));
          controller.close();
        },
      }),
      duplex: 'half',
    });
    expect(unsaid.status).toBe(413);
    expect((await t.api<{ items: [] }>('GET', path)).body.items).toEqual([]);
  });

  it('[HTTP1] a message of a million lines is rejected, one of a million characters is stored', async () => {
    const t = await openHarbour();
    const path = `/worlds/harbour/chats/${t.chat}/messages`;
    const lines = await t.api('POST', path, { content: 'x\n'.repeat(1_400_000) });
    expect(lines).toMatchObject({ status: 413 });
    expect(await t.api('POST', path, { content: 'x'.repeat(1_000_001) })).toMatchObject({
      status: 422,
      body: { field: 'content' },
    });
    expect((await t.api('POST', path, { content: 'x\n'.repeat(500_000) })).status).toBe(202);
    expect((await t.api('POST', path, { content: '港'.repeat(1_000_000) })).status).toBe(202);
  });
});

describe('error responses', () => {
  it('[HTTP1] an error is a problem document without server internals', async () => {
    const t = await openApp();
    const answer = await t.api('POST', '/worlds', '{', json);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'The body is not valid JSON.',
    });
  });

  it('[WHO1] authentication is checked before routing', async () => {
    const t = await openHarbour();
    for (const path of ['/api/worlds/harbour', '/api/worlds/none', '/api/nowhere', '/api/openapi.json']) {
      const { status, text } = await send(`${t.url}${path}`);
      expect(status).toBe(401);
      expect(text).not.toContain('harbour');
    }
  });

  it('[STORE7] [HTTP1.1] an unreachable database is 503 with a message, and requests succeed again once it is back', async () => {
    const real = await openSqlite(':memory:');
    let isAway = false;
    const fail = new CountersignError('store-unavailable', "The database can't be reached. The server keeps trying.");
    const store: Store = {
      ...real,
      transact: (...args) => (isAway ? Promise.reject(fail) : real.transact(...args)),
      step: (...args) => (isAway ? Promise.reject(fail) : real.step(...args)),
      read: (work) => (isAway ? Promise.reject(fail) : real.read(work)),
    };
    const t = await openHarbour({ store });
    isAway = true;
    expect((await t.api('GET', '/worlds')).status).toBe(503);
    expect((await t.api('GET', '/health')).status).toBe(503);
    const answer = await t.api('POST', '/worlds', { name: 'Other' });
    expect(answer).toMatchObject({ status: 503, body: { detail: expect.stringContaining('database') as string } });
    expect(answer.headers.get('retry-after')).toBe('5');
    isAway = false;
    expect((await t.api('POST', '/worlds', { name: 'Other' })).status).toBe(201);
  });

  it('[STORE7] [HTTP2.1] the server is not ready while nothing can be stored, although it can read', async () => {
    const real = await openSqlite(':memory:');
    let isFull = true;
    const full = new CountersignError('store-unavailable', 'the disk is full: /var/lib/secret');
    const checkWritable = () => (isFull ? Promise.reject(full) : real.checkWritable());
    const t = await openHarbour({ store: { ...real, checkWritable } });
    expect((await t.api('GET', '/worlds')).status).toBe(200);
    expect(await t.api('GET', '/health')).toMatchObject({
      status: 503,
      body: { detail: problemTexts.unwritableStore },
    });
    isFull = false;
    await expect.poll(async () => (await t.api('GET', '/health')).status).toBe(200);
  });
});
