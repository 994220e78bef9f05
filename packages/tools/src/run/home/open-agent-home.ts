import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { removeTree } from '@countersign/changes';
import { isObject } from '../agents/login-files.js';
import type { JsonObject, LoginFile, PreparedAgent } from '../agents/types.js';
import { copyPlainFiles, readPlain } from './plain-files.js';
import type { AgentHome, RenewedLogin } from './types.js';

/** Where a home folder can't be replaced, such as `/`. */
const OTHER_HOME = '/home/run';

export interface HomePlace {
  /** The run's folder. */
  readonly root: string;
  /** What is kept for this person, project and agent. Created when something is. */
  readonly kept: string;
  /** The person's home folder, a real path. */
  readonly home: string;
  /** Without an agent, the home is empty, and nothing is kept. */
  readonly prepared?: PreparedAgent | undefined;
}

/** Makes the home folder of a run (RUN14). */
export async function openAgentHome({ root, kept, home, prepared }: HomePlace): Promise<AgentHome> {
  const own = join(root, 'home');
  const sessions = join(root, 'sessions');
  const inside = home === '/' ? OTHER_HOME : home;
  await mkdir(own, { recursive: true, mode: 0o700 });
  const login = prepared?.usesLogin === true ? await readLogin(prepared.agent.login, { kept, home }) : undefined;
  if (prepared !== undefined) {
    const { files, agent } = prepared;
    // A run that continues has its own sessions: the last one in the kept home may be of another run.
    const from = existsSync(sessions) ? sessions : join(kept, 'transcripts');
    await copyPlainFiles(from, own, agent.transcripts);
    for (const [path, text] of Object.entries(files)) await writeIn(own, path, text);
    if (login?.content !== undefined) await writeIn(own, agent.login.path, JSON.stringify(login.content));
  }
  return {
    place: ['--bind', own, inside],
    environment: { HOME: inside },
    async keep() {
      if (prepared === undefined) {
        await removeTree(own);
        return undefined;
      }
      const renewed = login === undefined ? undefined : await keepLogin(prepared, login, { root, kept, home, own });
      for (const to of [join(kept, 'transcripts'), sessions]) await copyPlainFiles(own, to, prepared.agent.transcripts);
      await removeTree(own);
      return renewed;
    },
  };
}

interface Login {
  readonly content: JsonObject | undefined;
  /** SHA-256 of the file outside. */
  readonly before: string;
  /** What the file outside has. */
  readonly outside: JsonObject | undefined;
}

/**
 * The login that an earlier run renewed, as long as the one outside is the one that was renewed: renewing ends the older one. Otherwise the one
 * outside.
 */
async function readLogin({ path, loginIn }: LoginFile, { kept, home }: { kept: string; home: string }): Promise<Login> {
  const text = await readFile(join(home, path), 'utf8').catch(() => '');
  const before = hashOfLogin(text);
  const outside = loginIn(parse(text) ?? {});
  const renewed = parse((await readPlain(kept, 'login.json')) ?? '');
  const isCurrent = renewed?.['before'] === before && isObject(renewed['login']);
  return { before, outside, content: isCurrent ? (renewed['login'] as JsonObject) : outside };
}

async function keepLogin(
  { id, agent: { login: about } }: PreparedAgent,
  { content, before, outside }: Login,
  { root, kept, home, own }: { root: string; kept: string; home: string; own: string },
): Promise<RenewedLogin | undefined> {
  const login = about.loginIn(parse((await readPlain(own, about.path)) ?? '') ?? {});
  if (login === undefined) return undefined;
  if (!isDeepStrictEqual(login, content)) await writeIn(kept, 'login.json', JSON.stringify({ before, login }));
  if (isDeepStrictEqual(login, outside)) return undefined;
  const renewed = join(root, 'login.json');
  await writeFile(renewed, JSON.stringify(login), { mode: 0o600 });
  const accounts = [outside === undefined ? undefined : about.accountIn(outside), about.accountIn(login)];
  const account = accounts.includes(undefined) ? 'unknown' : accounts[0] === accounts[1] ? 'same' : 'other';
  return { agent: id, account, file: join(home, about.path), before, renewed };
}

/** SHA-256 of a file with a login. */
export function hashOfLogin(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function parse(text: string): JsonObject | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return isObject(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

async function writeIn(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, path), text, { mode: 0o600 });
}
