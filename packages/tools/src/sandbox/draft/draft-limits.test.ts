import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellCmd } from '../../shell/shell-cmd.js';
import { isFullSize, sampled } from '../../../../../tests/support/scaled.js';
import { findSandboxes } from '../../testing/find-sandboxes.js';
import { makeFolder, type TestFolder } from '../../../../../tests/support/make-folder.js';
import { tryTool, type Tried } from '../../testing/try-tool.js';
import type { DraftLimits } from './draft-limits.js';

const kinds = await findSandboxes();
const MIB = 1024 ** 2;
const small: DraftLimits = { bytes: MIB, files: 50 };

const tooMuch = [
  ['one file that is too large', `echo first > first; head -c ${MIB + 1} /dev/zero > long`],
  [
    'a file far beyond the limit, which is truncated while it is written',
    'echo first > first; head -c 100M /dev/zero > long; true',
  ],
  ['many files whose total size is too large', 'for i in {1..20}; do head -c 100000 /dev/zero > f$i; done'],
  ['too many files', 'for i in {1..51}; do > f$i; done'],
  ['too many folders', 'mkdir -p {1..51}/a'],
  ['files in an unreadable folder', 'mkdir d; for i in {1..20}; do head -c 100000 /dev/zero > d/f$i; done; chmod 0 d'],
  ['hard links of one file', 'head -c 500000 /dev/zero > a; for i in {1..9}; do ln a b$i; done'],
  ['a sparse file, by its apparent size', 'truncate -s 1025K sparse; true'],
] as const;

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[CHANGE3] the write limits of one command ($drafts)',
  ({ drafts: kind, sandbox }) => {
    /** In a small run, a second kind of draft has only a sample. */
    const isWhole = isFullSize || kind === kinds[0]?.drafts;
    let folder: TestFolder;
    beforeEach(async () => {
      folder = await makeFolder();
    });
    afterEach(() => folder.remove());

    const run = (command: string, draftLimits?: DraftLimits): Promise<Tried> =>
      tryTool(
        shellCmd({ sandbox, ...(draftLimits === undefined ? {} : { draftLimits }) }),
        { command },
        { workingDirectory: folder.path },
      );
    const refused = {
      ok: false,
      error: expect.stringMatching(/none of the command's changes were applied.* 1 MiB in 50 files/) as string,
    };

    it('applies everything up to the limit', async () => {
      expect(await run(`head -c ${MIB} /dev/zero > exactly`, small)).toMatchObject({ ok: true });
      expect(await readdir(folder.path)).toEqual(['exactly']);
    });

    it.each(isWhole ? tooMuch : sampled(tooMuch, 2))(
      '%s: nothing is applied, and the call fails',
      async (_, command) => {
        expect(await run(command, small)).toMatchObject(refused);
        expect(await readdir(folder.path)).toEqual([]);
      },
    );

    if (!isWhole) return;

    it('by default, a sparse file of 5 GB can’t be created', async () => {
      expect(await run('truncate -s 5G sparse')).toMatchObject({ ok: false, result: { exitCode: 153 } });
      expect((await stat(join(folder.path, 'sparse'))).size).toBe(0);
    });

    it('stops a command that writes endlessly', async () => {
      const endless = 'i=0; while :; do i=$((i+1)); head -c 100000 /dev/zero > f$((i % 40)); done';
      expect(await run(endless, small)).toMatchObject(refused);
      expect(await readdir(folder.path)).toEqual([]);
    });
  },
);
