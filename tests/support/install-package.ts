import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether a command succeeds. Never rejects; a missing program counts as a failure. */
export async function succeeds(program: string, words: readonly string[], limitMs = 60_000): Promise<boolean> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return await run(program, words, { env, timeout: limitMs }).then(
    () => true,
    () => false,
  );
}

/** Installs a package on Debian if possible. Returns false if nothing was installed. */
export async function installPackage(name: string, limitMs = 60_000): Promise<boolean> {
  const apt = '/usr/bin/apt-get';
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync(apt)) return false;
  // Another setup of the same run may be installing.
  const options = ['Acquire::Retries=0', 'Acquire::http::Timeout=10', 'DPkg::Lock::Timeout=60'];
  const common = ['-qq', ...options.flatMap((option) => ['-o', option])];
  const install = (): Promise<boolean> =>
    succeeds(apt, [...common, 'install', '-y', '--no-install-recommends', name], limitMs);
  // A fresh machine has no package list yet.
  return (await install()) || ((await succeeds(apt, [...common, 'update'], limitMs)) && (await install()));
}
