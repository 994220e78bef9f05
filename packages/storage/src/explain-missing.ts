import { createRequire } from 'node:module';
import { CountersignError } from '@countersign/protocol';

/** Optional peer dependencies of `countersign`: most installations use SQLite and don't need them. */
const NEEDED = { pg: '8', 'graphile-worker': '0.17' };

/** If loading failed because a package for PostgreSQL isn't installed, rejects with the command that installs it. */
export async function explainMissing<T>(
  loading: Promise<T>,
  resolve: (name: string) => unknown = createRequire(import.meta.url).resolve,
): Promise<T> {
  try {
    return await loading;
  } catch (cause) {
    const missing = Object.entries(NEEDED).filter(([name]) => !canResolve(name, resolve));
    if (missing.length === 0) throw cause;
    const packages = missing.map(([name, version]) => `${name}@${version}`).join(' ');
    const names = missing.map(([name]) => name).join(' and ');
    throw new CountersignError(
      'invalid',
      `PostgreSQL needs ${names}, which ${missing.length === 1 ? "isn't" : "aren't"} installed. Run: npm install countersign ${packages}`,
      { cause },
    );
  }
}

function canResolve(name: string, resolve: (name: string) => unknown): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}
