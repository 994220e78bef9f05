import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TestFolder {
  path: string;
  remove: () => Promise<void>;
}

/** A temporary folder with a real path, and a function that removes it. */
export async function makeFolder(parent: string = tmpdir()): Promise<TestFolder> {
  const path = await realpath(await mkdtemp(join(parent, 'countersign-test-')));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
