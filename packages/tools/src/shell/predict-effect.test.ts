import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Predicted } from '@countersign/core/ports';
import { describeEffect, type NoEffectReason } from '@countersign/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sharedSandbox } from '../testing/shared-sandbox.js';
import { readTree } from '../testing/read-tree.js';
import { makeFolder, type TestFolder } from '../../../../tests/support/make-folder.js';
import { predictEffect } from './predict-effect.js';
import type { ShellOptions } from './shell-options.js';

const sandbox = await sharedSandbox();
const none = { kind: 'none', reason: 'left out on purpose' } as const;

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(sandbox.kind !== 'bubblewrap')(
  '[CHANGE8.9] the predicted effect of a command of another program',
  () => {
    if (sandbox.kind !== 'bubblewrap') return;
    let folder: TestFolder;
    let drafts: TestFolder;
    let options: ShellOptions;
    beforeEach(async () => {
      folder = await makeFolder();
      drafts = await makeFolder();
      options = { sandbox: { ...sandbox, drafting: { ...sandbox.drafting, folder: drafts.path } } };
      await writeFile(join(folder.path, 'a.tmp'), 'a\n');
      await writeFile(join(folder.path, 'secret'), 'treasure\n');
    });
    afterEach(async () => {
      await folder.remove();
      await drafts.remove();
    });

    const predict = async (
      command: string,
      more: Partial<ShellOptions> = {},
      signal = new AbortController().signal,
    ) => {
      const isProtected = (path: string): boolean => path === join(folder.path, 'secret');
      const mayHold = (path: string) => (path === folder.path ? 'anything' : 'nothing');
      const protectedIn = () => ({ isProtected, mayHold }) as const;
      const context = { workingDirectory: folder.path, folder: folder.path, protectedIn, signal };
      return await predictEffect({ ...options, ...more }, command, context);
    };
    const left = async (): Promise<string[]> =>
      (await readdir(drafts.path)).filter((name) => /^(?:draft|rehearsal)-/.test(name));
    const reasonOf = (found: Predicted): NoEffectReason | undefined =>
      'prediction' in found ? undefined : found.noEffect.reason;

    it('is what a rehearsal does, keeps rules, and leaves nothing behind', async () => {
      const before = readTree(folder.path);
      const found = await predict('rm *.tmp; echo "$0 $(cat secret)" > new; exit 2');
      if (!('prediction' in found)) throw new Error(found.noEffect.reason);
      expect(describeEffect(found.prediction)).toBe('Removes 1 file, adds 1 file');
      expect(found.prediction).toMatchObject({ exitCode: 2, files: [{ path: 'a.tmp' }, { path: 'new' }], hidden: 1 });
      expect(found.prediction).not.toHaveProperty('effectHash');
      expect(JSON.stringify(found.prediction)).not.toContain('treasure');
      expect(readTree(folder.path)).toEqual(before);
      expect(await left()).toEqual([]);
    });

    it.each<[NoEffectReason, string, Partial<ShellOptions>]>([
      ['no-sandbox', ':', { sandbox: none }],
      ['network', ':', { network: 'public' }],
      ['too-long', 'sleep 100', { rehearsalTimeoutMs: 200 }],
      ['too-large', 'truncate -s 1G f', {}],
    ])('is unknown, with the reason %s', async (reason, command, more) => {
      expect(reasonOf(await predict(command, more))).toBe(reason);
      expect(await left()).toEqual([]);
    });

    it('[CHANGE9] starts in a folder inside, with paths as seen from there, and in no other folder', async () => {
      await mkdir(join(folder.path, "it's"));
      await writeFile(join(folder.path, "it's/b.tmp"), 'b\n');
      const { signal } = new AbortController();
      const from = async (inside: string, command: string, named?: string) =>
        await predictEffect(options, command, {
          workingDirectory: folder.path,
          folder: join(folder.path, inside),
          ...(named === undefined ? {} : { named }),
          protectedIn: () => undefined,
          signal,
        });
      const found = await from("it's", 'rm *.tmp; mv ../a.tmp ../c.tmp; cat <<X\nhere\nX');
      expect(found).toMatchObject({
        prediction: {
          files: [
            { path: 'b.tmp', change: 'removed' },
            { path: '../c.tmp', from: '../a.tmp', change: 'moved' },
          ],
          output: 'here\n',
        },
      });
      // The call names the folder; paths are still as seen from the program's.
      for (const named of ["it's", join(folder.path, "it's")])
        expect(await from('.', 'rm *.tmp', named)).toMatchObject({ prediction: { files: [{ path: "it's/b.tmp" }] } });
      for (const named of ['..', 'missing', '/', '~'])
        expect(reasonOf(await from("it's", ':', named))).toBe(named === '..' ? undefined : 'other-folder');
      for (const other of ['..', 'missing']) expect(reasonOf(await from(other, ':'))).toBe('other-folder');
      await symlink('/tmp', join(folder.path, 'link'));
      expect(reasonOf(await from('link', ':'))).toBe('other-folder');
      expect(await left()).toEqual([]);
    });

    it('ends with its signal, and leaves nothing behind', async () => {
      await expect(predict('sleep 100', {}, AbortSignal.timeout(200))).rejects.toThrow('aborted due to timeout');
      expect(await left()).toEqual([]);
    });
  },
);
