import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/** A browser of the Chromium family: the one that CHROMIUM_PATH names, or one that is installed. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return existsSync(named) ? named : undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))), ...PLACES];
  return candidates.find((candidate) => existsSync(candidate));
}

/** Installs one on a Debian where we may. */
export async function installChromium(): Promise<boolean> {
  const program = '/usr/bin/apt-get';
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync(program)) return false;
  const options = ['-qq', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10', '-o', 'DPkg::Lock::Timeout=60'];
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
