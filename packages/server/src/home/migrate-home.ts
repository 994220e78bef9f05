import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { copyStore, lockFile, type CopyProgress, type CopyReport, type StorePlace } from '@countersign/storage';
import { prepareHome } from './home-folder.js';

/**
 * Copies a store into another, empty one: `home`, a file, or `postgres://…`. Holds the home folder's lock, so that no server writes during the copy.
 */
export async function migrateHome(
  home: string,
  words: { from: string; to: string },
  onProgress: (progress: CopyProgress) => void,
): Promise<CopyReport> {
  const folder = prepareHome(home);
  const unlock = lockFile(join(folder, 'lock'));
  if (unlock === undefined) {
    throw new CountersignError('store-locked', `A server is running for ${folder}. Stop it before you copy.`);
  }
  try {
    const from = placeOf(words.from, folder);
    const to = placeOf(words.to, folder);
    checkPlaces(from, to);
    return await copyStore(from, to, onProgress);
  } finally {
    unlock();
  }
}

/** Without this check, a mistyped source would be created and copied as an empty store. */
function checkPlaces(from: StorePlace, to: StorePlace): void {
  if (from.kind === 'sqlite' && !existsSync(from.file)) {
    throw new CountersignError('invalid', `The source file ${from.file} does not exist.`);
  }
  const isSame = from.kind === 'sqlite' ? to.kind === 'sqlite' && from.file === to.file : isSameDatabase(from, to);
  if (isSame) throw new CountersignError('invalid', 'The source and the target are the same. Choose another target.');
}

function isSameDatabase(from: StorePlace, to: StorePlace): boolean {
  return from.kind === 'postgres' && to.kind === 'postgres' && from.url === to.url;
}

function placeOf(word: string, folder: string): StorePlace {
  if (/^postgres(?:ql)?:\/\//.test(word))
    return { kind: 'postgres', url: word, headFile: join(folder, 'audit-heads.json') };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) {
    throw new CountersignError(
      'invalid',
      `"${word.split('://')[0]}://" is not supported. Use a file or a postgres:// URL.`,
    );
  }
  return { kind: 'sqlite', file: word === 'home' ? join(folder, 'countersign.db') : resolve(word) };
}
