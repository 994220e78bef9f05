import { join, resolve } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { copyStore, lockFile, type CopyProgress, type CopyReport, type StorePlace } from '@countersign/storage';
import { prepareHome } from './home-folder.js';

/**
 * Copies all that one place keeps into another, empty one: `home` for the file in the home, a file, or `postgres://…`. The home is ours
 * alone meanwhile: a server that went on writing would leave the copy behind.
 */
export async function migrateHome(
  home: string,
  words: { from: string; to: string },
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  const folder = prepareHome(home);
  const unlock = lockFile(join(folder, 'lock'));
  if (unlock === undefined) {
    throw new CountersignError(
      'store-locked',
      `A server runs on ${folder}. Stop it, then copy: it must not write meanwhile.`,
    );
  }
  try {
    return await copyStore(placeOf(words.from, folder), placeOf(words.to, folder), onProgress);
  } finally {
    unlock();
  }
}

function placeOf(word: string, folder: string): StorePlace {
  if (/^postgres(?:ql)?:\/\//.test(word))
    return { kind: 'postgres', url: word, headFile: join(folder, 'audit-heads.json') };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) {
    throw new CountersignError(
      'invalid',
      `"${word.split('://')[0]}://" can't be copied to or from; name a file, or postgres://….`,
    );
  }
  return { kind: 'sqlite', file: word === 'home' ? join(folder, 'countersign.db') : resolve(word) };
}
