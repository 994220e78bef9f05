import { basename } from 'node:path';
import type { Tool } from '@countersign/core/ports';
import { nameFrom } from '@countersign/protocol';
import { checkOptions } from './options/check-options.js';
import { shareEngine } from './engines.js';
import { openChecked } from './open-countersign.js';
import type { OpenWorldOptions } from './options/options.js';
import type { ApprovalOf } from './typed-approval.js';
import type { OpenedWorld } from './world/world.js';

/**
 * Opens a world on a SQLite file and resumes unfinished work. `:memory:` stores nothing. A file has one owner: a second
 * process gets an error. The short form of `openCountersign` for one world.
 */
export async function openWorld<T extends Tool = Tool>(
  file: string,
  given: OpenWorldOptions<T> = {},
): Promise<OpenedWorld<ApprovalOf<T>>> {
  // Validate before anything is opened: invalid options must leave no file behind.
  const { shared, world: wanted, name = nameOf(file) } = checkOptions<T>(file, given);
  const countersign = await openChecked<T>({ ...shared, store: file, worlds: [{ name, ...wanted }] });
  const world = { ...(await countersign.world(name)), close: () => countersign.close() };
  shareEngine(countersign, world);
  return world;
}

/** `world.db` is a common file name, but `world` is reserved, so it becomes `world 1`. */
function nameOf(file: string): string {
  const title = basename(file).replace(/\.[^.]*$/, '');
  const name = nameFrom(title, '1');
  return name === '' ? 'world 1' : name;
}
