import { installPackage } from './install-package.js';

/** Both are large. The second is optional: not every distribution has it. */
export async function installBrowsers(): Promise<void> {
  for (const name of ['chromium', 'chromium-headless-shell']) await installPackage(name, 180_000);
}

/** As root a browser refuses its own sandbox. Pages here are ours, and talk to nobody but the test's server. */
export function chromiumArguments(): string[] {
  return [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-dev-shm-usage',
    // Emulating a GPU costs more than drawing without one.
    '--disable-gpu',
    // Pages live for seconds: compiling ahead, optimising and collecting on more threads takes more CPU than it saves.
    '--js-flags=--max-lazy,--no-maglev,--no-opt,--single-threaded-gc',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
  ];
}
