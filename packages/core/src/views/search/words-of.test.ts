import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../../tests/support/any-character.js';
import { excerpt } from './excerpt.js';
import { wordsOf } from './words-of.js';

describe('the words of a text', () => {
  it.each([
    ['Hello, World!', ['hello', 'world']],
    ['the the THE', ['the']],
    ['Café naïve Ångström ﬁx', ['cafe', 'naive', 'angstrom', 'fix']],
    ['mail bob@x.com at 10:30', ['mail', 'bob', 'x', 'com', 'at', '10', '30']],
    ['snake_case and kebab-case', ['snake', 'case', 'and', 'kebab']],
    ['漢字です', ['漢', '字', 'て', 'す']],
    ['год２０２６', ['год2026']],
    ['"; drop table', ['drop', 'table']],
    ['', []],
    ['‮\0\ud800', []],
    [`${'a'.repeat(64)} ${'b'.repeat(65)}`, ['a'.repeat(64)]],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are only letters and digits for any text, so that no database finds query syntax in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        for (const word of wordsOf(text)) expect(word).toMatch(/^[\p{L}\p{N}]{1,64}$/u);
      }),
    );
  });

  it('of a single word are that word: splitting is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
        const words = wordsOf(text);
        expect(wordsOf(words.join(' '))).toEqual(words);
      }),
    );
  });
});

describe('an excerpt', () => {
  it('shows the text around the first match, on one line', () => {
    const text = `${'before '.repeat(50)}the\n needle\t in it ${'after '.repeat(50)}`;
    const cut = excerpt(text, ['needle']);
    expect(cut).toMatch(/^….*the needle in it after.*…$/);
    expect(cut.length).toBeLessThan(210);
  });

  it('of a short text is the whole text', () => {
    expect(excerpt('  just this ', ['this'])).toBe('just this');
  });

  it('has no control characters and no split characters, wherever it is truncated', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), fc.nat(50), (text, at) => {
        const words = wordsOf(text);
        const cut = excerpt(text, words.slice(at % (words.length + 1)));
        expect(cut).not.toMatch(/[\p{Cc}]/u);
        expect(cut.length).toBeLessThanOrEqual(202);
      }),
    );
  });
});
