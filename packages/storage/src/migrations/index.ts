import { CountersignError } from '@countersign/protocol';
import { createTables } from './create-tables.js';
import type { Migration } from './ddl.js';

/** In order. The first one creates a store of `FIRST_VERSION`, each further one raises the version by one. */
export const migrations: readonly Migration[] = [createTables];

/** Schemas before it were never released. */
export const FIRST_VERSION = 31;

/** The last commit that reads an unreleased schema: 26 had other columns for who runs a call, 27 no schedules, 28 no webhooks, 29 no pinned chats, and 30 no costs. */
const LAST_COMMITS: Readonly<Record<number, string>> = {
  26: '267d1a9f',
  27: '15b7e264',
  28: 'c580aa1b',
  29: 'cbb3751e',
  30: '8674f5f4',
};
const lastCommitFor = (version: number): string => LAST_COMMITS[version] ?? '12aa7d02';

export function newestVersion(steps = migrations): number {
  return FIRST_VERSION - 1 + steps.length;
}

/** What is left to do for a store of this version (0 if it is empty), each with the version that it leads to. */
export function migrationsAfter(version: number, steps = migrations): { to: number; migration: Migration }[] {
  return steps.map((migration, index) => ({ to: FIRST_VERSION + index, migration })).filter(({ to }) => to > version);
}

/** Throws if this program can't read a store of this version. `store` starts the sentence. */
export function checkVersion(store: string, version: number, newest = newestVersion()): void {
  if (version > newest) {
    const sentence = `${store} was written by a newer version (schema ${version}; this one supports up to ${newest}).`;
    throw new CountersignError('store-newer', `${sentence} Update Countersign to open it.`);
  }
  if (version !== 0 && version < FIRST_VERSION) {
    throw new CountersignError(
      'store-unreleased',
      `${store} was written by a version that was never released (schema ${version}), and was not changed. To keep its worlds and records, ` +
        `check out commit ${lastCommitFor(version)}, start its server with this store, and run "countersign export" and ` +
        `"countersign audit export" for each world. Then move the store away and import the worlds.`,
    );
  }
}
