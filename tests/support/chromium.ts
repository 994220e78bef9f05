import { installPackages } from '../../scripts/install-programs.mjs';

/** Installs Chromium and its headless shell. Both are large, and not every distribution has the second. */
export async function installBrowsers(): Promise<void> {
  for (const name of ['chromium', 'chromium-headless-shell']) await installPackages([name], 180_000);
}

/** As root, Chromium refuses to use its sandbox. The pages here are ours, and connect only to the test's server. */
export function chromiumArguments(): string[] {
  return [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-dev-shm-usage',
    // Emulating a GPU costs more than rendering without one.
    '--disable-gpu',
    // Pages live for seconds: eager compilation, optimization and parallel GC take more CPU than they save.
    '--js-flags=--max-lazy,--no-maglev,--no-opt,--single-threaded-gc',
    '--disable-background-networking',
    '--disable-component-update',
    '--no-first-run',
  ];
}
