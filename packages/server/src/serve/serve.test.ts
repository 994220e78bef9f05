import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatSchema, listOf, sessionSchema, worldSchema } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freePort } from '../testing/free-port.js';
import { openStream } from '../testing/open-stream.js';
import { send } from '../testing/send.js';
import { startCommand, startServer, type Run, type ServerProcess } from '../testing/start-process.js';
import { listenOn } from './listen-on.js';
import { findServer } from './server-file.js';

let folder = '';
let home = '';
let runs: Run[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-serve-'));
  home = join(folder, 'home');
});
afterEach(async () => {
  for (const run of runs) {
    run.process.kill('SIGKILL');
    await run.exited;
  }
  runs = [];
  await rm(folder, { recursive: true, force: true });
});

async function start(options?: Parameters<typeof startServer>[1]): Promise<ServerProcess> {
  const server = await startServer(home, options);
  runs.push(server);
  return server;
}

/** A run that is expected to fail. */
async function fails(words: readonly string[], env: Record<string, string> = {}, expected = 1): Promise<string> {
  const run = startCommand(words, { HOME: folder, ...env });
  runs.push(run);
  const { code } = await run.exited;
  expect({ code, stdout: run.stdout() }).toEqual({ code: expected, stdout: '' });
  return run.stderr();
}

const bearer = ({ token }: ServerProcess): Record<string, string> => ({ authorization: `Bearer ${token}` });
const newChat = (server: ServerProcess) =>
  server.api('/worlds/harbour/chats', chatSchema, { method: 'POST', body: {} });

// Starts several processes, which is slow on a busy machine.
describe('countersign serve', () => {
  it('[X1.1] [W1.1] prints its URL on one line, and its start link opens one session', async () => {
    const port = String(await freePort());
    const server = await start({ words: ['--port', port] });
    expect(server.open).toMatch(new RegExp(`^${server.url}/#ticket=[\\w-]{43}$`));
    expect(server.open).not.toContain(server.token);
    const worlds = await server.api('/worlds', listOf(worldSchema));
    expect(worlds.items.map(({ name }) => name)).toEqual(['Harbour']);
    const ticket = server.open.split('ticket=')[1];
    const redeem = () => send(`${server.url}/api/session`, { method: 'POST', body: { ticket } });
    const first = await redeem();
    const { session } = sessionSchema.parse(JSON.parse(first.text));
    const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect((await redeem()).status).toBe(401);
    const ask = async (headers: Record<string, string>) => (await send(`${server.url}/api/worlds`, { headers })).status;
    expect(await ask({ cookie, 'x-countersign-session': session })).toBe(200);
    expect(await ask({ cookie })).toBe(401);
    expect(await ask({})).toBe(401);
    expect(await ask({ ...bearer(server), host: 'evil.example' })).toBe(403);
    expect(await ask({ ...bearer(server), origin: 'http://evil.example' })).toBe(403);
    expect((await send(`${server.url}/api/health`)).status).toBe(200);
    expect(server.stdout().trim().split('\n')).toHaveLength(1);

    // The same browser after a restart on the same port.
    await server.end('SIGTERM');
    const again = await start({ words: ['--port', port] });
    expect(again.token).toBe(server.token);
    expect(await ask({ cookie, 'x-countersign-session': session })).toBe(200);
  });

  it('[S4] writes its URL to its home, without a credential, and removes it on exit', async () => {
    const server = await start();
    const file = join(home, 'server.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url: server.url, pid: server.process.pid });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await findServer(home)).toEqual({ url: server.url, pid: server.process.pid, startedBy: 'serve' });
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(existsSync(file)).toBe(false);
    expect(await findServer(home)).toBeUndefined();
  });

  it('[S4] a second server on the same home reports where the first one is', async () => {
    const server = await start();
    const said = await fails(['serve', '--home', home, '--port', '0', '--no-open', '--log-level', 'silent']);
    expect(said).toMatch(
      new RegExp(`^countersign: A server is already running for this home folder: ${server.url} .*\\n$`),
    );
    expect((await send(`${server.url}/api/health`)).status).toBe(200);
  });

  it('[S4] exactly one of several concurrent starts wins', async () => {
    const words = ['serve', '--json', '--port', '0', '--home', home, '--log-level', 'silent'];
    const started = Array.from({ length: 3 }, () => startCommand(words, { HOME: folder }));
    runs.push(...started);
    const ended = new Set<Run>();
    for (const run of started) void run.exited.then(() => ended.add(run));
    await expect.poll(() => ended.size, { timeout: 90_000 }).toBe(2);
    const [winner] = started.filter((run) => !ended.has(run));
    await expect.poll(() => winner?.stdout()).toMatch(/^\{.*\}\n$/);
    expect(ended.size).toBe(2);
    for (const run of ended) {
      expect(run.process.exitCode).toBe(1);
      // The second text appears if the first server starts slowly, as on a busy machine.
      expect(run.stderr()).toMatch(
        /^countersign: (?:A server is already running for this home folder: http:|The home folder .* is in use by (?:"countersign serve"|another process) \(pid \d+\)\.).*\n$/,
      );
    }
  });

  it('[S4] ignores files that a dead server left behind', async () => {
    const server = await start();
    await server.end('SIGKILL');
    expect(existsSync(join(home, 'server.json'))).toBe(true);
    expect(await findServer(home)).toBeUndefined();
    await start();
    // A reused PID, and a URL where no program or another one answers.
    await mkdir(join(folder, 'other'));
    for (const text of ['', '{}', JSON.stringify({ url: 'http://127.0.0.1:9', pid: process.pid })]) {
      await writeFile(join(folder, 'other', 'server.json'), text);
      expect(await findServer(join(folder, 'other'))).toBeUndefined();
    }
  });

  it('fails with a one-sentence error, and no process keeps running', async () => {
    const taken = createServer();
    const port = await listenOn(taken, 0, '127.0.0.1');
    const quiet = ['--home', home, '--log-level', 'silent'];
    const [busy, noNumber, noOption, noCommand] = await Promise.all([
      fails(['serve', '--port', String(port), ...quiet]),
      fails(['serve', ...quiet], { PORT: 'eighty' }, 2),
      fails(['--no-such-option'], {}, 2),
      fails(['dance'], {}, 2),
    ]);
    taken.close();
    expect(busy).toMatch(new RegExp(`^countersign: Port ${port} is in use by another program\\. .*\\n$`));
    expect(noNumber).toContain('Invalid port "eighty"');
    expect(noOption).toContain('--help');
    expect(noCommand).toContain('Unknown command "dance"');
    // The failed starts have released the home and the port.
    await start();
  });
});

describe('shutdown', () => {
  it('[W4] [S3] SIGTERM notifies streams, parks turns and doesn’t wait for clients', async () => {
    const server = await start();
    const { id } = await newChat(server);
    const streams = await Promise.all(
      ['/worlds/harbour/events', `/worlds/harbour/chats/${id}/events`].map((path) =>
        openStream(`${server.url}/api${path}`, { headers: bearer(server) }),
      ),
    );
    // An unfinished request, which must not delay the shutdown.
    const half = request(`${server.url}/api/worlds`, {
      method: 'POST',
      headers: { ...bearer(server), 'content-length': '100' },
    });
    half.on('error', () => undefined);
    half.write('{');
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    for (const stream of streams) {
      expect(await stream.over).toBe(true);
      expect(stream.frames.at(-1)).toMatchObject({ event: 'system', data: { type: 'notice' } });
    }
  });

  it('a second signal ends the process immediately', async () => {
    const server = await start();
    const half = request(`${server.url}/api/worlds`, {
      method: 'POST',
      headers: { ...bearer(server), 'content-length': '100' },
    });
    half.on('error', () => undefined);
    half.write('{');
    await newChat(server);
    // The half-sent request delays the shutdown. Use two different signals: the system may merge two equal ones.
    server.process.kill('SIGTERM');
    expect(await server.end('SIGINT')).toEqual({ code: 130, signal: null });
  });
});

describe('output', () => {
  it('prints the URL and where the token is; logs are JSON on standard error', async () => {
    const run = startCommand(['--port', '0', '--home', home, '--no-open'], { HOME: folder });
    runs.push(run);
    await expect.poll(() => run.stdout(), { timeout: 90_000 }).toContain('Token for programs: in ');
    expect(run.stdout()).toMatch(
      /^Countersign is listening on http:\/\/localhost:\d+\nOpen http:\/\/localhost:\d+\/#ticket=/,
    );
    const token = (await readFile(join(home, 'token'), 'utf8')).trim();
    expect(run.stdout()).not.toContain(token);
    const line = z.object({ level: z.string(), msg: z.string(), url: z.string() });
    await expect.poll(() => run.stderr()).toContain('\n');
    expect(line.parse(JSON.parse(run.stderr().split('\n')[0] ?? ''))).toMatchObject({
      level: 'info',
      msg: 'listening',
    });
    expect(run.stderr()).not.toContain(token);
  });

  it('[W1.6] [X1.1] never prints COUNTERSIGN_TOKEN, and rejects a short one', async () => {
    const token = 'a-token-from-the-environment-0123456789';
    const words = ['serve', '--port', '0', '--home', home, '--no-open', '--log-level', 'info'];
    const refused = await fails(words, { COUNTERSIGN_TOKEN: 'short' });
    expect(refused).toMatch(/^countersign: COUNTERSIGN_TOKEN has 5 characters, but needs at least 32\. .*\n$/);
    const run = startCommand(words, { HOME: folder, COUNTERSIGN_TOKEN: token });
    runs.push(run);
    await expect
      .poll(() => run.stdout(), { timeout: 90_000 })
      .toContain('Token for programs: the one in COUNTERSIGN_TOKEN');
    await expect.poll(() => run.stderr()).toContain('listening');
    expect(run.stdout() + run.stderr()).not.toContain(token);
    run.process.kill('SIGTERM');
    await run.exited;
    const server = await start({ env: { COUNTERSIGN_TOKEN: token } });
    expect(Object.keys(JSON.parse(server.stdout()) as object)).toEqual(['url', 'open']);
    expect((await send(`${server.url}/api/worlds`, { headers: bearer(server) })).status).toBe(200);
  });
});
