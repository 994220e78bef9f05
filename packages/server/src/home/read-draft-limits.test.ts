import { expect, it } from 'vitest';
import { readDraftLimits } from './read-draft-limits.js';

it('[CHANGE3] COUNTERSIGN_DRAFT_MB sets how much one command may write', () => {
  expect(readDraftLimits({})).toEqual({ bytes: 2 * 1024 ** 3, files: 200_000 });
  expect(readDraftLimits({ COUNTERSIGN_DRAFT_MB: '' })).toEqual(readDraftLimits({}));
  expect(readDraftLimits({ COUNTERSIGN_DRAFT_MB: '5' })).toEqual({ bytes: 5 * 1024 ** 2, files: 200_000 });
});

it.each(['0', '-1', '1.5', 'lots', '5 GB', '1e3', '99999999999'])(
  '[CHANGE3] rejects "%s" with a clear message',
  (given) => {
    expect(() => readDraftLimits({ COUNTERSIGN_DRAFT_MB: given })).toThrow(
      'COUNTERSIGN_DRAFT_MB must be a whole number',
    );
  },
);
