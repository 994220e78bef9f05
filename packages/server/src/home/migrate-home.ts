import { existsSync } from 'node:fs';
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
    const from = placeOf(words.from, folder);
    const to = placeOf(words.to, folder);
    refuseUnmeant(from, to);
    return await copyStore(from, to, onProgress);
  } finally {
    unlock();
  }
}

/** A name that was mistyped would be made, and its emptiness copied. */
function refuseUnmeant(from: StorePlace, to: StorePlace): void {
  if (from.kind === 'sqlite' && !existsSync(from.file)) {
    throw new CountersignError('invalid', `There is no file ${from.file} to copy from.`);
  }
  const isSame = from.kind === 'sqlite' ? to.kind === 'sqlite' && from.file === to.file : isSameDatabase(from, to);
  if (isSame) throw new CountersignError('invalid', 'From and to are the same place; there is nothing to copy.');
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
      `"${word.split('://')[0]}://" can't be copied to or from; name a file, or postgres://….`,
    );
  }
  return { kind: 'sqlite', file: word === 'home' ? join(folder, 'countersign.db') : resolve(word) };
}
