import { statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Lets Node keep what it compiled for the next start, where it can (22.8 or newer). Kept in the home, because anyone who can write there decides
 * what the next start runs: no agent reaches it (A21), as it may the system's folder for temporary files.
 */
export function keepCompiledCode(words: readonly string[], env: NodeJS.ProcessEnv): void {
  const folder = cacheFolder(words, env);
  // The types we build with are those of Node 20, which has no such function.
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (folder !== undefined) enableCompileCache?.(folder);
}

/** Undefined on the first run, and for a home that is open to others: the server closes it, and the next start uses it. */
export function cacheFolder(words: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const home = namedHome(words) ?? env['COUNTERSIGN_HOME'] ?? join(homedir(), '.countersign');
  try {
    const stats = statSync(home);
    const isOurs = stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
    return isOurs ? join(resolve(home), 'compile-cache') : undefined;
  } catch {
    // The server says what is wrong with a home.
    return undefined;
  }
}

function namedHome(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--home' || word.startsWith('--home='));
  const word = words[at];
  return word === '--home' ? words[at + 1] : word?.slice('--home='.length);
}
