import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineReader } from './read-lines.js';

it('gives the same lines however they are cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat(20)), (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' '));
      let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const found: string[] = [];
      const read = createLineReader(10_000, (line) => found.push(line));
      for (const cut of [...cuts, rest.length]) {
        expect(read(rest.subarray(0, cut))).toBe(true);
        rest = rest.subarray(cut);
      }
      expect(found).toEqual(lines);
    }),
  );
});

it('stops at a line without end, and costs no more for a long one', () => {
  const read = createLineReader(1_000, () => undefined);
  expect(read(Buffer.alloc(1_000, 'x'))).toBe(true);
  expect(read(Buffer.alloc(1, 'x'))).toBe(false);
  const late = createLineReader(1_000, () => undefined);
  expect(late(Buffer.from(`${'x'.repeat(1_001)}\n`))).toBe(false);
});
