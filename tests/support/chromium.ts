import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs one on a Debian where we may. */
export async function installChromium(): Promise<boolean> {
  const program = '/usr/bin/apt-get';
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync(program)) return false;
  const options = [
    '-qq',
    '-o',
    'Acquire::Retries=0',
    '-o',
    'Acquire::http::Timeout=10',
    '-o',
    'DPkg::Lock::Timeout=60',
  ];
  const apt = async (...words: string[]): Promise<boolean> => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return await run(program, [...options, ...words], { env, timeout: 180_000 }).then(
      () => true,
      () => false,
    );
  };
  const install = (): Promise<boolean> => apt('install', '-y', '--no-install-recommends', 'chromium');
  // A fresh machine has no list of packages yet.
  return (await install()) || ((await apt('update')) && (await install()));
}

/** As root a browser refuses its own sandbox. Pages here are ours, and talk to nobody but the test's server. */
export function chromiumArguments(): string[] {
  return [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
  ];
}
