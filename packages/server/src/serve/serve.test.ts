import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatSchema, listOf, sessionSchema, worldSchema } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { scaled } from '../../../../tests/support/scaled.js';
import { SERVE } from '../home/home-owner.js';
import { freePort } from '../testing/free-port.js';
import { openStream } from '../testing/open-stream.js';
import { send } from '../testing/send.js';
import { startCommand, startServer, type Run, type ServerProcess } from '../testing/start-process.js';
import { listenOn } from './listen-on.js';
import { serve, type Serving } from './serve.js';
import { findServer } from './server-file.js';

const OWN_TOKEN = 'a-token-from-the-environment-0123456789';
let folder = '';
let home = '';
let runs: Run[] = [];
const here: Serving[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-serve-'));
  home = join(folder, 'home');
});
afterEach(async () => {
  for (const run of runs) {
    run.process.kill('SIGKILL');
    await run.exited;
  }
  for (const serving of here.splice(0)) await serving.close();
  runs = [];
  await rm(folder, { recursive: true, force: true });
});

async function start(options?: Parameters<typeof startServer>[1]): Promise<ServerProcess> {
  const server = await startServer(home, options);
  runs.push(server);
  return server;
}

/** A server in this process, which starts faster. */
async function serveHere(env: NodeJS.ProcessEnv = {}): Promise<Serving> {
  const quiet = (): void => undefined;
  const serving = await serve({
    home,
    env,
    log: { info: quiet, warn: quiet, error: quiet },
    port: 0,
    sandbox: { kind: 'none', reason: 'no command runs here' },
    ollamaUrl: 'http://127.0.0.1:9',
    command: SERVE,
    version: 'test',
  });
  here.push(serving);
  return serving;
}

const bearer = ({ token }: ServerProcess): Record<string, string> => ({ authorization: `Bearer ${token}` });
/** An unfinished request, which must not delay a shutdown for long. */
function sendHalf(server: ServerProcess): void {
  const headers = { ...bearer(server), 'content-length': '100' };
  const half = request(`${server.url}/api/worlds`, { method: 'POST', headers });
  half.on('error', () => undefined);
  half.write('{');
}
const newChat = (server: ServerProcess) =>
  server.api('/worlds/harbour/chats', chatSchema, { method: 'POST', body: {} });

// Starts several processes, which is slow on a busy machine.
describe('countersign serve', () => {
  it('[TERM1.1] [WHO1.1] [STORE4] [HTTP13] [STORE3] prints its URL on one line, its start link opens one session, and it ends with notices', async () => {
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
    expect(server.stderr()).not.toContain(server.token);

    // Its URL is in its home, without a credential.
    const file = join(home, 'server.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url: server.url, pid: server.process.pid });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await findServer(home)).toEqual({ url: server.url, pid: server.process.pid, startedBy: 'serve' });
    await expect(serveHere()).rejects.toThrow(`A server is already running for this home folder: ${server.url} `);
    expect((await send(`${server.url}/api/health`)).status).toBe(200);

    // SIGTERM notifies streams and doesn't wait for clients.
    const { id } = await newChat(server);
    const streams = await Promise.all(
      ['/worlds/harbour/events', `/worlds/harbour/chats/${id}/events`].map((path) =>
        openStream(`${server.url}/api${path}`, { headers: bearer(server) }),
      ),
    );
    sendHalf(server);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    for (const stream of streams) {
      expect(await stream.over).toBe(true);
      expect(stream.frames.at(-1)).toMatchObject({ event: 'system', data: { type: 'notice' } });
    }
    expect(existsSync(file)).toBe(false);
    expect(await findServer(home)).toBeUndefined();

    // The same browser after a restart on the same port.
    const again = await start({ words: ['--port', port] });
    expect(again.token).toBe(server.token);
    expect(await ask({ cookie, 'x-countersign-session': session })).toBe(200);
    // A second signal ends the process at once, although the half-sent request delays the shutdown. Use two different
    // signals: the system may merge two equal ones.
    sendHalf(again);
    await newChat(again);
    again.process.kill('SIGTERM');
    expect(await again.end('SIGINT')).toEqual({ code: 130, signal: null });
  });

  it('[STORE4] [WHO1.6] [TERM1.1] exactly one of several concurrent starts wins, and its files are ignored after it was killed', async () => {
    const env = { HOME: folder, COUNTERSIGN_TOKEN: OWN_TOKEN };
    const words = ['serve', '--json', '--port', '0', '--home', home, '--log-level', 'silent'];
    const started = Array.from({ length: scaled(3, 2) }, () => startCommand(words, env));
    runs.push(...started);
    const ended = new Set<Run>();
    for (const run of started) void run.exited.then(() => ended.add(run));
    await expect.poll(() => ended.size, { timeout: 90_000 }).toBe(started.length - 1);
    const [winner] = started.filter((run) => !ended.has(run));
    await expect.poll(() => winner?.stdout()).toMatch(/^\{.*\}\n$/);
    expect(ended.size).toBe(started.length - 1);
    for (const run of ended) {
      expect(run.process.exitCode).toBe(1);
      // The second text appears if the first server starts slowly, as on a busy machine.
      expect(run.stderr()).toMatch(
        /^countersign: (?:A server is already running for this home folder: http:|The home folder .* is in use by (?:"countersign serve"|another process) \(pid \d+\)\.).*\n$/,
      );
    }
    // A token from the environment is never printed.
    const said = z.strictObject({ url: z.string(), open: z.string() }).parse(JSON.parse(winner?.stdout() ?? ''));
    const headers = { authorization: `Bearer ${OWN_TOKEN}` };
    expect((await send(`${said.url}/api/worlds`, { headers })).status).toBe(200);

    winner?.process.kill('SIGKILL');
    await winner?.exited;
    expect(existsSync(join(home, 'server.json'))).toBe(true);
    expect(await findServer(home)).toBeUndefined();
    await serveHere();
    // A reused PID, and a URL where no program or another one answers.
    await mkdir(join(folder, 'other'));
    for (const text of ['', '{}', JSON.stringify({ url: 'http://127.0.0.1:9', pid: process.pid })]) {
      await writeFile(join(folder, 'other', 'server.json'), text);
      expect(await findServer(join(folder, 'other'))).toBeUndefined();
    }
  });

  it('[WHO1.6] fails with a one-sentence error, and no process keeps running', async () => {
    const taken = createServer();
    const port = await listenOn(taken, 0, '127.0.0.1');
    const run = startCommand(['serve', '--port', String(port), '--home', home, '--log-level', 'silent'], {
      HOME: folder,
    });
    runs.push(run);
    expect(await run.exited).toEqual({ code: 1, signal: null });
    taken.close();
    expect(run.stdout()).toBe('');
    expect(run.stderr()).toMatch(new RegExp(`^countersign: Port ${port} is in use by another program\\. .*\\n$`));
    await expect(serveHere({ COUNTERSIGN_TOKEN: 'short' })).rejects.toThrow(
      /^COUNTERSIGN_TOKEN has 5 characters, but needs at least 32\. /,
    );
    // The failed starts have released the home and the port.
    await serveHere();
  });

  it('[WHO1.6] [TERM1.1] prints the URL and where the token is; logs are JSON on standard error, without the token', async () => {
    const run = startCommand(['--port', '0', '--home', home, '--no-open'], {
      HOME: folder,
      COUNTERSIGN_TOKEN: OWN_TOKEN,
    });
    runs.push(run);
    await expect
      .poll(() => run.stdout(), { timeout: 90_000 })
      .toContain('Token for programs: the one in COUNTERSIGN_TOKEN');
    expect(run.stdout()).toMatch(
      /^Countersign is listening on http:\/\/localhost:\d+\nOpen http:\/\/localhost:\d+\/#ticket=/,
    );
    const line = z.object({ level: z.string(), msg: z.string(), url: z.string() });
    await expect.poll(() => run.stderr()).toContain('\n');
    expect(line.parse(JSON.parse(run.stderr().split('\n')[0] ?? ''))).toMatchObject({
      level: 'info',
      msg: 'listening',
    });
    expect(run.stdout() + run.stderr()).not.toContain(OWN_TOKEN);
  });
});
