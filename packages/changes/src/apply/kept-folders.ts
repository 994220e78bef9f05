import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The folders in which something is kept for calls, one per call. */
export interface KeptFolders {
  /** Throws if the id can't be part of a name. */
  readonly rootOf: (callId: string) => string;
  /** The calls that have a folder. */
  readonly calls: () => Promise<string[]>;
}

/** `owner` tells apart servers that share `folder`: each lists and drops only its own. */
export function keptFolders(folder: string, kind: string, owner: string): KeptFolders {
  const prefix = `${kind}${createHash('sha256').update(owner).digest('hex').slice(0, 12)}-`;
  return {
    rootOf(callId) {
      if (!/^[\w-]{1,120}$/.test(callId)) throw new Error('the call has no valid id');
      return join(folder, `${prefix}${callId}`);
    },
    async calls() {
      const names = await readdir(folder).catch(() => []);
      return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    },
  };
}
