import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prepareHome } from '../home-folder.js';
import { makeFolder } from './make-folder.js';

describe('makeFolder', () => {
  it('creates missing parents with mode 0700, and does not change existing folders', () => {
    const folder = mkdtempSync(join(tmpdir(), 'make-folder-'));
    makeFolder(join(folder, 'a', 'b'));
    makeFolder(join(folder, 'a', 'b'));
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(folder, 'file', 'x'))).toThrow(/EEXIST|ENOTDIR/);
    rmSync(folder, { recursive: true });
  });

  it.skipIf(process.platform !== 'linux')(
    "[WHO1] rejects a home that can't be created, with a clear message and without hanging",
    () => {
      expect(() => prepareHome('/proc/no/such')).toThrow(/can't be used as the home folder .* Choose another/);
      expect(() => prepareHome('/proc/none')).toThrow(/can't be used as the home folder/);
      expect(() => prepareHome('/sys/none')).toThrow(/can't be used as the home folder/);
    },
  );
});
