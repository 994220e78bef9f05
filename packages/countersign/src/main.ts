import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runCommand } from '@countersign/terminal';

const LINGER_MS = 500;

/** `countersign`, and `npm start`. */
export async function main(words: readonly string[] = process.argv.slice(2)): Promise<void> {
  const webRoot = findWebApp();
  const code = await runCommand(words, { version: version(), ...(existsSync(webRoot) ? { webRoot } : {}) });
  process.exitCode = code;
  // All is done and said: a connection that somebody left open must not keep a shell from its prompt.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** The built web app, from wherever it was installed. */
function findWebApp(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@countersign/web/package.json')), 'dist');
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}
