import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@countersign/terminal';

const LINGER_MS = 500;

/** `countersign`, and `npm start`. */
export async function main(words: readonly string[] = process.argv.slice(2)): Promise<void> {
  const webRoot = fileURLToPath(new URL('../../web/dist', import.meta.url));
  const code = await runCommand(words, { version: version(), ...(existsSync(webRoot) ? { webRoot } : {}) });
  process.exitCode = code;
  // All is done and said: a connection that somebody left open must not keep a shell from its prompt.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version: unknown }).version);
}
