import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BAR, behindBar, indented, wrapFrom, wrapLines } from './behind-bar.js';
import { cellsOf } from './cells.js';
import { plainText } from './plain-text.js';

const anyText = fc.string({
  unit: fc.constantFrom('a', 'word', ' ', '   ', '\n', '\t', '漢', '🚢', '\u001B', '\u202E', 'é'),
});

describe('untrusted text', () => {
  it('[CALL15] is behind a bar on every line, and no line is wider than the terminal', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 20, max: 120 }), (text, columns) => {
        for (const line of behindBar(text, columns).split('\n')) {
          expect(line.startsWith(BAR)).toBe(true);
          expect(cellsOf(line)).toBeLessThanOrEqual(columns);
        }
        for (const line of indented(text, columns).split('\n')) {
          expect(line.startsWith('  ')).toBe(true);
          expect(cellsOf(line)).toBeLessThanOrEqual(columns);
        }
      }),
    );
  });

  it('no character is lost, however the text is split', () => {
    fc.assert(
      fc.property(fc.array(anyText), (pieces) => {
        let column = 0;
        const shown = pieces.map((piece) => {
          const wrapped = wrapFrom(plainText(piece), column, 20, '\n');
          ({ column } = wrapped);
          return wrapped.text;
        });
        const bare = (text: string): string => text.replaceAll(/\s/g, '');
        expect(bare(shown.join(''))).toBe(bare(pieces.map(plainText).join('')));
      }),
    );
  });

  it('breaks between words if possible', () => {
    expect(wrapLines('one two three four', 16)).toEqual(['one two ', 'three four']);
    expect(wrapLines('x'.repeat(25), 14)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]);
  });
});
