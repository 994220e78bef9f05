import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOllama } from './find-ollama.js';
import { json, page, silence, startWireServer, type WireServer } from './testing/wire-server.js';

/** Long enough for any machine. */
const PATIENT_MS = 100_000;

describe('finding Ollama', () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await startWireServer();
  });
  afterAll(() => server.close());

  it('[MODEL2.1] finds its URL and models', async () => {
    server.will(json(200, { models: [{ name: 'llama3.2:latest', size: 1 }, { name: 'qwen3:4b' }, {}] }));
    expect(await findOllama({ url: server.url, timeoutMs: PATIENT_MS })).toEqual({
      baseURL: `${server.url}/v1`,
      models: ['llama3.2:latest', 'qwen3:4b'],
    });
    expect(server.requests.at(-1)?.path).toBe('/api/tags');
  });

  it('[MODEL2] finds nothing if the server is not Ollama, sends invalid data, or is not running', async () => {
    server.will(json(404, {}), page(200, '<html></html>'), json(200, { models: 'many' }));
    for (let tries = 0; tries < 3; tries += 1)
      expect(await findOllama({ url: server.url, timeoutMs: PATIENT_MS })).toBeUndefined();
    expect(await findOllama({ url: 'http://127.0.0.1:9', timeoutMs: PATIENT_MS })).toBeUndefined();
  });

  it('[MODEL2] times out on a silent server', async () => {
    const nothing = (): void => undefined;
    server.will(silence(nothing, nothing));
    expect(await findOllama({ url: server.url, timeoutMs: 20 })).toBeUndefined();
  });
});
