import { existsSync } from 'node:fs';
import { readdir, readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAgent, createWorld } from '@countersign/core';
import type { ProviderStatus } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve, type Serving } from '../serve/serve.js';
import { closeApps, openApp, until, type AppFixture } from '../testing/app-fixture.js';
import { startModel } from '../testing/model-server.js';
import { TESTER } from '../testing/stream-fixture.js';

const KEY = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
const DEAD = 'http://127.0.0.1:9';
const box = { kind: 'openai-compatible', name: 'GPU box', baseUrl: DEAD, apiKey: KEY };

afterEach(closeApps);

async function stored(t: AppFixture): Promise<ProviderStatus[]> {
  const { body } = await t.api<{ items: ProviderStatus[] }>('GET', '/providers');
  return body.items.filter(({ source }) => source === 'stored');
}

describe('providers', () => {
  it('[HTTP4] [MODEL7] [MODEL7.5] are added, listed, changed and removed; the key is never returned', async () => {
    const t = await openApp();
    const added = await t.api<ProviderStatus>('POST', '/providers', box);
    const shown = {
      id: 'gpu-box',
      kind: 'openai-compatible',
      name: 'GPU box',
      source: 'stored',
      baseUrl: `${DEAD}/v1`,
      hasKey: true,
      available: true,
    };
    expect(added).toMatchObject({ status: 201, body: shown });
    expect(await stored(t)).toEqual([shown]);
    const changed = await t.api<ProviderStatus>('PATCH', '/providers/gpu-box', { name: 'Big box' });
    expect(changed).toMatchObject({ status: 200, body: { ...shown, name: 'Big box' } });
    // A name that differs only in punctuation gets another id.
    expect(await t.api('POST', '/providers', { ...box, name: 'GPU-box' })).toMatchObject({ body: { id: 'gpu-box-2' } });
    const listed = await t.api('GET', '/providers');
    for (const { text } of [added, changed, listed]) expect(text).not.toContain(KEY);
    expect((await t.api('DELETE', '/providers/gpu-box')).status).toBe(204);
    expect((await stored(t)).map(({ id }) => id)).toEqual(['gpu-box-2']);
    expect(t.errors).toEqual([]);
  });

  it('[MODEL7.3] invalid input is refused with an error at the field, and nothing is saved', async () => {
    const t = await openApp();
    await t.api('POST', '/providers', box);
    const bad = [
      [{ ...box, kind: 'opnai' }, 422, 'kind'],
      [{ ...box, name: 'gpu BOX' }, 409, 'name'],
      [{ ...box, name: 'scripted' }, 409, 'name'],
      [{ ...box, name: 'External' }, 409, 'name'],
      [{ ...box, name: 'acp' }, 409, 'name'],
      [{ ...box, name: '' }, 422, 'name'],
      [{ ...box, name: 'x', baseUrl: 'not a url' }, 422, 'baseUrl'],
      [{ kind: 'azure', name: 'x', apiKey: KEY }, 422, 'baseUrl'],
      [{ ...box, name: 'x', apiKey: `${KEY}\n` }, 422, 'apiKey'],
      [{ kind: 'openai', name: 'x' }, 422, 'apiKey'],
      [{ ...box, name: 'x', headers: {} }, 422, 'headers'],
    ] as const;
    for (const [body, status, field] of bad) {
      const answer = await t.api('POST', '/providers', body);
      expect(answer).toMatchObject({ status, body: { field } });
      expect(answer.text).not.toContain(KEY);
    }
    expect((await stored(t)).length).toBe(1);
    await t.api('POST', '/providers', { kind: 'ollama', name: 'Other' });
    expect(await t.api('PATCH', '/providers/other', { name: 'GPU BOX' })).toMatchObject({
      status: 409,
      body: { field: 'name' },
    });
    expect(await t.api('PATCH', '/providers/othr', { name: 'x' })).toMatchObject({
      status: 404,
      body: { detail: 'There is no provider "othr". Did you mean "other"?' },
    });
    for (const method of ['PATCH', 'DELETE'])
      expect(await t.api(method, '/providers/scripted', method === 'PATCH' ? { name: 'x' } : undefined)).toMatchObject({
        status: 409,
      });
  });

  it('[MODEL8.3] a key must be entered again before it is sent to another server', async () => {
    const t = await openApp();
    await t.api('POST', '/providers', box);
    for (const change of [{ baseUrl: 'https://evil.example/v1' }, { kind: 'vllm' }])
      expect(await t.api('PATCH', '/providers/gpu-box', change)).toMatchObject({
        status: 422,
        body: { field: 'apiKey', detail: 'apiKey: enter the key again, because it would be sent to another server' },
      });
    expect((await stored(t))[0]).toMatchObject({ kind: 'openai-compatible', baseUrl: `${DEAD}/v1` });
    // Another path on the same host is the same server.
    expect((await t.api('PATCH', '/providers/gpu-box', { baseUrl: `${DEAD}/v2` })).status).toBe(200);
    const moved = { baseUrl: 'http://127.0.0.1:10/v1', apiKey: `${KEY}2` };
    expect(await t.api('PATCH', '/providers/gpu-box', moved)).toMatchObject({ body: { baseUrl: moved.baseUrl } });
    expect(await t.api('PATCH', '/providers/gpu-box', { apiKey: null, kind: 'vllm' })).toMatchObject({
      body: { hasKey: false, kind: 'vllm' },
    });
    expect(await t.api('PATCH', '/providers/gpu-box', { kind: 'openai' })).toMatchObject({ body: { field: 'apiKey' } });
  });

  it('[MODEL7.2] a provider that agents use is removed only with force', async () => {
    const t = await openApp();
    await t.api('POST', '/providers', box);
    await t.api('POST', '/worlds', { name: 'Garden' });
    const ann = { name: 'Ann', provider: 'gpu-box', model: 'm' };
    expect((await t.api('POST', '/worlds/garden/agents', ann)).status).toBe(201);
    expect(await t.api('DELETE', '/providers/gpu-box')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('Ann (Garden)') as string },
    });
    expect((await stored(t)).length).toBe(1);
    expect((await t.api('DELETE', '/providers/gpu-box?force=true')).status).toBe(204);
    await t.api('POST', '/worlds/garden/chats', {});
    const { body } = await t.api<{ items: { id: string }[] }>('GET', '/worlds/garden/chats');
    const path = `/worlds/garden/chats/${body.items[0]?.id ?? ''}/messages`;
    await t.api('POST', path, { content: 'Hello' });
    const told = await until(async () => {
      const { text } = await t.api('GET', path);
      return text.includes('not set up here') ? text : undefined;
    }, 'the turn fails');
    expect(told).toContain('Ann uses the provider \\"gpu-box\\", which is not set up here.');
  });

  it('[MODEL7.4] [LOG1] every change is in the audit log of every world, without the key', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Garden' });
    await t.api('POST', '/worlds', { name: 'Shed' });
    await t.api('POST', '/providers', box);
    await t.api('PATCH', '/providers/gpu-box', { name: 'Big box', apiKey: `${KEY}2` });
    await t.api('PATCH', '/providers/gpu-box', { name: 'Big box' });
    await t.api('DELETE', '/providers/gpu-box');
    for (const world of ['garden', 'shed']) {
      const audit = await t.api<{ items: { decision?: string; why?: string; who?: string }[] }>(
        'GET',
        `/worlds/${world}/audit`,
      );
      const changes = audit.body.items.filter(({ decision = '' }) => decision.startsWith('provider'));
      expect(changes.map(({ decision, why }) => `${decision}: ${why}`)).toEqual([
        `provider added: gpu-box: openai-compatible at ${DEAD}, with a key`,
        'provider changed: gpu-box: name from "GPU box" to "Big box"; new key',
        `provider removed: gpu-box: openai-compatible at ${DEAD}, with a key`,
      ]);
      expect(changes.every(({ who }) => who !== undefined)).toBe(true);
      expect(audit.text).not.toContain(KEY);
      expect((await t.api<{ ok: boolean }>('GET', `/worlds/${world}/audit/verify`)).body.ok).toBe(true);
    }
  });

  it('[MODEL8.4] only a person may change them: no credential is 401, a client is 403', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Garden' });
    const client = await t.api<{ clientSecret: string }>('POST', '/worlds/garden/clients', {
      label: 'editor',
      approvals: true,
    });
    const asClient = { 'X-Countersign-Client': client.body.clientSecret };
    for (const [method, path, body] of [
      ['POST', '/providers', box],
      ['PATCH', '/providers/gpu-box', { name: 'x' }],
      ['DELETE', '/providers/gpu-box', undefined],
      ['POST', '/providers/gpu-box/test', {}],
    ] as const) {
      expect((await t.api(method, path, body, asClient)).status).toBe(403);
      expect((await t.api(method, path, body, { Authorization: '' })).status).toBe(401);
    }
    expect(await stored(t)).toEqual([]);
  });
});

describe('a server with saved providers', () => {
  let folder = '';
  let servers: Serving[] = [];
  let logged = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-providers-'));
    logged = '';
  });
  afterEach(async () => {
    for (const server of servers) await server.close();
    servers = [];
    await rm(folder, { recursive: true, force: true });
  });

  async function start(env: NodeJS.ProcessEnv = {}): Promise<Serving> {
    const log = (message: string, fields?: object): void => {
      logged += `${message} ${JSON.stringify(fields)}\n`;
    };
    const server = await serve({
      home: join(folder, 'home'),
      env: { ...env },
      log: { info: log, warn: log, error: log },
      port: 0,
      sandbox: { kind: 'none', reason: 'no command runs here' },
      ollamaUrl: DEAD,
      version: 'test',
    });
    servers.push(server);
    return server;
  }
  async function stop(): Promise<void> {
    await servers.pop()?.close();
  }
  async function allFiles(): Promise<string> {
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
    expect(files.some((file) => file.endsWith('countersign.db'))).toBe(true);
    return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
  }

  it('[MODEL8] [MODEL7.1] an agent can use one immediately and after a restart, and no file or log contains the key', async () => {
    const seen: string[] = [];
    const model = await startModel(() => 'Hello from the box');
    model.server.on('request', ({ headers }) => seen.push(headers.authorization ?? ''));
    const { home } = await start();
    const { runtime } = home.engine;
    const baseUrl = model.env['OPENAI_BASE_URL'] ?? '';
    const given = { kind: 'openai-compatible', name: 'GPU box', baseUrl, apiKey: KEY } as const;
    expect(await home.providers.add(runtime, given, TESTER)).toMatchObject({ id: 'gpu-box', available: true });
    await createWorld(runtime, { name: 'Garden', streaming: false }, TESTER);
    await addAgent(runtime, 'garden', { name: 'Ann', provider: 'gpu-box', model: 'm' }, TESTER);
    expect(await home.providers.test('gpu-box', 'm')).toMatchObject({ ok: true });
    expect(runtime.ownSecrets()).toContain(KEY);
    await stop();
    const again = await start();
    expect(await again.home.providers.test('gpu-box', 'm')).toMatchObject({ ok: true });
    expect(again.home.engine.runtime.ownSecrets()).toContain(KEY);
    expect(seen).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    await stop();
    model.server.close();
    const files = await allFiles();
    expect(files).not.toContain(KEY);
    expect(files).not.toContain(Buffer.from(KEY).toString('base64url'));
    expect(logged).not.toContain(KEY);
  });

  it('[MODEL8.5] a key that can’t be decrypted disables only its provider, with a clear error', async () => {
    const first = await start({ COUNTERSIGN_SECRETS_KEY: 'a first passphrase of 32 or more letters' });
    await first.home.providers.add(first.home.engine.runtime, { kind: 'openai', name: 'OpenAI', apiKey: KEY }, TESTER);
    await stop();
    const { home } = await start({ COUNTERSIGN_SECRETS_KEY: 'another passphrase with 32 or more letters' });
    const [openai] = await home.providers.list();
    expect(openai).toMatchObject({
      id: 'openai',
      source: 'stored',
      hasKey: true,
      available: false,
      problem: expect.stringContaining('encrypted with another secrets key') as string,
    });
    expect(await home.providers.test('openai', undefined)).toMatchObject({ ok: false, code: 'failed' });
    expect(await home.providers.models('openai')).toMatchObject({ problem: { code: 'failed' } });
    const { runtime } = home.engine;
    const refused = home.providers.change(runtime, 'openai', { apiKey: KEY }, TESTER);
    await expect(refused).rejects.toMatchObject({ code: 'invalid', field: 'baseUrl' });
    const whole = { kind: 'openai', baseUrl: null, apiKey: KEY } as const;
    expect(await home.providers.change(runtime, 'openai', whole, TESTER)).toMatchObject({ available: true });
  });

  it('[MODEL8.7] a lost secrets file is not replaced while saved keys need it', async () => {
    const first = await start();
    await first.home.providers.add(first.home.engine.runtime, { kind: 'openai', name: 'OpenAI', apiKey: KEY }, TESTER);
    await stop();
    const file = join(folder, 'home-secrets');
    const secret = await readFile(file, 'utf8');
    await rm(file);
    const { home } = await start();
    const { runtime } = home.engine;
    const problem = expect.stringContaining(
      `The file ${file}, which holds the key that encrypts secrets, is missing.`,
    ) as string;
    expect((await home.providers.list())[0]).toMatchObject({ id: 'openai', available: false, problem });
    const added = home.providers.add(runtime, { kind: 'groq', name: 'Groq', apiKey: KEY }, TESTER);
    await expect(added).rejects.toMatchObject({ code: 'conflict', message: problem });
    // Without a key, nothing is encrypted.
    await home.providers.add(runtime, { kind: 'ollama', name: 'Box' }, TESTER);
    expect(existsSync(file)).toBe(false);
    // After the file is restored, it works again.
    await writeFile(file, secret, { mode: 0o600 });
    expect((await home.providers.list())[0]).toMatchObject({ id: 'openai', available: true });
    // If the file is lost, the next start creates a new one, provided that no keys are saved.
    await rm(file);
    await home.providers.remove(runtime, 'openai', true, TESTER);
    await stop();
    const again = await start();
    const fresh = { kind: 'openai', name: 'OpenAI', apiKey: KEY } as const;
    expect(await again.home.providers.add(again.home.engine.runtime, fresh, TESTER)).toMatchObject({ available: true });
    expect(again.home.engine.runtime.ownSecrets()).toContain((await readFile(file, 'utf8')).trim());
    // A value of an MCP server needs it too.
    await again.home.providers.remove(again.home.engine.runtime, 'openai', true, TESTER);
    const server = await fetch(`${again.url}/api/worlds/harbour/mcp-servers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${again.home.token.value}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'notes',
        transport: 'stdio',
        command: 'true',
        enabled: false,
        env: { TOKEN: KEY },
      }),
    });
    expect(server.status).toBe(201);
    await rm(file);
    await stop();
    await start();
    expect(existsSync(file)).toBe(false);
  });

  it('[MODEL8.6] someone who changes a record in the database gets neither its key nor the next one', async () => {
    const { home } = await start();
    const { runtime } = home.engine;
    const { store } = runtime;
    await home.providers.add(runtime, { kind: 'openai', name: 'Mine', apiKey: KEY }, TESTER);
    const rewrite = async (change: { baseUrl: string; apiKey?: null }): Promise<void> => {
      await store.transact('', async (tx) => {
        const [record] = await tx.providers();
        if (record !== undefined) await tx.updateProvider({ ...record, ...change });
      });
    };
    for (const change of [
      { baseUrl: 'https://evil.example/v1' },
      { baseUrl: 'https://evil.example/v1', apiKey: null },
    ]) {
      await rewrite(change);
      expect((await home.providers.list())[0]).toMatchObject({ id: 'mine', available: false });
      for (const entered of [{ apiKey: KEY }, { apiKey: KEY, kind: 'openai' } as const])
        await expect(home.providers.change(runtime, 'mine', entered, TESTER)).rejects.toMatchObject({
          field: 'baseUrl',
        });
    }
    const whole = { apiKey: KEY, kind: 'openai', baseUrl: null } as const;
    expect(await home.providers.change(runtime, 'mine', whole, TESTER)).toMatchObject({
      available: true,
      baseUrl: 'https://api.openai.com/v1',
    });
  });

  it('[MODEL8.5] an invalid URL in the database disables its provider, and the server starts', async () => {
    const first = await start();
    const { runtime } = first.home.engine;
    const { store } = runtime;
    await first.home.providers.add(runtime, { kind: 'vllm', name: 'Box', baseUrl: DEAD }, TESTER);
    await store.transact('', async (tx) => {
      const [record] = await tx.providers();
      if (record !== undefined) await tx.updateProvider({ ...record, baseUrl: 'nope' });
    });
    await stop();
    const { home } = await start();
    expect((await home.providers.list())[0]).toMatchObject({
      id: 'box',
      available: false,
      problem: expect.stringContaining('its URL is invalid') as string,
    });
    expect(await home.providers.models('box')).toMatchObject({ problem: { code: 'failed' } });
    const changed = await home.providers.change(home.engine.runtime, 'box', { baseUrl: DEAD }, TESTER);
    expect(changed).toMatchObject({ available: true });
  });

  it('[MODEL8.2] the server refuses to start with a weak COUNTERSIGN_SECRETS_KEY', async () => {
    await expect(start({ COUNTERSIGN_SECRETS_KEY: 'weak' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'COUNTERSIGN_SECRETS_KEY',
    });
  });

  it('[MODEL7.7] [MODEL7.8] keys in the environment still work, and their providers are listed with the variable', async () => {
    const { home } = await start({ OPENAI_API_KEY: KEY });
    const { runtime } = home.engine;
    const openai = (await home.providers.list()).find(({ id }) => id === 'openai');
    expect(openai).toMatchObject({ source: 'environment', variable: 'OPENAI_API_KEY', hasKey: true });
    const given = { kind: 'openai', name: 'OpenAI', apiKey: `${KEY}2` } as const;
    await expect(home.providers.add(runtime, given, TESTER)).rejects.toMatchObject({ code: 'conflict', field: 'name' });
    // Without a key in the environment, a saved provider takes the vendor's usual id.
    const claude = { kind: 'anthropic', name: 'Anthropic', apiKey: KEY } as const;
    expect(await home.providers.add(runtime, claude, TESTER)).toMatchObject({ id: 'anthropic', source: 'stored' });
    const ids = (await home.providers.list()).map(({ id }) => id);
    expect(ids.filter((id) => id === 'anthropic')).toEqual(['anthropic']);
    expect(await home.providers.test('google', undefined)).toMatchObject({ ok: false, code: 'no-key' });
    expect(await home.providers.test('scripted', undefined)).toMatchObject({ ok: true });
    expect((await home.providers.models('scripted')).items).toEqual([{ id: 'demo' }]);
  });
});
