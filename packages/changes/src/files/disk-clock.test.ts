import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../../tests/support/make-folder.js';
import { readDiskClock, wentBack, type DiskMoment } from './disk-clock.js';

const MS = 1_000_000n;
/** In milliseconds. */
const moment = (at: bigint, before: bigint, after: bigint): DiskMoment => ({
  ns: at * MS,
  steadyNs: { before: before * MS, after: after * MS },
});

it('[CHANGE2] does not mistake a busy machine for a clock that was set back', () => {
  const from = moment(1_000n, 0n, 5n);
  // Taking the second timestamp took half a second.
  expect(wentBack(from, moment(2_000n, 999n, 1_500n))).toBe(false);
  expect(wentBack(from, moment(1_500n, 999n, 1_000n))).toBe(true);
});

it('a timestamp is between the monotonic times before and after it', async () => {
  const folder = await makeFolder();
  const from = await readDiskClock(join(folder.path, 'clock'));
  const to = await readDiskClock(join(folder.path, 'clock'));
  await folder.remove();
  for (const { steadyNs } of [from, to]) expect(steadyNs.before < steadyNs.after).toBe(true);
  expect(wentBack(from, to)).toBe(false);
  expect(wentBack({ ...from, ns: from.ns + 10n * 1_000n * MS }, to)).toBe(true);
});
