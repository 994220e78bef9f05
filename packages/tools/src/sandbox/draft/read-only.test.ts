import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acceptDraft } from './accept-draft.js';

/** Root may do everything; these are about everybody else. */
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

describe.skipIf(process.platform !== 'linux')('[T15] read-only folders', () => {
  let root: string;
  const at = (...names: string[]): string => join(root, ...names);
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'read-only-'));
    if (isRoot) {
      await chown(root, NOBODY, NOBODY);
      process.seteuid?.(NOBODY);
    }
    for (const name of ['upper', 'real']) await mkdir(at(name));
  });
  afterEach(async () => {
    if (isRoot) process.seteuid?.(0);
    for (const name of ['upper', 'real']) await chmod(at(name, 'd'), 0o700).catch(() => undefined);
    await rm(root, { recursive: true });
  });

  const folder = async (path: string, ...files: string[]): Promise<void> => {
    await mkdir(path);
    for (const file of files) await writeFile(join(path, file), 'x');
    await chmod(path, 0o555);
  };
  const accept = () =>
    acceptDraft({
      upper: at('upper'),
      workingDirectory: at('real'),
      since: { ns: BigInt(Date.now() + 60_000) * 1_000_000n, steadyNs: { before: 0n, after: 0n } },
      stillSeen: (paths) => Promise.resolve(paths.map(() => true)),
      wasRemoved: () => false,
      keepRemoved: false,
      removing: () => Promise.resolve(),
    });
  const mode = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;

  it('one that the command opened and changed is changed, with the rights that the command gave it', async () => {
    await folder(at('real', 'd'), 'old');
    await folder(at('upper', 'd'), 'new');
    await chmod(at('upper', 'd'), 0o750);
    await accept();
    expect((await readdir(at('real', 'd'))).toSorted()).toEqual(['new', 'old']);
    expect(await mode(at('real', 'd'))).toBe(0o750);
  });

  it('one that the command opened and closed again stays closed', async () => {
    await folder(at('real', 'd'), 'old');
    await folder(at('upper', 'd'), 'new');
    await accept();
    expect(await mode(at('real', 'd'))).toBe(0o555);
  });

  it('one that the command replaced by a file is gone', async () => {
    await folder(at('real', 'd'), 'old');
    await writeFile(at('upper', 'd'), 'file');
    await accept();
    expect((await lstat(at('real', 'd'))).isFile()).toBe(true);
  });
});
