import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile as readBack, writeFile as putBack } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, scaled } from '../../../../tests/support/scaled.js';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { tryTool } from '../testing/try-tool.js';
import { grep } from './grep.js';
import { readFile } from './read-file.js';
import { writeFile } from './write-file.js';

/** Writing takes far longer, and the swapper uses a core all the time. */
const ROUNDS = { read: scaled(300, 30), write: isFullSize ? scaled(300) : 6 };

/** Swaps a folder for a symlink to outside and back, as fast as it can, until it is killed or its parent dies. */
const SWAP = `
const { renameSync, symlinkSync, writeSync } = require('node:fs');
const swap = (from, to) => { try { renameSync(from, to); } catch {} };
symlinkSync('../outside', 'link');
const parent = process.ppid;
writeSync(1, 'up');
while (process.ppid === parent) { swap('folder', 'kept'); swap('link', 'folder'); swap('folder', 'link'); swap('kept', 'folder'); }
`;

describe.skipIf(process.platform !== 'linux')('while a folder is swapped for a symlink to outside', () => {
  let base: TestFolder;
  let workingDirectory: string;
  let swapper: ReturnType<typeof spawn>;

  beforeEach(async () => {
    base = await makeFolder();
    workingDirectory = join(base.path, 'work');
    await mkdir(join(workingDirectory, 'folder'), { recursive: true });
    await mkdir(join(base.path, 'outside'));
    await putBack(join(workingDirectory, 'folder', 'file'), 'INSIDE');
    await putBack(join(base.path, 'outside', 'file'), 'OUTSIDE');
    swapper = spawn(process.execPath, ['-e', SWAP], { cwd: workingDirectory, stdio: ['ignore', 'pipe', 'inherit'] });
    if (swapper.stdout !== null) await once(swapper.stdout, 'data');
  });
  afterEach(async () => {
    const gone = once(swapper, 'exit');
    swapper.kill('SIGKILL');
    await gone;
    await base.remove();
  });

  it('[CALL1.3] reads nothing outside', async () => {
    const seen = new Set<string>();
    // Both states must occur, otherwise there was no race. On a busy machine that takes more rounds.
    for (let round = 0; round < ROUNDS.read || seen.size < 2; round += 1) {
      const read = await tryTool(readFile(), { path: 'folder/file' }, { workingDirectory });
      const found = await tryTool(grep(), { pattern: 'SIDE', path: 'folder' }, { workingDirectory });
      seen.add(JSON.stringify([read, found]).includes('OUTSIDE') ? 'outside' : read.ok ? 'inside' : 'refused');
    }
    expect(seen).not.toContain('outside');
    expect(seen).toEqual(new Set(['inside', 'refused']));
  });

  it('[CALL1.3] writes nothing outside', async () => {
    let written = 0;
    for (let round = 0; round < ROUNDS.write || written === 0; round += 1) {
      const tried = await tryTool(writeFile(), { path: `folder/${round}/new`, content: 'x' }, { workingDirectory });
      if (tried.ok) written += 1;
    }
    expect(written).toBeGreaterThan(0);
    expect(await readdir(join(base.path, 'outside'))).toEqual(['file']);
    expect(await readBack(join(base.path, 'outside', 'file'), 'utf8')).toBe('OUTSIDE');
  });
});
