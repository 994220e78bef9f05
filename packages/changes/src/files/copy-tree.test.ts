import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { chmod, mkdtemp, utimes } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyTree } from './copy-tree.js';
import { removeTree } from './remove-tree.js';

describe.skipIf(process.platform !== 'linux')('[CHANGE2] copying to another disk', () => {
  let top: string;
  let from: string;
  let to: string;
  let outside: string;
  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), 'copy-'));
    [from, to, outside] = [join(top, 'from'), join(top, 'to'), join(top, 'outside')];
    mkdirSync(join(from, 'deep'), { recursive: true });
    writeFileSync(join(from, 'deep', 'file'), 'text'.repeat(1_000_000));
    writeFileSync(join(from, 'empty'), '');
    symlinkSync('nowhere', join(from, 'link'));
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'secret');
  });
  afterEach(() => removeTree(top));

  /** Replaces the path with a symlink to the outside, once. */
  const swap = (path: string): void => {
    renameSync(path, `${path}.moved`);
    symlinkSync(outside, path);
  };
  const untouched = (): void => {
    expect(readdirSync(outside)).toEqual(['file']);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('secret');
  };

  it('keeps content, modes, times and symlinks, and returns the inode of the copy', async () => {
    await utimes(join(from, 'deep', 'file'), 1_000, 2_000);
    await chmod(join(from, 'deep', 'file'), 0o640);
    await chmod(join(from, 'deep'), 0o550);
    expect(await copyTree(from, to)).toBe(lstatSync(to, { bigint: true }).ino);
    const copy = lstatSync(join(to, 'deep', 'file'));
    expect([copy.mode & 0o777, copy.atimeMs, copy.mtimeMs]).toEqual([0o640, 1_000_000, 2_000_000]);
    expect(lstatSync(join(to, 'deep')).mode & 0o777).toBe(0o550);
    expect(readFileSync(join(to, 'deep', 'file'), 'utf8')).toBe('text'.repeat(1_000_000));
    expect(readFileSync(join(to, 'empty'), 'utf8')).toBe('');
    expect(readlinkSync(join(to, 'link'))).toBe('nowhere');
    expect(await copyTree(join(from, 'link'), join(top, 'l'))).toBe(lstatSync(join(top, 'l'), { bigint: true }).ino);
  });

  it('[CHANGE2] copies a sparse file sparse', async () => {
    const file = join(from, 'sparse');
    writeFileSync(file, 'start');
    truncateSync(file, 64 * 1024 * 1024);
    appendFileSync(file, 'end');
    await copyTree(from, to);
    const copy = lstatSync(join(to, 'sparse'));
    expect(copy.size).toBe(64 * 1024 * 1024 + 3);
    expect(copy.blocks * 512).toBeLessThan(8 * 1024 * 1024);
    expect(readFileSync(join(to, 'sparse')).equals(readFileSync(file))).toBe(true);
  });

  it('never writes to something that exists, or through a symlink', async () => {
    mkdirSync(to);
    await expect(copyTree(from, to)).rejects.toMatchObject({ code: 'EEXIST' });
    symlinkSync(join(outside, 'new'), join(top, 'dangling'));
    await expect(copyTree(join(from, 'empty'), join(top, 'dangling'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(copyTree(from, join(top, 'dangling'))).rejects.toMatchObject({ code: 'EEXIST' });
    untouched();
  });

  it('reads nothing through a folder or file that became a symlink', async () => {
    for (const [name, code] of [
      ['deep', 'ENOTDIR'],
      ['file', 'ELOOP'],
    ] as const) {
      const target = name === 'deep' ? join(from, 'deep') : join(from, 'deep', 'file');
      let isSwapped = false;
      const copying = copyTree(from, join(top, `to-${name}`), (step, path) => {
        if (isSwapped || step !== 'open' || basename(path) !== name) return;
        isSwapped = true;
        swap(target);
      });
      await expect(copying).rejects.toMatchObject({ code });
      expect(isSwapped).toBe(true);
      expect(existsSync(join(top, `to-${name}`, 'deep', 'file'))).toBe(false);
      execFileSync('/bin/sh', ['-c', 'rm "$1" && mv "$1.moved" "$1"', 'sh', target]);
    }
    untouched();
  });

  it('refuses another file or folder in the place of the one that it found', async () => {
    for (const name of ['deep', 'file']) {
      const target = name === 'deep' ? join(from, 'deep') : join(from, 'deep', 'file');
      let isSwapped = false;
      const copying = copyTree(from, join(top, `to-${name}`), (step, path) => {
        if (isSwapped || step !== 'open' || basename(path) !== name) return;
        isSwapped = true;
        renameSync(target, `${target}.moved`);
        if (name === 'deep') mkdirSync(target);
        else execFileSync('mkfifo', [target]);
      });
      await expect(copying).rejects.toThrow('was replaced while it was copied');
      execFileSync('/bin/sh', ['-c', 'rm -r "$1" && mv "$1.moved" "$1"', 'sh', target]);
    }
  });

  it('writes nothing outside if its new folder is swapped, before it is opened or while it is filled', async () => {
    const attempt = (name: string, act: (path: string) => void, at: string) => {
      let isSwapped = false;
      return copyTree(from, join(top, name), (step, path) => {
        if (isSwapped || step !== 'open copy' || basename(path) !== at) return;
        isSwapped = true;
        act(join(top, name));
      });
    };
    await expect(attempt('a', swap, 'a')).rejects.toMatchObject({ code: 'ENOTDIR' });
    // A folder of someone else, with files in it.
    const replace = (path: string): void => {
      renameSync(path, `${path}.moved`);
      mkdirSync(path, { mode: 0o700 });
      writeFileSync(join(path, 'theirs'), '');
    };
    await expect(attempt('b', replace, 'b')).rejects.toThrow('was replaced while it was copied');
    expect(readdirSync(join(top, 'b'))).toEqual(['theirs']);
    // Swapped later, the copy still goes to the folder that it opened.
    await attempt('c', swap, 'file');
    expect(readdirSync(join(top, 'c.moved', 'deep'))).toEqual(['file']);
    untouched();
  });
});
