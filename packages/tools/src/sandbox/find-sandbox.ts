import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { wordsOf } from '@countersign/core/ports';
import { trustedFolders } from '../shell/trusted-folders.js';
import { bubblewrapBase } from './bubblewrap-arguments.js';
import { findDrafting, TRY_MS } from './find-drafting.js';
import type { Sandbox } from './sandbox.js';

const run = promisify(execFile);

/** From the strongest: a sandbox whose inmates can make namespaces of their own has more of the kernel to try. */
const USER_NAMESPACES = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []] as const;

export interface Surroundings {
  platform: string;
  /** As in the environment: folders to look for programs in. */
  path: string;
}

/** The sandbox this system really has: found, started once, and seen to work. Never rejects; `none` says why. */
export async function findSandbox(
  { platform, path }: Surroundings = { platform: process.platform, path: process.env['PATH'] ?? '' },
): Promise<Sandbox> {
  switch (platform) {
    case 'linux':
      return await findBubblewrap(path);
    case 'darwin':
      return await findSandboxExec();
    default:
      return none(`no sandbox is known for ${platform}`);
  }
}

async function findBubblewrap(path: string): Promise<Sandbox> {
  const folders = [path, '/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'].join(delimiter);
  const program = await findProgram('bwrap', folders);
  if (program === undefined) return none('bubblewrap is not installed (install the package "bubblewrap")');
  const find = (name: string): Promise<string | undefined> => findProgram(name, folders);
  let said = '';
  for (const userNamespace of USER_NAMESPACES) {
    try {
      await run(program, [...bubblewrapBase({ userNamespace }, { network: 'none' }), 'true'], { timeout: TRY_MS });
    } catch (error) {
      said = saidBy(error);
      continue;
    }
    try {
      const drafting = await findDrafting({ program, userNamespace }, find);
      return { kind: 'bubblewrap', program, userNamespace, drafting };
    } catch (error) {
      return none(`bubblewrap works here, but no draft of a folder could be laid over it (${saidBy(error)})`);
    }
  }
  return none(`bubblewrap is installed but does not work here (${said})`);
}

function none(why: string): Sandbox {
  return { kind: 'none', reason: `${why}: commands run with all of your rights` };
}

async function findSandboxExec(): Promise<Sandbox> {
  const program = '/usr/bin/sandbox-exec';
  try {
    await run(program, ['-p', '(version 1)(allow default)', '/usr/bin/true'], { timeout: TRY_MS });
    return { kind: 'sandbox-exec', program };
  } catch (error) {
    return none(`sandbox-exec does not work here (${saidBy(error)})`);
  }
}

async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of trustedFolders(path)) {
    const file = join(folder, name);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** A program that failed says why on its error output. */
function saidBy(error: unknown): string {
  const said = typeof error === 'object' && error !== null ? (Reflect.get(error, 'stderr') as unknown) : undefined;
  if (typeof said === 'string' && said.trim() !== '') return said.trim().slice(0, 300);
  return wordsOf(error).slice(0, 300);
}
