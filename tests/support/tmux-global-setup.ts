import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { chosenTestsMention } from './chosen-tests.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the full screen can be tried in one. */
    tmux: boolean;
  }
}

const run = promisify(execFile);

/**
 * Sees to it that tests of the full screen have a terminal to look at: looks for tmux, and installs it on a Debian where we may. Where
 * it is not to be had, says what is left out; a run that only looks complete would be worse than none.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('tmux', false);
  if (!(await chosenTestsMention(project, /openTmux/))) return;
  const isThere = (await hasTmux()) || ((await installTmux()) && (await hasTmux()));
  project.provide('tmux', isThere);
  if (!isThere) {
    process.stderr.write(
      'LEFT OUT: the tests of the full screen did not run, because tmux was not found. Install tmux.\n',
    );
  }
}

async function hasTmux(): Promise<boolean> {
  return await succeeds('tmux', ['-V']);
}

async function installTmux(): Promise<boolean> {
  const program = '/usr/bin/apt-get';
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync(program)) return false;
  const options = [
    '-qq',
    '-o',
    'Acquire::Retries=0',
    '-o',
    'Acquire::http::Timeout=10',
    '-o',
    'DPkg::Lock::Timeout=20',
  ];
  const install = (): Promise<boolean> =>
    succeeds(program, [...options, 'install', '-y', '--no-install-recommends', 'tmux']);
  // A fresh machine has no list of packages yet.
  return (await install()) || ((await succeeds(program, [...options, 'update'])) && (await install()));
}

async function succeeds(program: string, words: readonly string[]): Promise<boolean> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return await run(program, words, { env, timeout: 60_000 }).then(
    () => true,
    () => false,
  );
}
