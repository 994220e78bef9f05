import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listenOn } from '../../serve/listen-on.js';
import { serve } from '../../serve/serve.js';
import { checkModels } from './check-models.js';
import { checkHome, checkSandbox, diagnose } from './diagnose.js';

it('[TERM3.1] doctor reports whether a custom endpoint responds, and which providers were not tested', async () => {
  const server = createServer((_, response) => response.end('{"data":[]}'));
  const url = `http://127.0.0.1:${await listenOn(server, 0, '127.0.0.1')}/v1`;
  const nowhere = 'http://127.0.0.1:9/v1';
  try {
    const findings = await checkModels(
      {
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: url,
        ANTHROPIC_API_KEY: 'none',
        ANTHROPIC_BASE_URL: nowhere,
        GEMINI_API_KEY: 'none',
      },
      undefined,
      'http://127.0.0.1:9',
    );
    const ofAnthropic = `configured (ANTHROPIC_API_KEY), but no response from ${nowhere}: connection refused`;
    expect(findings.map(({ what, state, detail }) => [what, state, detail])).toEqual([
      ['environment', 'fine', 'API keys and URLs from this shell; countersign providers lists the saved ones'],
      ['anthropic', 'warning', ofAnthropic],
      ['openai', 'fine', `configured (OPENAI_API_KEY), answers at ${url} (OPENAI_BASE_URL)`],
      ['google', 'fine', 'configured (GEMINI_API_KEY); the key was not tested'],
      ['ollama', 'missing', 'no response from http://127.0.0.1:9'],
    ]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

it('[TERM3.1] [MCP4.3] doctor reports the API keys of a running server, and which of its MCP servers need a sign-in or don’t start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-doctor-'));
  const home = join(folder, 'home');
  const refusing = createServer((_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  const url = `http://127.0.0.1:${await listenOn(refusing, 0, '127.0.0.1')}/mcp`;
  const quiet = (): void => undefined;
  const log = { info: quiet, warn: quiet, error: quiet };
  const server = await serve({ home, env: { OPENAI_API_KEY: 'of-the-server' }, log, port: 0, version: 'test' });
  const token = server.home.token.value;
  try {
    const call = async (method: string, path: string, body?: object): Promise<unknown> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return await (await fetch(`${server.url}/api/${path}`, { method, headers, ...sent })).json();
    };
    await call('POST', 'worlds', { name: 'Docks' });
    const servers = 'worlds/docks/mcp-servers';
    await call('POST', servers, { name: 'wiki', transport: 'http', url });
    await call('POST', servers, { name: 'gone', transport: 'stdio', command: '/nowhere/server' });
    for (const name of ['wiki', 'gone']) await call('POST', `${servers}/${name}/test`);
    const findings = await diagnose(home, { ANTHROPIC_API_KEY: 'of-this-shell' }, 0);
    expect(Object.fromEntries(findings.map(({ what, detail }) => [what, detail]))).toMatchObject({
      environment: `API keys and URLs from the server at ${server.url}`,
      openai: "configured (OPENAI_API_KEY) in the server's environment; not tested",
      anthropic: 'the server found no key, although this shell has one',
      google: 'no key found',
    });
    const found = findings.filter(({ what }) => what.startsWith('mcp '));
    expect(found.map(({ what, state, detail }) => [what, state, detail])).toEqual([
      ['mcp wiki', 'warning', 'needs sign-in, in "docks"'],
      ['mcp gone', 'warning', 'does not start, in "docks"'],
    ]);
    expect(found[0]?.advice).toContain('countersign mcp login wiki -w docks');
    const others = await diagnose(home, { COUNTERSIGN_TOKEN: 'of-another-server' }, 0);
    expect(Object.fromEntries(others.map(({ what, detail }) => [what, detail]))).toMatchObject({
      environment: `could not get the API keys and URLs from the server at ${server.url}; those of this shell may differ`,
      openai: 'no key found',
    });
  } finally {
    await server.close();
    refusing.closeAllConnections();
    refusing.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('[STORE7] [TERM3] doctor reports a full disk', () => {
  const home = tmpdir();
  expect(checkHome(home, () => 40 * 1024)).toEqual({
    what: 'home',
    state: 'broken',
    detail: `${home} is on a full disk (40 KB free)`,
    advice: 'Free some space, or choose another folder with --home or COUNTERSIGN_HOME.',
  });
  expect(checkHome(home, () => 1e9)).toEqual({ what: 'home', state: 'fine', detail: home });
});

it('[STORE5.1] [TERM3] doctor adds no advice to the error of a store, which already says what to do', async () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-doctor-'));
  try {
    const file = join(home, 'countersign.db');
    writeFileSync(file, 'a letter');
    expect((await diagnose(home, {}, 0)).find(({ what }) => what === 'database')).toEqual({
      what: 'database',
      state: 'broken',
      detail: `${file} is not a Countersign store. It was not changed. Choose another file.`,
    });
  } finally {
    rmSync(home, { recursive: true });
  }
});

it('[SAFE1.5] doctor explains what a missing sandbox means', () => {
  const found = checkSandbox('/home/ada/.countersign', { kind: 'none', reason: 'bubblewrap is not installed' });
  expect(found).toMatchObject({
    what: 'sandbox',
    state: 'warning',
    detail:
      "none: bubblewrap is not installed. Nothing stops an approved command from reading and changing your files, using the network or approving its own calls. The same goes for MCP servers; one that is limited to hosts doesn't start.",
  });
});

it('[CHANGE1.1] doctor says which kind of draft is used, and how to get overlays', () => {
  const drafting = { how: 'copy', folder: '/x', flock: '/usr/bin/flock', reason: 'wrong fs type' } as const;
  const sandbox = { kind: 'bubblewrap', program: '/usr/bin/bwrap', userNamespace: [], sizeArguments: [] } as const;
  const copies = checkSandbox('/home/ada/.countersign', { ...sandbox, drafting });
  expect(copies.state).toBe('warning');
  expect(copies.detail).toContain(
    'drafts are copies of the working folder, because no overlay can be mounted (wrong fs type). Commands run in folders with at most 2,048 MiB in 200,000 files, and approvals have a preview in folders with at most 256 MiB in 20,000 files',
  );
  expect(copies.advice).toContain('XDG_CACHE_HOME');
  const overlay = { how: 'bubblewrap', program: '/usr/bin/bwrap', folder: '/x', flock: '/usr/bin/flock' } as const;
  const overlays = checkSandbox('/home/ada/.countersign', { ...sandbox, drafting: overlay });
  expect(overlays).toMatchObject({ state: 'fine', detail: expect.stringContaining('drafts are overlays') as string });
  expect(checkSandbox('/home/ada/.countersign', { kind: 'sandbox-exec', program: 'x' }).detail).toContain(
    'no drafts, so approvals have no preview',
  );
});
