import { expect, it } from 'vitest';
import { isSuspect } from '../step/scheduler.js';
import { findCulprit } from './take-over.js';

const turns = (...counts: number[]) => counts.map((interruptions) => ({ interruptions }));

it.each([
  ['nothing ran', [], undefined],
  ['the first interruption', [0], undefined],
  ['the first interruption for all', [0, 0, 0], undefined],
  ['a second interruption while running alone', [1], 1],
  ['only one was interrupted before', [0, 1, 0], 1],
  ['two were interrupted before', [1, 0, 1], undefined],
  ['one of the turns that were interrupted twice ran alone', [1, 2, 1, 0], 2],
])(
  '[STORE3] the culprit is the turn that was interrupted more often than all others of its process: %s',
  (_, counts, culprit) => {
    expect(findCulprit(turns(...counts))?.interruptions).toBe(culprit);
  },
);

it('[STORE3] after its second interruption, a turn runs alone', () => {
  expect(turns(0, 1, 2, 3).map(isSuspect)).toEqual([false, false, true, true]);
});
