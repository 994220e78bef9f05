import { createFakeClock } from '@countersign/core/testing';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ClientError } from './client-error.js';
import { createClient } from './create-client.js';

interface Got {
  line: string;
  headers: IncomingHttpHeaders;
  body: string;
}
type Answer = (response: ServerResponse, got: Got) => void;

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(...answers: Answer[]): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const entry = { line: `${request.method} ${request.url}`, headers: request.headers, body };
      const answer = answers[Math.min(got.length, answers.length - 1)];
      got.push(entry);
      answer?.(response, entry);
    });
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  open.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

const json =
  (body: unknown, headers = {}, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const failureOf = async (work: Promise<unknown>): Promise<ClientError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof ClientError) return error;
    throw error;
  }
  throw new Error('expected the call to fail');
};

describe('requests', () => {
  it('[WHO1.2] send the token, or the header value of a session', async () => {
    const { url, got } = await serve(json({ status: 'ok', version: '1' }));
    await createClient({ url: `${url}/`, token: 'secret' }).health();
    await createClient({ url, session: 'half' }).health();
    expect(got[0]).toMatchObject({ line: 'GET /api/health', headers: { authorization: 'Bearer secret' } });
    expect(got[1]?.headers).toMatchObject({ 'x-countersign-session': 'half' });
    expect(got[1]?.headers.authorization).toBeUndefined();
  });

  it('[HTTP1] turn a problem document into an error with its fields', async () => {
    const said = {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'Already denied by kim.',
      state: 'denied',
    };
    const { url } = await serve(json(said, {}, 409));
    const decision = createClient({ url }).decide('w', { approvalId: 'a', callHash: 'h' }, { decision: 'approve' });
    const { kind, status, title, detail, state, message } = await failureOf(decision);
    expect({ kind, status, title, detail, state, message }).toEqual({
      kind: 'problem',
      status: 409,
      title: 'Conflict',
      detail: 'Already denied by kim.',
      state: 'denied',
      message: 'Already denied by kim.',
    });
  });

  it('turn any other error response into a readable message', async () => {
    const { url } = await serve((response) => {
      response.writeHead(502, { 'Content-Type': 'text/html' });
      response.end('<h1>Bad gateway</h1>');
    });
    expect(await failureOf(createClient({ url }).health())).toMatchObject({ kind: 'problem', status: 502 });
  });

  it('distinguish another program at the URL from no server', async () => {
    const { url } = await serve((response) => response.end('hello'));
    expect(await failureOf(createClient({ url }).health())).toMatchObject({ kind: 'unreadable' });
    for (const close of open.splice(0)) await close();
    const gone = await failureOf(createClient({ url }).health());
    expect(gone).toMatchObject({ kind: 'network', status: 0 });
    expect(gone.message).toContain('Nothing is lost');
  });

  it('report an abort as an abort', async () => {
    const { url } = await serve(() => undefined);
    const over = new AbortController();
    const work = failureOf(createClient({ url }).health({ signal: over.signal }));
    over.abort();
    expect((await work).kind).toBe('aborted');
  });

  it('don’t follow redirects with our credential', async () => {
    const { url } = await serve((response) => {
      response.writeHead(307, { Location: 'http://127.0.0.1:9/' });
      response.end();
    });
    expect((await failureOf(createClient({ url, token: 't' }).health())).kind).toBe('network');
  });

  it('[HTTP13] ignore unknown fields of a newer server', async () => {
    const tool = {
      name: 'look',
      description: 'looks',
      parameters: {},
      location: 'server',
      trusted: true,
      colour: 'red',
      approval: { required: true, mood: 'calm' },
    };
    const { url } = await serve(json({ items: [tool], next: 'c', total: 9 }));
    expect(await createClient({ url }).tools('w')).toEqual({
      items: [
        {
          name: 'look',
          description: 'looks',
          parameters: {},
          location: 'server',
          trusted: true,
          approval: { required: true },
        },
      ],
      next: 'c',
    });
  });

  it.each(['..', '.', ''])('reject an id that would change the path: "%s"', async (id) => {
    const { url, got } = await serve(json({}));
    expect(await failureOf(createClient({ url }).deleteWorld(id))).toMatchObject({ kind: 'problem', status: 404 });
    expect(got).toEqual([]);
  });

  it('escape ids', async () => {
    const { url, got } = await serve(json({ items: [] }));
    await createClient({ url }).search('a/b?c', 'x & y', { limit: 5 });
    expect(got[0]?.line).toBe('GET /api/worlds/a%2Fb%3Fc/search?q=x+%26+y&limit=5');
  });
});

describe('retries', () => {
  it('[HTTP6.1] a message keeps its id across lost connections, so it is stored once', async () => {
    const lost: Answer = (response) => response.destroy();
    const { url, got } = await serve(lost, lost, json({ messageId: 'msg_1' }, {}, 202));
    const clock = createFakeClock();
    const sent = createClient({ url, clock }).send('w', 'chat_1', { content: 'hello' });
    for (const tries of [1, 2]) {
      await expect.poll(() => got).toHaveLength(tries);
      await vi.waitFor(() => {
        clock.advance(20_000);
        expect(got.length).toBeGreaterThan(tries);
      });
    }
    expect(await sent).toEqual({ messageId: 'msg_1' });
    const ids = got.map(({ body }) => (JSON.parse(body) as { clientMessageId: string }).clientMessageId);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it('[HTTP6.1] two messages have different ids, and callers can pass their own', async () => {
    const { url, got } = await serve(json({ messageId: 'msg_1' }, {}, 202));
    const client = createClient({ url });
    await client.send('w', 'c', { content: 'a' });
    await client.send('w', 'c', { content: 'a' });
    await client.send('w', 'c', { content: 'a', clientMessageId: 'mine' });
    const ids = got.map(({ body }) => (JSON.parse(body) as { clientMessageId: string }).clientMessageId);
    expect(new Set(ids).size).toBe(3);
    expect(ids[2]).toBe('mine');
  });

  it('[HTTP1] rejected requests are not retried', async () => {
    const { url, got } = await serve(json({ type: 'a', title: 'No', status: 422, detail: 'content: empty' }, {}, 422));
    await failureOf(createClient({ url }).send('w', 'c', { content: '' }));
    expect(got).toHaveLength(1);
  });
});

describe('headers and bodies', () => {
  it('[CALL7] a decision includes the hash of the shown call', async () => {
    const { url, got } = await serve(json({ kind: 'recorded', invocationId: 'call_1', state: 'approved' }));
    await createClient({ url }).decide(
      'w',
      { approvalId: 'approval_1', callHash: 'h' },
      { decision: 'approve', scope: 'once' },
    );
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({
      tool_call_id: 'approval_1',
      callHash: 'h',
      decision: 'approve',
      scope: 'once',
    });
  });

  it('[HTTP15] a policy is read with its ETag and written only over that version', async () => {
    const { url, got } = await serve(json({ rules: ['deny rm'], proposed: [] }, { ETag: '"7"' }));
    const client = createClient({ url });
    const { value, etag } = await client.policy('w');
    expect({ value, etag }).toEqual({ value: { rules: ['deny rm'], proposed: [] }, etag: '"7"' });
    await client.setPolicy('w', { rules: [] }, { ifMatch: etag ?? '' });
    expect(got[1]).toMatchObject({ line: 'PUT /api/worlds/w/policy', headers: { 'if-match': '"7"' } });
  });

  it('[SIGN2.5] a change that the server wants confirmed is sent again with the confirmation, once', async () => {
    const refusal = {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'Confirm it.',
      field: 'confirmation',
    };
    const { url, got } = await serve(json(refusal, {}, 409), json({ ...refusal }, {}, 409));
    const confirmation = { challenge: 'c', credentialId: 'i', clientData: 'd', authenticatorData: 'a', signature: 's' };
    const asked: unknown[] = [];
    const confirm = async (action: unknown) => {
      asked.push(action);
      return confirmation;
    };
    const change = { mode: 'auto' as const };
    expect(await failureOf(createClient({ url, confirm }).updateWorld('w', change, { ifMatch: '"7"' }))).toMatchObject({
      status: 409,
    });
    expect(asked).toEqual([{ kind: 'change-world', method: 'PATCH', path: '/worlds/w', body: change }]);
    expect(got.map(({ body }) => JSON.parse(body) as unknown)).toEqual([change, { ...change, confirmation }]);
    expect(got[1]?.headers).toMatchObject({ 'if-match': '"7"' });
    // Without a way to confirm, the refusal is the answer.
    expect(await failureOf(createClient({ url }).deleteWorld('w'))).toMatchObject({ field: 'confirmation' });
    expect(got).toHaveLength(3);
  });

  it('[CALL16] a client’s secret is sent only to its own world', async () => {
    const { url, got } = await serve(
      json({ clientId: 'client_1', clientSecret: 's3', tools: [] }, {}, 201),
      json({ items: [] }),
    );
    const client = createClient({ url });
    await client.registerClient('harbour', { label: 'pad', approvals: true });
    await client.grants('harbour');
    await client.grants('other');
    expect(got.map(({ headers }) => headers['x-countersign-client'])).toEqual([undefined, 's3', undefined]);
  });

  it('[CALL16] a client that the server no longer knows registers again, once, and continues', async () => {
    const forgotten = json({ type: 'a', title: 'No', status: 403, detail: 'Register it again.' }, {}, 403);
    let secret = 0;
    const { url, got } = await serve((response, asked) => {
      if (asked.line.endsWith('/clients')) {
        secret += 1;
        json({ clientId: 'client_1', clientSecret: `s${secret}`, tools: [] }, {}, 201)(response, asked);
      } else if (asked.headers['x-countersign-client'] === 's1') forgotten(response, asked);
      else json({ items: [] })(response, asked);
    });
    const client = createClient({ url });
    await client.registerClient('harbour', { label: 'pad', approvals: true });
    await Promise.all([client.approvals('harbour'), client.approvals('harbour')]);
    expect(got.filter(({ line }) => line.endsWith('/clients'))).toHaveLength(2);
    expect(got.at(-1)?.headers['x-countersign-client']).toBe('s2');
  });

  it('[CALL13] a client without approvals doesn’t request any', async () => {
    const { url, got } = await serve(json({ clientId: 'client_1', clientSecret: 's', tools: [] }, {}, 201));
    const client = createClient({ url });
    await client.registerClient('harbour', { label: 'job', approvals: false });
    expect(await client.approvals('harbour')).toEqual({ items: [] });
    expect(got).toHaveLength(1);
  });
});
