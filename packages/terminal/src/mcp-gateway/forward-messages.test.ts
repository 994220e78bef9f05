import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { forwardMessages, type Forwarder } from './forward-messages.js';

interface Got {
  headers: IncomingMessage['headers'];
  body: { id?: number; method: string; params?: { name?: string; _meta?: Record<string, unknown> } };
}

type Answer = (response: ServerResponse, got: Got) => void;

interface Bridge extends Forwarder {
  got: Got[];
  written: unknown[];
  lost: () => number;
}

/** A forwarder to a server that handles its requests with these answers in order. The last one repeats. */
async function openBridge(...answers: Answer[]): Promise<Bridge> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const seen = { headers: request.headers, body: JSON.parse(text) as Got['body'] };
      got.push(seen);
      answers[Math.min(got.length, answers.length) - 1]?.(response, seen);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const written: unknown[] = [];
  let lost = 0;
  const forwarder = forwardMessages({
    find: () => Promise.resolve({ url: `http://127.0.0.1:${port}/mcp/harbour`, token: 'cs_t' }),
    write: (message) => written.push(message),
    onLost: () => (lost += 1),
    pause: () => Promise.resolve(),
    fetchWith: () => fetch,
  });
  onTestFinished(() => {
    forwarder.close();
    server.closeAllConnections();
    server.close();
  });
  return { ...forwarder, got, written, lost: () => lost };
}

const event = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const SSE = { 'content-type': 'text/event-stream' };
const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };
const done = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'removed' }] } };
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'remove', arguments: {} } };
const keyOf = ({ body }: Got): unknown => body.params?._meta?.['countersign/key'];

const succeeds: Answer = (response) => response.writeHead(200, SSE).end(event(progress) + event(done));
const breaks: Answer = (response) => {
  response.writeHead(200, SSE).write(event(progress), () => response.destroy());
};
const stops: Answer = (response) => {
  const pending = { jsonrpc: '2.0', id: 1, result: { content: [], _meta: { 'countersign/again': true } } };
  response.writeHead(200, SSE).end(event(pending));
};

it.each([
  ['the connection breaks', breaks],
  ['the server is stopping', stops],
  ['the server is gone', ((response) => response.destroy()) satisfies Answer],
  ['the server refuses for now', ((response) => response.writeHead(503).end()) satisfies Answer],
  ['the stream ends without an answer', ((response) => response.writeHead(200, SSE).end()) satisfies Answer],
])('[EXT2.6] sends a call again with the same key if %s, and answers it once', async (_, fails) => {
  const t = await openBridge(fails, fails, succeeds);
  await t.receive(JSON.stringify(call));
  expect(t.got).toHaveLength(3);
  expect(new Set(t.got.map(keyOf)).size).toBe(1);
  expect(keyOf(t.got[0] as Got)).toMatch(/^[\w-]{36}$/);
  expect(t.written.filter((message) => (message as { id?: number }).id === 1)).toEqual([done]);
  expect(t.lost()).toBe(2);
});

it('[EXT2.6] gives each call a key of its own', async () => {
  const t = await openBridge(succeeds);
  await t.receive(JSON.stringify(call));
  await t.receive(JSON.stringify(call));
  expect(new Set(t.got.map(keyOf)).size).toBe(2);
});

it('[GATE5] answers with an error if the server refuses the token', async () => {
  const problem = JSON.stringify({ status: 401, detail: 'This token is invalid, expired or revoked.' });
  const t = await openBridge((response) =>
    response.writeHead(401, { 'content-type': 'application/problem+json' }).end(problem),
  );
  await t.receive(JSON.stringify(call));
  expect(t.got).toHaveLength(1);
  const error = { code: -32000, message: 'This token is invalid, expired or revoked.' };
  expect(t.written).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
});

it('[GATE5] keeps the session, and sends the headers that servers expect', async () => {
  const initialized = { jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18' } };
  const t = await openBridge(
    (response) => response.writeHead(200, { ...SSE, 'mcp-session-id': 's1' }).end(event(initialized)),
    (response) => response.writeHead(202).end(),
    succeeds,
  );
  await t.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }));
  await t.receive(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  await t.receive(JSON.stringify(call));
  const [first, , third] = t.got;
  expect(first?.headers).toMatchObject({ authorization: 'Bearer cs_t', 'mcp-method': 'initialize' });
  expect(first?.headers).not.toHaveProperty('mcp-session-id');
  expect(third?.headers).toMatchObject({
    'mcp-session-id': 's1',
    'mcp-protocol-version': '2025-06-18',
    'mcp-name': 'remove',
  });
});

it('[GATE5] disconnects a request that the client cancels, and never answers it', async () => {
  let isClosed = (): void => undefined;
  const closed = new Promise<void>((resolve) => (isClosed = resolve));
  let begun = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (begun = resolve));
  const t = await openBridge(
    (response) => {
      response.writeHead(200, SSE).flushHeaders();
      response.on('close', isClosed);
      begun();
    },
    (response) => response.writeHead(202).end(),
  );
  const held = t.receive(JSON.stringify(call));
  await waiting;
  await t.receive(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }));
  await closed;
  await held;
  expect(t.written).toEqual([]);
  expect(t.got.map(({ body }) => body.method)).toEqual(['tools/call', 'notifications/cancelled']);
});

it('[GATE5] answers a line that is not JSON with an error', async () => {
  const t = await openBridge(succeeds);
  await t.receive('{"jsonrpc":');
  expect(t.written).toMatchObject([{ id: null, error: { code: -32700 } }]);
  expect(t.got).toEqual([]);
});

it('[EXT2.9] passes a question of the gateway to the client, and its answer back', async () => {
  const question = { jsonrpc: '2.0', id: 'elicitation-1', method: 'elicitation/create', params: { mode: 'url' } };
  const t = await openBridge(
    (response) => response.writeHead(200, SSE).end(event(question) + event(done)),
    (response) => response.writeHead(202).end(),
  );
  await t.receive(JSON.stringify(call));
  expect(t.written).toEqual([question, done]);
  const answer = { jsonrpc: '2.0', id: 'elicitation-1', result: { action: 'decline' } };
  await t.receive(JSON.stringify(answer));
  expect(t.got[1]?.body).toEqual(answer);
  expect(t.lost()).toBe(0);
});
