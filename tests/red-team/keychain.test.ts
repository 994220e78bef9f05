import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAgent, createChat, createWorld, publishMessage } from '@countersign/core';
import { MAY_ALL, scripted } from '@countersign/core/testing';
import { serve, type Serving } from '@countersign/server';
import { expect, it, onTestFinished } from 'vitest';
import { ME } from './site.js';

const KEY = 'sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
const PROGRAMS = ['dbus-daemon', 'gnome-keyring-daemon', 'secret-tool'].map((name) => `/usr/bin/${name}`);

const obedient = scripted(({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== 'user') return 'done';
  return { calls: JSON.parse(last.content) as { name: string; arguments: Record<string, unknown> }[] };
});

/** A session bus with an unlocked keyring, whose socket is in the working folder, which the sandbox otherwise shows. */
async function openKeyring(base: string): Promise<NodeJS.ProcessEnv | undefined> {
  for (const folder of ['person', 'work']) mkdirSync(join(base, folder));
  const env = { HOME: join(base, 'person'), XDG_RUNTIME_DIR: join(base, 'person'), PATH: '/usr/bin:/bin' };
  const words = ['--session', '--nofork', '--print-address=1', `--address=unix:path=${base}/work/bus`];
  const bus = spawn('/usr/bin/dbus-daemon', words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void bus.kill());
  const [address] = (await once(bus.stdout, 'data')) as [Buffer];
  const reached = { ...env, DBUS_SESSION_BUS_ADDRESS: address.toString().trim() };
  // Returns when the keyring is unlocked and reachable. It ends with the bus.
  const unlocked = ['--unlock', '--components=secrets'];
  spawnSync('/usr/bin/gnome-keyring-daemon', unlocked, { env: reached, input: 'a password' });
  const probe = spawnSync('/usr/bin/secret-tool', ['store', '--label=probe', 'probe', 'yes'], {
    env: reached,
    input: 'x',
    timeout: 10_000,
  });
  return probe.status === 0 ? { ...reached, DISPLAY: ':0' } : undefined;
}

it('[MODEL8.2] [MODEL8.7] [MODEL8.9] the secrets key is in the desktop’s keychain, an obedient agent can’t read it, and a lost one is not replaced', async (test) => {
  test.skip(!PROGRAMS.every((program) => existsSync(program)), 'needs dbus-daemon, gnome-keyring and libsecret-tools');
  // The sandboxes of other tests don't see the temporary folder, so they don't hide a socket that is gone when they start.
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'countersign-keychain-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const env = await openKeyring(base);
  if (env === undefined) return test.skip('gnome-keyring does not run here');
  let logged = '';
  const log = (message: string, fields?: object): void => {
    logged += `${message} ${JSON.stringify(fields)}\n`;
  };
  const open = async (home: string, more: NodeJS.ProcessEnv): Promise<Serving> => {
    const serving = await serve({
      home: join(base, home),
      env: { ...more },
      log: { info: log, warn: log, error: log },
      port: 0,
      providers: [{ ...obedient, name: 'obedient' }],
      ollamaUrl: 'http://127.0.0.1:9',
      version: 'test',
    });
    onTestFinished(() => serving.close());
    return serving;
  };
  const first = await open('home', env);
  test.skip(first.home.sandbox.kind === 'none', 'needs a sandbox');
  const { runtime } = first.home.engine;
  await first.home.providers.add(runtime, { kind: 'openai', name: 'OpenAI', apiKey: KEY }, ME);
  expect(existsSync(join(base, 'home-secrets'))).toBe(false);
  const attributes = ['service', 'countersign secrets key', 'home', join(base, 'home')];
  const lookUp = (): string =>
    spawnSync('/usr/bin/secret-tool', ['lookup', ...attributes], { env, encoding: 'utf8' }).stdout;
  const secretsKey = lookUp();
  expect(secretsKey).toMatch(/^[\w-]{43}$/);

  // The command can see the folder with the socket, but not the socket itself.
  await createWorld(
    runtime,
    { name: 'Lab', mode: 'auto', workingDirectory: join(base, 'work'), streaming: false },
    ME,
    MAY_ALL,
  );
  await addAgent(runtime, 'lab', { name: 'Ada', provider: 'obedient', model: 'm', tools: ['*'] }, ME);
  const chat = await createChat(runtime, 'lab');
  const bus = `DBUS_SESSION_BUS_ADDRESS=${env['DBUS_SESSION_BUS_ADDRESS'] ?? ''}`;
  const words = attributes.map((word) => `'${word}'`).join(' ');
  const command = `exec 2>&1; ${bus} timeout 10 secret-tool lookup ${words}; secret-tool lookup ${words}; echo "== tried"`;
  const content = JSON.stringify([{ name: 'shell_cmd', arguments: { command } }]);
  await publishMessage(runtime, { worldId: 'lab', chatId: chat.id, speaker: 'human', content });
  await first.home.engine.quiet();
  const told = JSON.stringify(obedient.requests.at(-1)?.messages.filter(({ role }) => role === 'tool'));
  expect(told).toContain('== tried');
  expect(told).toMatch(/onnect|refused|No such file/);
  expect(told).not.toContain(secretsKey);
  expect(told).not.toContain('‹masked›');
  await first.close();
  const files = readdirSync(join(base, 'home'), { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'));
  for (const secret of [secretsKey, KEY]) expect(files.join('') + logged).not.toContain(secret);

  // A later start without a display still reads it.
  const { DISPLAY: _display, ...headless } = env;
  const second = await open('home', headless);
  expect(second.home.engine.runtime.ownSecrets()).toContain(KEY);
  await second.close();

  // A lost entry is not replaced while a saved key needs it.
  spawnSync('/usr/bin/secret-tool', ['clear', ...attributes], { env });
  logged = '';
  const third = await open('home', env);
  expect(logged).toContain("Saved secrets can't be read");
  expect(third.home.engine.runtime.ownSecrets()).not.toContain(KEY);
  await expect(
    third.home.providers.add(third.home.engine.runtime, { kind: 'openai', name: 'Other', apiKey: KEY }, ME),
  ).rejects.toThrow('It is not in the keychain of this desktop (secret service) either');
  expect(lookUp()).toBe('');
  expect(existsSync(join(base, 'home-secrets'))).toBe(false);
  await third.close();

  // Without a display, or if it is turned off, a new home gets a file, and the file stays in use.
  const fourth = await open('plain', headless);
  await fourth.close();
  expect(existsSync(join(base, 'plain-secrets'))).toBe(true);
  const fifth = await open('off', { ...env, COUNTERSIGN_KEYCHAIN: 'off' });
  await fifth.close();
  expect(existsSync(join(base, 'off-secrets'))).toBe(true);
});
