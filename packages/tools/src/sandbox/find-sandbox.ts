import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import { promisify } from 'node:util';
import { bubblewrapBase } from './bubblewrap-arguments.js';
import { DRAFT_LIMITS } from './draft/draft-limits.js';
import { SYSTEM_FOLDERS, SYSTEM_PATH, findSystemProgram, findUndoPlace } from '@countersign/changes';
import { findDrafting, saidBy, TRY_MS } from './find-drafting.js';
import type { Sandbox } from './sandbox.js';

const run = promisify(execFile);

/** Strongest first: processes that can create user namespaces can reach more of the kernel's attack surface. */
const USER_NAMESPACES = [['--unshare-user', '--disable-userns'], ['--unshare-user'], []] as const;

export interface Surroundings {
  platform: string;
  /** Folders to search for programs. */
  folders: readonly string[];
}

/** Finds a sandbox that works on this system by starting it once. Never rejects; `none` contains the reason. */
export async function findSandbox(
  { platform, folders }: Surroundings = { platform: process.platform, folders: SYSTEM_FOLDERS },
): Promise<Sandbox> {
  const sandbox = await trySandboxes({ platform, folders });
  // Rolls back what a killed process was undoing. With drafts, this was done before the first one was made.
  if (sandbox.kind !== 'bubblewrap') await findUndoPlace();
  return sandbox;
}

async function trySandboxes({ platform, folders }: Surroundings): Promise<Sandbox> {
  switch (platform) {
    case 'linux':
      return await findBubblewrap(folders);
    case 'darwin':
      return await findSandboxExec();
    default:
      return none(`no sandbox is available for ${platform}`);
  }
}

async function findBubblewrap(folders: readonly string[]): Promise<Sandbox> {
  const find = (name: string): string | undefined => findSystemProgram(name, folders);
  const program = find('bwrap');
  if (program === undefined) return none('bubblewrap is not installed in a system folder');
  let said = '';
  for (const userNamespace of USER_NAMESPACES) {
    const tries = async (sizeArguments: readonly string[]): Promise<void> => {
      const words = [...bubblewrapBase({ userNamespace, sizeArguments }, { network: 'none' }), 'true'];
      await run(program, words, { timeout: TRY_MS, env: { PATH: SYSTEM_PATH } });
    };
    // Old versions know no `--size`.
    let sizeArguments = ['--size', String(scratchBytes())];
    try {
      await tries(sizeArguments);
    } catch {
      sizeArguments = [];
      try {
        await tries([]);
      } catch (error) {
        said = saidBy(error);
        continue;
      }
    }
    try {
      const drafting = await findDrafting({ program, userNamespace, sizeArguments }, find);
      return { kind: 'bubblewrap', program, userNamespace, sizeArguments, drafting };
    } catch (error) {
      return none(`bubblewrap works here, but no draft could be made of a folder (${saidBy(error)})`);
    }
  }
  return none(`bubblewrap is installed but does not work here (${said})`);
}

/** As much as a draft may contain, but not more than the kernel's default. */
function scratchBytes(): number {
  return Math.min(DRAFT_LIMITS.bytes, Math.floor(totalmem() / 2));
}

function none(reason: string): Sandbox {
  return { kind: 'none', reason };
}

async function findSandboxExec(): Promise<Sandbox> {
  const program = '/usr/bin/sandbox-exec';
  try {
    await run(program, ['-p', '(version 1)(allow default)', '/usr/bin/true'], {
      timeout: TRY_MS,
      env: { PATH: SYSTEM_PATH },
    });
    return { kind: 'sandbox-exec', program };
  } catch (error) {
    return none(`sandbox-exec does not work here (${saidBy(error)})`);
  }
}
