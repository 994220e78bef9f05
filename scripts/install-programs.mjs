// Installs Debian packages that tests need. Uses only built-in modules, because on a fresh clone nothing else is installed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium, findHeadlessShell } from './find-chromium.mjs';

const run = promisify(execFile);
const APT = '/usr/bin/apt-get';

/**
 * What is missing, in one go while npm installs the dependencies. A test run checks each of them again, and says what it leaves out.
 */
export async function installMissingPrograms() {
  const missing = [
    ...(findChromium() === undefined ? ['chromium'] : []),
    ...(findHeadlessShell() === undefined ? ['chromium-headless-shell'] : []),
    ...(isOnPath('bwrap') ? [] : ['bubblewrap']),
    ...['tmux', 'curl'].filter((program) => !isOnPath(program)),
  ];
  if (missing.length > 0) await installPackages(missing, 300_000);
}

/**
 * Installs packages on Debian if possible. Returns false if nothing was installed.
 *
 * @param {readonly string[]} names
 * @param {number} [limitMs]
 */
export async function installPackages(names, limitMs = 60_000) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync(APT)) return false;
  // Another setup of the same run may be installing.
  const options = ['Acquire::Retries=0', 'Acquire::http::Timeout=10', 'DPkg::Lock::Timeout=60'];
  const common = ['-qq', ...options.flatMap((option) => ['-o', option])];
  const install = () => succeeds(APT, [...common, 'install', '-y', '--no-install-recommends', ...names], limitMs);
  // A fresh machine has no package list yet.
  return (await install()) || ((await succeeds(APT, [...common, 'update'], limitMs)) && (await install()));
}

/**
 * Whether a command succeeds. Never rejects; a missing program counts as a failure.
 *
 * @param {string} program
 * @param {readonly string[]} words
 */
export async function succeeds(program, words, limitMs = 60_000) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return await run(program, words, { env, timeout: limitMs }).then(
    () => true,
    () => false,
  );
}

/** @param {string} program */
function isOnPath(program) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}
