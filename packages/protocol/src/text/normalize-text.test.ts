import { expect, it } from 'vitest';
import { normalizeText } from './normalize-text.js';

it('[EXT1.18] normalizes words like Unicode does', () => {
  for (const text of ['Zoe\u0308', 'ﬁle', 'a\u0301\u0316', 'ｶ\uff9e', 'x'.repeat(1000)])
    for (const form of ['NFC', 'NFKC', 'NFKD'] as const)
      expect([text, form, normalizeText(text, form)]).toEqual([text, form, text.normalize(form)]);
});

it.each(['\u0301\u0316', '\u0301\uff9e', '\u0315\u0300\u05ae'])(
  '[EXT1.18] splits long runs of combining characters, which take quadratic time: %j',
  (marks) => {
    const normal = normalizeText(`a${marks.repeat(1000)}`, 'NFKC');
    const longest = Math.max(...normal.split('\u034f').map(({ length }) => length));
    expect(longest).toBeLessThanOrEqual(31);
  },
);
