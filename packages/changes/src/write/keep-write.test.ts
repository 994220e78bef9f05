import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../../tests/support/make-folder.js';
import { putOld } from './keep-write.js';

it('[CHANGE10.2] a file that can’t get back its owner loses its setuid bit', async () => {
  const folder = await makeFolder();
  const path = join(folder.path, 'kept', 'program');
  const theirs = 54_321;
  const version = [1, 1, 0o104755, 3, 0, 0].join(' ');
  const times = { atimeMs: 1_000, mtimeMs: 2_000 };
  await putOld(path, { bytes: Buffer.from('old'), mode: 0o755, uid: theirs, gid: theirs, version, ...times });
  const { uid, mode } = await stat(path);
  // Only root can give it back to its owner.
  const ours = process.getuid?.();
  expect([uid, mode & 0o7777]).toEqual(ours === 0 ? [theirs, 0o4755] : [ours, 0o755]);
  await folder.remove();
});
