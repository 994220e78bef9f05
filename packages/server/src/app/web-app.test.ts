import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeApps, openApp } from '../testing/app-fixture.js';
import { open, send } from '../testing/send.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-web-'));
  await mkdir(join(folder, 'web', 'assets'), { recursive: true });
  await writeFile(join(folder, 'web', 'index.html'), '<!doctype html><title>app</title>');
  await writeFile(join(folder, 'web', 'assets', 'main-1234.js'), 'start()');
  await writeFile(join(folder, 'secret.txt'), 'secret');
});
afterEach(async () => {
  await closeApps();
  await rm(folder, { recursive: true, force: true });
});

it("[WHO1] serves the web app's files without a credential, and its start page for every page URL", async () => {
  const t = await openApp({ context: { webRoot: join(folder, 'web') } });
  const start = await send(`${t.url}/`);
  expect(start).toMatchObject({ status: 200, text: expect.stringContaining('app') as string });
  expect(start.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
  expect((await send(`${t.url}/worlds/harbour`)).text).toBe(start.text);
  const script = await send(`${t.url}/assets/main-1234.js`);
  expect(script).toMatchObject({ status: 200, text: 'start()' });
  expect(script.headers['cache-control']).toContain('immutable');
  const again = { headers: { 'if-none-match': script.headers.etag ?? '' } };
  expect((await send(`${t.url}/assets/main-1234.js`, again)).status).toBe(304);
  expect((await send(`${t.url}/missing.js`)).status).toBe(404);
  expect((await send(`${t.url}/`, { method: 'POST' })).status).toBe(405);
});

it("[WHO1.8] sends a file's compressed copy to a browser that accepts it", async () => {
  const script = join(folder, 'web', 'assets', 'main-1234.js');
  const copies = { br: brotliCompressSync('start()'), gzip: gzipSync('start()') };
  await writeFile(`${script}.br`, copies.br);
  await writeFile(`${script}.gz`, copies.gzip);
  const t = await openApp({ context: { webRoot: join(folder, 'web') } });
  const address = `${t.url}/assets/main-1234.js`;
  const ask = async (accept: string) => {
    const response = await open(address, { headers: { 'accept-encoding': accept } });
    const { 'content-encoding': encoding, 'content-type': type, vary, etag } = response.headers;
    return { encoding, type, vary, etag, body: await buffer(response) };
  };
  const plain = await ask('identity');
  expect(plain).toMatchObject({ encoding: undefined, vary: 'Accept-Encoding', body: Buffer.from('start()') });
  const brotli = await ask('gzip, deflate, br, zstd');
  expect(brotli).toMatchObject({ encoding: 'br', type: plain.type, vary: 'Accept-Encoding', body: copies.br });
  expect(await ask('gzip;q=0.5')).toMatchObject({ encoding: 'gzip', body: copies.gzip });
  expect(await ask('br;q=0, gzip; q=0.0')).toMatchObject({ encoding: undefined, body: plain.body });
  expect(new Set([plain.etag, brotli.etag]).size).toBe(2);
  const unchanged = { 'accept-encoding': 'br', 'if-none-match': brotli.etag ?? '' };
  expect((await send(address, { headers: unchanged })).status).toBe(304);
  expect((await send(`${address}.br`)).status).toBe(404);
});

it("[WHO1] serves nothing outside the web app's folder", async () => {
  const t = await openApp({ context: { webRoot: join(folder, 'web') } });
  for (const path of ['/../secret.txt', '/..%2fsecret.txt', '/assets/..%2f..%2fsecret.txt', '/%2e%2e/secret.txt']) {
    const { status, text } = await send(`${t.url}${path}`);
    expect(status).toBe(404);
    expect(text).not.toBe('secret');
  }
  expect((await send(`${t.url}/`, { headers: { host: 'evil.example' } })).status).toBe(403);
});

it('[WHO1] responds with a message if there is no web app', async () => {
  const t = await openApp();
  const { status, text } = await send(`${t.url}/`);
  expect(status).toBe(404);
  expect(text).toContain('/api');
});
