import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { closeApps, TOKEN, until } from '../testing/app-fixture.js';
import { openHarbour } from '../testing/harbour.js';

afterEach(closeApps);

const auth = `Authorization: Bearer ${TOKEN}`;

/** What the server sends on a socket until either side closes it. */
async function exchange(port: number, bytes: Uint8Array, end: 'cut' | 'end' | 'wait'): Promise<string> {
  const socket = await open(port);
  let heard = '';
  socket.on('data', (chunk: Buffer) => {
    heard += chunk.toString('latin1');
  });
  socket.write(bytes);
  if (end === 'cut') {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    socket.destroy();
    return heard;
  }
  if (end === 'end') socket.end();
  await Promise.race([
    once(socket, 'close'),
    until(async () => (heard.includes('\r\n\r\n') ? true : undefined), 'an answer'),
  ]);
  socket.destroy();
  return heard;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function bytes(text: string, ...raw: number[]): Uint8Array {
  return Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(raw)]);
}

it('[HTTP1] survives garbage, broken text, huge headers and truncated requests on a raw socket', async () => {
  const t = await openHarbour();
  const port = Number(new URL(t.url).port);
  const head = (line: string, ...more: string[]): string =>
    [line, `Host: 127.0.0.1:${port}`, auth, 'Connection: close', ...more, '', ''].join('\r\n');
  const json = 'Content-Type: application/json';
  const path = `/api/worlds/harbour/chats/${t.chat}/messages`;

  /** Responses from the HTTP parser instead of our app are 400 or 431. */
  const cases: [sent: Uint8Array, end: 'cut' | 'end' | 'wait', status: RegExp][] = [
    [bytes('\0\x01\x02\xff\r\n\r\n'), 'wait', /^HTTP\/1\.1 400/],
    [bytes('GET\r\n\r\n'), 'wait', /^HTTP\/1\.1 400/],
    [bytes(head('GET /api/worlds/\xff\xfe HTTP/1.1')), 'wait', /^HTTP\/1\.1 4\d\d/],
    [bytes(head('GET /api/worlds/%ff HTTP/1.1')), 'wait', /^HTTP\/1\.1 400/],
    [bytes(head('GET /api/worlds?after=\x80 HTTP/1.1')), 'wait', /^HTTP\/1\.1 4\d\d/],
    [bytes(head('GET //api/worlds HTTP/1.1')), 'wait', /^HTTP\/1\.1 [234]\d\d/],
    [bytes(head('GET http://elsewhere.example/api/worlds HTTP/1.1')), 'wait', /^HTTP\/1\.1 [234]\d\d/],
    [bytes(head('GET /api/../../etc/passwd HTTP/1.1')), 'wait', /^HTTP\/1\.1 4\d\d/],
    [bytes(head('GET /api/worlds HTTP/1.1', `X-Huge: ${'x'.repeat(100_000)}`)), 'wait', /^HTTP\/1\.1 431/],
    [
      bytes(head('GET /api/worlds HTTP/1.1', ...Array.from({ length: 500 }, (_, i) => `X-${i}: ${'y'.repeat(100)}`))),
      'wait',
      /^HTTP\/1\.1 431/,
    ],
    [bytes(head('BREW /api/worlds HTTP/1.1')), 'wait', /^HTTP\/1\.1 400/],
    [bytes(head('GET /api/worlds HTTP/9.9')), 'wait', /^HTTP\/1\.1 (?:400|505)/],
    [bytes(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: -1')), 'wait', /^HTTP\/1\.1 400/],
    [bytes(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 99999999999')), 'wait', /^HTTP\/1\.1 413/],
    [bytes(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 3'), 0xc3, 0x28, 0x7d), 'wait', /^HTTP\/1\.1 400/],
    [
      bytes(head(`POST ${path} HTTP/1.1`, json, 'Transfer-Encoding: chunked') + 'zz\r\n'),
      'wait',
      /^(?:HTTP\/1\.1 400|$)/,
    ],
    [bytes(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 100') + '{"content":'), 'end', /^(?:HTTP\/1\.1 400|$)/],
    [bytes(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 100') + '{"content":'), 'cut', /^/],
    [
      bytes(head(`POST ${path} HTTP/1.1`, json, 'Content-Length: 2', 'Content-Length: 3') + '{}x'),
      'wait',
      /^HTTP\/1\.1 400/,
    ],
    [bytes(head(`GET /api/worlds/harbour/events HTTP/1.1`)), 'cut', /^/],
    [bytes('GET /api/worlds HTTP/1.1\r\nHo'), 'cut', /^/],
    [bytes(''), 'cut', /^/],
  ];
  // Send many at once, like an attacker.
  for (let round = 0; round < 15; round += 1) {
    const answers = await Promise.all(cases.map(([sent, end]) => exchange(port, sent, end)));
    const wrong = cases.flatMap(([sent, , expected], index) =>
      expected.test(answers[index] ?? '')
        ? []
        : [`${Buffer.from(sent).toString('latin1').slice(0, 80)} → ${answers[index]}`],
    );
    expect(wrong).toEqual([]);
  }
  expect((await t.api('GET', '/health')).status).toBe(200);
  expect((await t.api<{ items: unknown[] }>('GET', `/worlds/harbour/chats/${t.chat}/messages`)).body.items).toEqual([]);
  expect(t.errors).toEqual([]);
});
