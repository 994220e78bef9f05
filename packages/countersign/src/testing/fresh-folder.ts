import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { closeTestWorlds } from './fixture.js';

/** Gives each test its own folder, removed after the test once its worlds are closed. Returns a function that resolves names in it. */
export function freshFolder(): (name: string) => string {
  let folder = '';
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-')));
  });
  afterEach(async () => {
    await closeTestWorlds();
    await rm(folder, { recursive: true, force: true });
  });
  return (name) => join(folder, name);
}
