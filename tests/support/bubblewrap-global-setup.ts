import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { findSandbox } from '../../packages/tools/src/sandbox/find-sandbox.js';
import { chosenTestsMention } from './chosen-tests.js';

const run = promisify(execFile);

/**
 * Sees to it that tests of the sandbox have one: looks for bubblewrap, and installs it on a Debian where we may. Where it is not to
 * be had, says what is left out; a run that only looks complete would be worse than none.
 */
export default async function setup(project: TestProject): Promise<void> {
  if (!(await chosenTestsMention(project, /findSandbox/))) return;
  let sandbox = await findSandbox();
  if (sandbox.kind === 'none' && (await installBubblewrap())) sandbox = await findSandbox();
  if (sandbox.kind === 'bubblewrap') return;
  const why = sandbox.kind === 'none' ? sandbox.reason : `this system has ${sandbox.kind}, which has no such tests yet`;
  process.stderr.write(`LEFT OUT: the tests that try to get out of the sandbox did not run, because ${why}.\n`);
}

async function installBubblewrap(): Promise<boolean> {
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
  const apt = async (...words: string[]): Promise<boolean> => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return await run(program, [...options, ...words], { env, timeout: 60_000 }).then(
      () => true,
      () => false,
    );
  };
  const install = (): Promise<boolean> => apt('install', '-y', '--no-install-recommends', 'bubblewrap');
  // A fresh machine has no list of packages yet.
  return (await install()) || ((await apt('update')) && (await install()));
}
