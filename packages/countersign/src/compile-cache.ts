import { statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Enables Node's compile cache if available (22.8 or newer). The cache is in the home folder because anyone who can write to it controls which
 * code the next start runs. Agents can't reach the home folder (SAFE1), unlike the temporary folder.
 */
export function keepCompiledCode(words: readonly string[], env: NodeJS.ProcessEnv): void {
  const folder = cacheFolder(words, env);
  // We build with the types of Node 20, which lack this function.
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (folder !== undefined) enableCompileCache?.(folder);
}

/** Undefined on the first run and for a home folder that others can access: the server restricts it, and the next start uses it. */
export function cacheFolder(words: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const home = namedHome(words) ?? env['COUNTERSIGN_HOME'] ?? join(homedir(), '.countersign');
  try {
    const stats = statSync(home);
    const isOurs = stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
    return isOurs ? join(resolve(home), 'compile-cache') : undefined;
  } catch {
    // The server reports what is wrong with the home folder.
    return undefined;
  }
}

function namedHome(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--home' || word.startsWith('--home='));
  const word = words[at];
  return word === '--home' ? words[at + 1] : word?.slice('--home='.length);
}
