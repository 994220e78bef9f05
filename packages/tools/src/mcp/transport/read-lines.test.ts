import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineReader } from './read-lines.js';

it('returns the same lines however the input is split', () => {
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

it('stops at an endless line, and takes linear time for a long one', () => {
  const read = createLineReader(1_000, () => undefined);
  expect(read(Buffer.alloc(1_000, 'x'))).toBe(true);
  expect(read(Buffer.alloc(1, 'x'))).toBe(false);
  const late = createLineReader(1_000, () => undefined);
  expect(late(Buffer.from(`${'x'.repeat(1_001)}\n`))).toBe(false);
});

it('decodes invalid UTF-8 and a byte order mark split across chunks as if they arrived in one', () => {
  const lines = [
    [0xef, 0xbb, 0xbf, 0x7b],
    [0xe2, 0x80],
    [0x61, 0xff, 0x62],
    [0xae, 0x7d],
  ].map((bytes) => Buffer.from(bytes));
  const all = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  const found: string[] = [];
  const read = createLineReader(10_000, (line) => found.push(line));
  for (const byte of all) read(Buffer.from([byte]));
  expect(found).toEqual(lines.map((line) => line.toString('utf8')));
});
