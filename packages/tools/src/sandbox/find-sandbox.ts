import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { trustedFolders } from '../shell/trusted-folders.js';
import { bubblewrapBase } from './bubblewrap-arguments.js';
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
      return { kind: 'none', reason: `no sandbox is known for ${platform}: commands run with all of your rights` };
  }
}

async function findBubblewrap(path: string): Promise<Sandbox> {
  const program = await findProgram('bwrap', `${path}${delimiter}/usr/bin${delimiter}/usr/local/bin`);
  if (program === undefined) {
    const advice = 'install the package "bubblewrap"';
    return { kind: 'none', reason: `bubblewrap is not installed (${advice}): commands run with all of your rights` };
  }
  let said = '';
  for (const userNamespace of USER_NAMESPACES) {
    const sandbox: Sandbox = { kind: 'bubblewrap', program, userNamespace };
    try {
      await run(program, [...bubblewrapBase(sandbox, { network: false }), 'true'], { timeout: 5_000 });
      return sandbox;
    } catch (error) {
      said = wordsOf(error);
    }
  }
  return {
    kind: 'none',
    reason: `bubblewrap is installed but does not work here (${said}): commands run with all of your rights`,
  };
}

async function findSandboxExec(): Promise<Sandbox> {
  const program = '/usr/bin/sandbox-exec';
  try {
    await run(program, ['-p', '(version 1)(allow default)', '/usr/bin/true'], { timeout: 5_000 });
    return { kind: 'sandbox-exec', program };
  } catch (error) {
    return { kind: 'none', reason: `sandbox-exec does not work here (${wordsOf(error)})` };
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

function wordsOf(error: unknown): string {
  const said = typeof error === 'object' && error !== null ? (Reflect.get(error, 'stderr') as unknown) : undefined;
  if (typeof said === 'string' && said.trim() !== '') return said.trim().slice(0, 300);
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown error';
}
