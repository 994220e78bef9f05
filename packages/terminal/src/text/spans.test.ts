import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { isFullSize } from '../../../../tests/support/scaled.js';
import { fieldLines } from '../tui/layout/field-lines.js';
import { graphemes } from './graphemes.js';
import {
  clusters,
  cut,
  cutLine,
  lineWidth,
  span,
  spread,
  textOf,
  widthOf,
  wrapExact,
  wrapPath,
  wrapWords,
} from './spans.js';

const anyText = fc.string({
  unit: fc.constantFrom('a', ' ', 'ü', '漢', '🚢', 'e\u0301', '\n', '\t', '\u001B', '\u202E'),
});

describe('text in cells', () => {
  it('counts the cells that a terminal uses', () => {
    expect(widthOf('漢字')).toBe(4);
    expect(widthOf('🚢 ok')).toBe(5);
    expect(widthOf('e\u0301')).toBe(1);
  });

  it('the fast and the slow path measure the same width', () => {
    const quick = Array.from({ length: 0x2800 - 0x20 }, (_, index) => String.fromCodePoint(index + 0x20));
    const every = isFullSize ? 1 : 7;
    const shown = quick.filter((each, index) => index % every === 0 && !/[\x7F-\x9F\u00AD]/.test(each));
    expect(shown.filter((each) => widthOf(each) !== stringWidth(each))).toEqual([]);
  });

  it('splits a long line across slices into the same clusters as in one pass', () => {
    const units = ['a', ' ', '漢', '🚢', 'e\u0301', '👩‍👩‍👧', '🇩🇪', '\u0301'];
    const longText = fc.array(fc.constantFrom(...units), { minLength: 300, maxLength: 900 }).map((all) => all.join(''));
    fc.assert(
      fc.property(longText, (text) => {
        const whole = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
        expect([...graphemes(text)]).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('shows a line of 300,000 characters (which took minutes when passed to Intl.Segmenter as a whole)', () => {
    const text = `${'word '.repeat(60_000)}🚢`;
    expect(clusters(text)).toHaveLength(300_001);
    expect(fieldLines({ text, cursor: text.length }, 70, 5, true, 'prose')).toHaveLength(5);
  });

  it('breaks between words, and inside a word that is too long', () => {
    expect(wrapWords('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrapWords('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl']);
    expect(wrapWords('漢字漢字', 5)).toEqual(['漢字', '漢字']);
    expect(wrapWords('', 5)).toEqual(['']);
  });

  it('breaks a path after a slash, and drops nothing', () => {
    const path = 'notes/archive/north-log.md (from notes/north-log.md)';
    expect(wrapPath(path, 20)).toEqual(['notes/archive/', 'north-log.md (from ', 'notes/north-log.md)']);
    expect(wrapPath(path, 7).join('')).toBe(path);
    expect(wrapPath('a/b', 10)).toEqual(['a/b']);
  });

  it('[SAFE6] [CALL15] never returns a line that is too wide or moves the cursor', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 30 }), (text, width) => {
        for (const line of [
          ...wrapWords(text, width),
          ...wrapExact(text, width),
          ...wrapPath(text, width),
          cut(text, width),
        ]) {
          expect(widthOf(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\0-\x1F\x7F-\x9F\u202A-\u202E]/);
        }
      }),
    );
  });

  it('drops no part of text that will run', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '漢', ';') }),
        fc.integer({ min: 2, max: 9 }),
        (text, width) => {
          expect(wrapExact(text, width).join('')).toBe(text);
        },
      ),
    );
  });

  it('fills a line to its width, and marks where it was truncated', () => {
    expect(textOf(spread([span('a')], [span('b')], 5))).toBe('a   b');
    expect(textOf(spread([span('abcdef')], [span('z')], 5))).toBe('ab… z');
    fc.assert(
      fc.property(anyText, anyText, fc.integer({ min: 1, max: 20 }), (left, right, width) => {
        const line = cutLine([span(left), span(right)], width);
        expect(lineWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
