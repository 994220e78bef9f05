import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { VERSION } from '@countersign/protocol';
import { runCommand } from '@countersign/terminal';
import { hideSecrets } from './hide-secrets.js';

const LINGER_MS = 500;

/** Runs `countersign` and `npm start`. */
export async function main(words: readonly string[] = process.argv.slice(2)): Promise<void> {
  hideSecrets();
  const webRoot = findWebApp();
  const code = await runCommand(words, { version: VERSION, ...(existsSync(webRoot) ? { webRoot } : {}) });
  process.exitCode = code;
  // All work is done: an open connection must not keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

// Resolve by package name, not by path: this code also runs from the bundle, which is in another folder.
const require = createRequire(import.meta.url);

/** The built web app, wherever it is installed. */
function findWebApp(): string {
  return join(dirname(require.resolve('@countersign/web/package.json')), 'dist');
}
