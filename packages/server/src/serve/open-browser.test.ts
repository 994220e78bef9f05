import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { expect, it } from 'vitest';
import { browserCommand, browserEnvironment, hasDisplay, writeRedirect } from './open-browser.js';

it('[TERM1.2] opens a browser only if there is a display', () => {
  expect(hasDisplay({}, 'linux')).toBe(false);
  expect(hasDisplay({ DISPLAY: '' }, 'linux')).toBe(false);
  expect(hasDisplay({ DISPLAY: ':0' }, 'linux')).toBe(true);
  expect(hasDisplay({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toBe(true);
  expect(hasDisplay({}, 'darwin')).toBe(true);
  expect(hasDisplay({ SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }, 'darwin')).toBe(false);
  expect(hasDisplay({ DISPLAY: ':0', CI: 'true' }, 'linux')).toBe(false);
});

it('[WHO1.1] passes the start link in a private file, never as an argument', async () => {
  const home = await mkdtemp(join(tmpdir(), 'countersign-home-'));
  try {
    const url = 'http://127.0.0.1:4747/#ticket=secret"<&';
    const file = writeRedirect(url, home);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).toContain(
      'content="0;url=http://127.0.0.1:4747/#ticket=secret&quot;&lt;&amp;"',
    );
    for (const platform of ['linux', 'darwin', 'win32'])
      expect(browserCommand(file, platform)?.join(' ') ?? '').not.toContain('ticket');
    expect(writeRedirect('http://127.0.0.1:4747/#ticket=next', home)).toBe(file);
    expect(await readFile(file, 'utf8')).not.toContain('secret');
  } finally {
    await rm(home, { recursive: true });
  }
});

it('[MCP1.1] the browser’s environment has no token or API key, which its processes would expose for days', () => {
  const env = {
    DISPLAY: ':0',
    COUNTERSIGN_TOKEN: 'a token',
    DATABASE_URL: 'postgres://a:b@c',
    OPENAI_API_KEY: 'a key',
  };
  for (const platform of ['linux', 'darwin', 'win32']) {
    const { PATH: _path, ...rest } = browserEnvironment(env, platform);
    expect(rest).toEqual({ DISPLAY: ':0' });
  }
});

it('[SAFE1.4] never starts a program that an agent may have put on our PATH', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-bin-'));
  const former = process.env['PATH'];
  try {
    await writeFile(join(folder, 'xdg-open'), '#!/bin/sh\n', { mode: 0o755 });
    process.env['PATH'] = `${folder}:${former}`;
    const program = browserCommand('/home/ada/open.html', 'linux')?.[0] ?? '/usr/bin/xdg-open';
    expect(isAbsolute(program)).toBe(true);
    expect(program).not.toContain(folder);
  } finally {
    process.env['PATH'] = former;
    await rm(folder, { recursive: true });
  }
});
