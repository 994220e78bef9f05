import type { RunEffect } from '@countersign/protocol';
import { z } from 'zod';
import type { GitChange } from '../git/git-change.js';
import type { Change } from './list-changes.js';

/** What a change does to each path and ref, as a text that differs if it does something else. */
export const contentsSchema = z.array(z.tuple([z.string(), z.string()])).readonly();
export type Contents = z.infer<typeof contentsSchema>;

export function contentsOf(changes: readonly Change[], git: GitChange | undefined): Contents {
  const found = new Map<string, string>();
  for (const change of changes) {
    const done = doneTo(change);
    // A path that is removed and put again is put.
    if (done !== undefined && !found.has(change.path)) found.set(change.path, done);
  }
  for (const { name, to } of git?.refs ?? []) found.set(name, to ?? 'deleted');
  return [...found];
}

function doneTo(change: Change): string | undefined {
  switch (change.do) {
    case 'keep':
      return change.mode === change.was.mode ? undefined : `mode ${change.mode}`;
    case 'remove':
      return 'removed';
    case 'put':
      return [change.kind, change.mode, change.hash, change.target].join(' ');
  }
}

const MOST_LISTED = 200;

/** How a change differs from the one that people were last asked about. */
export function compareContents(before: Contents, now: Contents): NonNullable<RunEffect['sinceLook']> {
  const [old, current] = [new Map(before), new Map(now)];
  const paths = [...current.keys()].toSorted();
  const all = {
    added: paths.filter((path) => !old.has(path)),
    changed: paths.filter((path) => old.has(path) && old.get(path) !== current.get(path)),
    removed: [...old.keys()].filter((path) => !current.has(path)).toSorted(),
  };
  const cut = (list: readonly string[]): string[] => list.slice(0, MOST_LISTED);
  const unlisted = Object.values(all).reduce((sum, { length }) => sum + Math.max(0, length - MOST_LISTED), 0);
  return { added: cut(all.added), changed: cut(all.changed), removed: cut(all.removed), unlisted };
}
