import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, isAbsolute, join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { inspectPostgres, inspectSqlite, type StoreInspection } from '@countersign/storage';
import {
  describeDrafts,
  describeRunLimits,
  describeSandbox,
  findSandbox,
  findSystemProgram,
  homePrograms,
  type Sandbox,
} from '@countersign/tools';
import { hasDisplay } from '../../serve/open-browser.js';
import { listenOn } from '../../serve/listen-on.js';
import { DEFAULT_PORT } from '../../serve/serve.js';
import { findServer } from '../../serve/server-file.js';
import { checkMcpServers } from './check-mcp-servers.js';
import { askServer, checkModels, type Finding } from './check-models.js';
import { noSandboxText } from './no-sandbox-text.js';

/** Checks what this machine provides and what is missing. Creates no home folder or database, and reveals no secrets. */
export async function diagnose(home: string, env: NodeJS.ProcessEnv, port = DEFAULT_PORT): Promise<Finding[]> {
  const running = await findServer(home);
  const folder = checkHome(home);
  const database = await checkDatabase(home, env, running !== undefined, folder.state !== 'broken');
  return [
    checkNode(),
    folder,
    database.finding,
    running === undefined
      ? { what: 'server', state: 'fine', detail: 'not running; commands start their own' }
      : { what: 'server', state: 'fine', detail: `running at ${running.url}` },
    ...checkWork(database.seen, running !== undefined),
    await checkPort(port, running?.url),
    ...(await checkModels(env, running === undefined ? undefined : await askServer(running.url, home, env))),
    ...(running === undefined ? [] : await checkMcpServers(running.url, home, env)),
    checkSandbox(home, await findSandbox()),
    checkBrowser(env),
  ];
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  const detail = `Node ${process.versions.node}`;
  return isEnough
    ? { what: 'node', state: 'fine', detail }
    : { what: 'node', state: 'broken', detail: `${detail} is too old`, advice: 'Install Node 20.19 or newer.' };
}

/** With less free space, SQLite can't create its file, and a partly written one looks corrupt. */
const LEAST_SPACE = 1024 * 1024;

export function checkHome(home: string, freeOn = freeSpaceOn): Finding {
  const what = 'home';
  const advice = 'Choose another folder with --home or COUNTERSIGN_HOME.';
  if (!isAbsolute(home)) return { what, state: 'broken', detail: `"${home}" is not an absolute path`, advice };
  try {
    if (existsSync(home)) {
      if (!statSync(home).isDirectory()) return { what, state: 'broken', detail: `${home} is not a folder`, advice };
      accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
      return checkSpace(home, freeOn(home)) ?? { what, state: 'fine', detail: home };
    }
    let parent = dirname(home);
    while (!existsSync(parent)) parent = dirname(parent);
    if (!statSync(parent).isDirectory()) return { what, state: 'broken', detail: `${parent} is not a folder`, advice };
    accessSync(parent, constants.W_OK);
    return checkSpace(home, freeOn(parent)) ?? { what, state: 'fine', detail: `${home} (created on first start)` };
  } catch {
    return { what, state: 'broken', detail: `${home} can't be written to`, advice };
  }
}

function checkSpace(home: string, free: number): Finding | undefined {
  if (free >= LEAST_SPACE) return undefined;
  const detail = `${home} is on a full disk (${Math.floor(free / 1024)} KB free)`;
  const advice = 'Free some space, or choose another folder with --home or COUNTERSIGN_HOME.';
  return { what: 'home', state: 'broken', detail, advice };
}

/** Infinity if the file system doesn't report its free space. */
function freeSpaceOn(folder: string): number {
  const { blocks, bavail, bsize } = statfsSync(folder);
  return blocks === 0 ? Infinity : bavail * bsize;
}

async function checkDatabase(
  home: string,
  env: NodeJS.ProcessEnv,
  isRunning: boolean,
  isHomeFine: boolean,
): Promise<{ finding: Finding; seen?: StoreInspection }> {
  const what = 'database';
  const url = env['DATABASE_URL'] ?? '';
  const file = join(home, 'countersign.db');
  const fine = (detail: string): { finding: Finding } => ({ finding: { what, state: 'fine', detail } });
  const broken = (detail: string, advice?: string): { finding: Finding } => ({
    finding: { what, state: 'broken', detail, ...(advice === undefined ? {} : { advice }) },
  });
  if (url !== '' && !/^postgres(?:ql)?:\/\//.test(url)) {
    return broken('DATABASE_URL does not begin with postgres://', 'Correct it, or unset it.');
  }
  if (url === '' && isRunning) return fine(`${file} (in use by the server)`);
  if (url === '' && !isHomeFine) return broken("not checked, because the home folder can't be used");
  if (url === '' && !existsSync(file)) return fine(`${file} (created on first start)`);
  try {
    const seen = url === '' ? inspectSqlite(file) : await inspectPostgres(url);
    return { ...fine(`${url === '' ? file : 'PostgreSQL, at DATABASE_URL'} (${stateOf(seen)})`), seen };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return broken(
      url === '' ? detail : detail.replaceAll(url, 'DATABASE_URL'),
      // Our own errors already say what to do.
      error instanceof CountersignError ? undefined : `Check ${url === '' ? file : 'DATABASE_URL'}.`,
    );
  }
}

/** Reports work that an earlier process left unfinished. It continues only while a process is running. */
function checkWork(seen: StoreInspection | undefined, isRunning: boolean): Finding[] {
  const what = 'work';
  const advice = 'Run countersign serve to continue it.';
  if (isRunning || seen === undefined) return [];
  if (seen.stalledChats === 'unknown') {
    const detail = 'the last process was killed and may have left unfinished work';
    return [{ what, state: 'warning', detail, advice }];
  }
  const { stalledChats: count } = seen;
  if (count === 0) return [];
  const detail = `${count} ${count === 1 ? 'chat has' : 'chats have'} unfinished work, and no process is running it`;
  return [{ what, state: 'warning', detail, advice }];
}

function stateOf({ version, newest, owner }: StoreInspection): string {
  if (version === 0) return 'empty; tables are created on first start';
  const used = owner === undefined ? '' : `, in use by process ${owner}`;
  if (version === newest) return `schema ${version}${used}`;
  return `schema ${version}, will be migrated to ${newest} on the next start${used}`;
}

async function checkPort(port: number, running: string | undefined): Promise<Finding> {
  const what = 'port';
  if (running !== undefined && new URL(running).port === String(port)) {
    return { what, state: 'fine', detail: `${port} is in use by this server` };
  }
  const server = createServer();
  try {
    await listenOn(server, port, '127.0.0.1');
    return { what, state: 'fine', detail: `${port} is free` };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { what, state: 'warning', detail };
  } finally {
    server.close();
  }
}

/** Without a sandbox, an approved command could approve the agent's own calls (SAFE1), so warn. */
export function checkSandbox(home: string, sandbox: Sandbox): Finding {
  const what = 'sandbox';
  if (sandbox.kind !== 'none') {
    const programs = homePrograms([home]);
    const seen = programs.length === 0 ? '' : `; programs in your home that it can read: ${programs.join(', ')}`;
    const runs = sandbox.kind === 'bubblewrap' ? `; ${describeRunLimits()}` : '';
    const detail = `${describeSandbox(sandbox)}; ${describeDrafts(sandbox)}${runs}${seen}`;
    if (sandbox.kind !== 'bubblewrap' || sandbox.drafting.how !== 'copy') return { what, state: 'fine', detail };
    const advice =
      'Set XDG_CACHE_HOME to a folder on a disk that supports overlays, such as ext4 or XFS; in a container, a volume.';
    return { what, state: 'warning', detail, advice };
  }
  return {
    what,
    state: 'warning',
    detail: `none: ${noSandboxText(sandbox.reason)} The same goes for MCP servers; one that is limited to hosts doesn't start.`,
    ...(process.platform === 'linux'
      ? {
          advice:
            'Install bubblewrap, such as with `apt install bubblewrap`. In a container, see "In containers" in docs/guide/operations.md.',
        }
      : {}),
  };
}

function checkBrowser(env: NodeJS.ProcessEnv): Finding {
  const what = 'browser';
  if (!hasDisplay(env)) return { what, state: 'missing', detail: 'no display; the URL is printed instead' };
  if (process.platform !== 'linux') return { what, state: 'fine', detail: 'opens the default browser' };
  return findSystemProgram('xdg-open') !== undefined
    ? { what, state: 'fine', detail: 'opens the default browser with xdg-open' }
    : {
        what,
        state: 'missing',
        detail: 'xdg-open is not installed; the URL is printed instead',
        advice: 'Install xdg-utils.',
      };
}
