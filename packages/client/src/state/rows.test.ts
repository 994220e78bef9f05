import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, emptyRows, prepend, rowAt, sliceRows, type Rows } from './rows.js';

const change = fc.record({
  at: fc.constantFrom('front' as const, 'end' as const),
  added: fc.array(fc.nat(), { maxLength: 300 }),
});

describe('rows', () => {
  it('match a list that grows at both ends', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        let list: number[] = [];
        let rows: Rows<number> = emptyRows();
        for (const { at, added } of changes) {
          list = at === 'front' ? [...added, ...list] : [...list, ...added];
          rows = at === 'front' ? prepend(rows, added) : append(rows, added);
        }
        expect(rows.length).toBe(list.length);
        expect(sliceRows(rows)).toEqual(list);
        expect(sliceRows(rows, 3, 9)).toEqual(list.slice(3, 9));
        expect(rowAt(rows, list.length)).toBeUndefined();
        expect(rowAt(rows, -1)).toBeUndefined();
      }),
      { numRuns: 60 },
    );
  });

  it('share unchanged chunks', () => {
    const rows = append(
      emptyRows<number>(),
      Array.from({ length: 10_000 }, (_, n) => n),
    );
    const next = append(rows, [1]);
    expect(next.chunks.filter((chunk, at) => chunk !== rows.chunks[at])).toHaveLength(1);
  });
});
