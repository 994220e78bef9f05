import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from './key.js';
import { createKeyReader } from './read-keys.js';

function read(...chunks: string[]): Key[] {
  const reader = createKeyReader();
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.flush()];
}

describe('terminal input', () => {
  it('is parsed into keys', () => {
    expect(read('a')).toEqual([{ kind: 'char', text: 'a' }]);
    expect(read('漢')).toEqual([{ kind: 'char', text: '漢' }]);
    expect(read('\r')).toEqual([{ kind: 'name', name: 'enter' }]);
    expect(read('\u001B[A', '\u001BOB')).toEqual([
      { kind: 'name', name: 'up' },
      { kind: 'name', name: 'down' },
    ]);
    expect(read('\u001B\r')).toEqual([{ kind: 'name', name: 'newline' }]);
    expect(read('\u0003')).toEqual([{ kind: 'ctrl', letter: 'c' }]);
  });

  it('distinguishes a single Escape from the start of a sequence', () => {
    expect(read('\u001B')).toEqual([{ kind: 'name', name: 'escape' }]);
    expect(read('\u001B', '[5~')).toEqual([{ kind: 'name', name: 'pageup' }]);
    expect(read('\u001B\u001B')).toEqual([
      { kind: 'name', name: 'escape' },
      { kind: 'name', name: 'escape' },
    ]);
  });

  it('[CALL15] returns pasted text as one key, however it is split', () => {
    const sent = 'x\u001B[200~o\rmore\u001B[201~y';
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: sent.length })), (cuts) => {
        const places = [0, ...cuts, sent.length].toSorted((a, b) => a - b);
        const chunks = places.slice(1).map((place, index) => sent.slice(places[index], place));
        expect(read(...chunks)).toEqual([
          { kind: 'char', text: 'x' },
          { kind: 'paste', text: 'o\nmore' },
          { kind: 'char', text: 'y' },
        ]);
      }),
    );
  });

  it('[CALL15] does not treat several characters that arrive together as key presses, except those that quit', () => {
    expect(read('o\r')).toEqual([{ kind: 'burst', text: 'o\r' }]);
    expect(read('jj')).toEqual([
      { kind: 'char', text: 'j' },
      { kind: 'char', text: 'j' },
    ]);
    expect(read('abc\u0003')).toEqual([{ kind: 'ctrl', letter: 'c' }]);
  });

  it('ignores unknown sequences', () => {
    expect(read('\u001B[1;5P')).toEqual([]);
    expect(read('\u001B[<0;10;10M')).toEqual([]);
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('\u001B', '[', 'O', '2', '0', '~', ';', 'a', '\r', '\u0000', '\uD800', '漢'),
        }),
        (text) => {
          expect(() => read(text)).not.toThrow();
        },
      ),
    );
  });
});
