import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { listenInChannels } from '../../testing/channel-server.js';
import { requestInChannel, requestWith, type HookResponse } from './hook-request.js';

const REQUEST = { method: 'POST', token: 'secret', text: '{"a":"ä"}', onSent: () => undefined };

/** Sends the request to a server that answers with these bytes, and closes the connection unless it keeps it open. */
async function answered(
  bytes: string,
  {
    request = (to: URL) => requestInChannel(to, REQUEST),
    keepsOpen = false,
  }: { request?: (to: URL) => Promise<HookResponse>; keepsOpen?: boolean } = {},
): Promise<{ response: HookResponse; received: unknown }> {
  let received: unknown;
  const { server, url } = await listenInChannels('secret', (sent) => {
    const { method, url: path, httpVersion, headers } = sent;
    void text(sent).then((body) => {
      received = { method, path, httpVersion, headers, body };
      sent.socket[keepsOpen ? 'write' : 'end'](bytes);
    });
  });
  try {
    return { response: await request(new URL(`${url}/api/calls?wait=5`)), received };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('[EXT1] sends a call to a local server, and reads its answer', async () => {
  const { response, received } = await answered('HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX: y\r\n\r\n"yä"');
  expect(response).toEqual({ status: 201, text: '"yä"' });
  expect(received).toEqual({
    method: 'POST',
    path: '/api/calls?wait=5',
    httpVersion: '1.0',
    headers: {
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      authorization: 'Bearer secret',
      'content-type': 'application/json',
      'content-length': '10',
    },
    body: '{"a":"ä"}',
  });
  const empty = await answered('HTTP/1.1 204 No Content\r\n\r\n');
  expect(empty.response).toEqual({ status: 204, text: '' });
});

it('[EXT1] reads an answer without a length to its end', async () => {
  expect((await answered('HTTP/1.0 200 OK\r\n\r\n{}')).response).toEqual({ status: 200, text: '{}' });
});

it('[EXT1] has the answer as soon as it is complete, even if the server keeps the connection open', async () => {
  const kept = await answered('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', { keepsOpen: true });
  expect(kept.response).toEqual({ status: 200, text: '{}' });
});

it.each([
  ['nothing', ''],
  ['half of the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['half of the body', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{}'],
])('[EXT1] takes %s from a local server as a broken connection', async (_, bytes) => {
  await expect(answered(bytes)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it.each([
  ['garbage', 'yes\r\n\r\n{}'],
  ['more than the body', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{}'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
  ['chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  ['another protocol', 'HTTP/2 200\r\nContent-Length: 2\r\n\r\n{}'],
])('[EXT1] refuses %s from a local server', async (_, bytes) => {
  await expect(answered(bytes)).rejects.toThrow('not HTTP');
});

it('[EXT1] limits the length of an answer, from any server', async () => {
  const long = `HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n${'x'.repeat(5_000_000)}`;
  await expect(answered(long)).rejects.toThrow('too long');
  await expect(answered(long, { request: (to) => requestWith(plainRequest, to, REQUEST) })).rejects.toThrow('too long');
});

it('[EXT1] limits the time of an answer, even if some of it has come', async () => {
  const request = { ...REQUEST, timeoutMs: 200 };
  for (const send of [(to: URL) => requestInChannel(to, request), (to: URL) => requestWith(plainRequest, to, request)])
    for (const bytes of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{'])
      await expect(answered(bytes, { request: send, keepsOpen: true })).rejects.toThrow('in time');
  const drip = createServer((socket) => {
    socket.on('error', () => undefined);
    const timer = setInterval(() => socket.write('H'), 20);
    socket.once('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  await once(drip, 'listening');
  const to = new URL(`http://127.0.0.1:${(drip.address() as AddressInfo).port}/`);
  await expect(requestInChannel(to, request)).rejects.toThrow('in time');
  drip.close();
});

it('[EXT1] sends no token that would add a header', async () => {
  const to = new URL('http://127.0.0.1:9/');
  await expect(requestInChannel(to, { ...REQUEST, token: 'a\r\nx: y' })).rejects.toThrow('token');
});
