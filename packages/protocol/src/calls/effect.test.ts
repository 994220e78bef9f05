import { describe, expect, test } from 'vitest';
import { describeEffect, type ChangedFile } from './effect.js';

function files(...changes: [ChangedFile['change'], ChangedFile['kind'], number?][]): { files: ChangedFile[] } {
  return {
    files: changes.map(([change, kind, contains], index) => ({
      path: `p${index}`,
      change,
      kind,
      ...(contains === undefined ? {} : { contains }),
    })),
  };
}

describe('an effect in one sentence', () => {
  test.each([
    [files(), 'Changes no files'],
    [files(['added', 'file']), 'Adds 1 file'],
    [
      files(['added', 'file'], ['changed', 'file'], ['removed', 'file'], ['removed', 'file']),
      'Removes 2 files, changes 1 file, adds 1 file',
    ],
    [files(['removed', 'folder', 12]), 'Removes 1 folder with 12 files'],
    [
      files(['removed', 'file'], ['removed', 'link'], ['removed', 'folder', 1]),
      'Removes 1 file, 1 link and 1 folder with 1 file',
    ],
    [files(['moved', 'file']), 'Moves 1 file'],
  ])('%#', (effect, sentence) => {
    expect(describeEffect(effect)).toBe(sentence);
  });
});
