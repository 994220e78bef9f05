import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, startWireServer, type WireServer } from './testing/wire-server.js';
import { tryAddress } from './try-address.js';

/** Long enough for any machine. */
const PATIENT_MS = 100_000;

describe('trying the base URL of a provider', () => {
  let server: WireServer;
  let elsewhere: WireServer;
  beforeAll(async () => {
    [server, elsewhere] = await Promise.all([startWireServer(), startWireServer()]);
  });
  afterAll(() => Promise.all([server.close(), elsewhere.close()]));

  const key = 'sk-not-a-key-at-all';
  const openai = (url = `${server.url}/v1`) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url });

  it('[MODEL2] lists the models, with the key and the query of the base URL', async () => {
    const models = json(200, { data: [] });
    server.will(models, models, models, models);
    for (const env of [
      openai(`${server.url}/v1/?api-version=3`),
      { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url },
      { ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_BASE_URL: server.url },
      { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: server.url },
    ]) {
      const name = 'OPENAI_API_KEY' in env ? 'openai' : 'GEMINI_API_KEY' in env ? 'google' : 'anthropic';
      expect(await tryAddress(name, env, PATIENT_MS)).toEqual({ answers: true });
    }
    const [first, second, third, fourth] = server.requests.slice(-4);
    expect(first).toMatchObject({
      path: '/v1/models?api-version=3',
      headers: { authorization: `Bearer ${key}` },
    });
    // As Anthropic's SDK sends it.
    for (const request of [second, third]) {
      const headers = { authorization: `Bearer ${key}`, 'anthropic-version': '2026-10-21' };
      expect(request).toMatchObject({ path: '/v1/models', headers });
      expect(request?.headers).not.toHaveProperty('x-api-key');
    }
    expect(fourth).toMatchObject({ path: '/v1beta/models', headers: { 'x-goog-api-key': key } });
  });

  it('[MODEL2] reports a refused connection or a timeout', async () => {
    expect(await tryAddress('openai', openai('http://127.0.0.1:9/v1?key=secret'), PATIENT_MS)).toEqual({
      answers: false,
      problem: 'no response from http://127.0.0.1:9/v1: connection refused',
    });
    // A separate server that never answers: on a busy machine the timeout may fire before it sees the request.
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
    expect(await tryAddress('openai', openai(url), 50)).toEqual({
      answers: false,
      problem: `no response from ${url}: no answer within 0.05 seconds`,
    });
    silent.close();
  });

  it('[MODEL2] reports a server that switches protocols instead of answering', async () => {
    const switching = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n'),
      );
    });
    await new Promise<void>((resolve) => {
      switching.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(switching.address() as AddressInfo).port}/v1`;
    expect(await tryAddress('openai', openai(url), PATIENT_MS)).toEqual({
      answers: false,
      problem: `no response from ${url}: the server closed the connection without a response`,
    });
    switching.close();
  });

  it('[MODEL2] sends the key to no other URL', async () => {
    server.will(json(302, {}, { location: `${elsewhere.url}/v1/models` }));
    const tried = await tryAddress('openai', openai(), PATIENT_MS);
    expect(tried).toMatchObject({ answers: false, problem: expect.stringContaining('302') as string });
    expect(elsewhere.requests).toEqual([]);
    expect(await tryAddress('openai', { OPENAI_API_KEY: key }, PATIENT_MS)).toBeUndefined();
    expect(await tryAddress('openai', { OPENAI_BASE_URL: server.url }, PATIENT_MS)).toBeUndefined();
  });

  it('[MODEL2] distinguishes a rejected key and a broken server from one without a model list', async () => {
    server.will(json(401, {}), json(502, {}), json(404, {}));
    const problems = [];
    for (let tries = 0; tries < 3; tries += 1) problems.push(await tryAddress('openai', openai(), PATIENT_MS));
    const url = `${server.url}/v1`;
    expect(problems).toEqual([
      { answers: false, problem: `${url} rejected the key in OPENAI_API_KEY (401)` },
      { answers: false, problem: `${url} returned an error (502)` },
      { answers: true, note: 'did not return a list of models (404; check the path)' },
    ]);
  });
});
