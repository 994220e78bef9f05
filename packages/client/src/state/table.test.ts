import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyTable, get, remove, set, setAll, values, type Table } from './table.js';

const id = fc.integer({ min: 0, max: 300 }).map((n) => `id_${n}`);
const change = fc.oneof(
  fc.record({ do: fc.constant('set' as const), id, value: fc.nat(5) }),
  fc.record({ do: fc.constant('remove' as const), id }),
);

const sorted = (numbers: Iterable<number>): number[] => [...numbers].toSorted((a, b) => a - b);

describe('a table', () => {
  it('behaves like a map, without changing earlier versions', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 400 }), (changes) => {
        const map = new Map<string, number>();
        let table: Table<number> = emptyTable();
        for (const each of changes) {
          const before = table;
          const was = sorted(values(before));
          if (each.do === 'set') map.set(each.id, each.value);
          else map.delete(each.id);
          table = each.do === 'set' ? set(table, each.id, each.value) : remove(table, [each.id]);
          expect(sorted(values(before))).toEqual(was);
        }
        expect(table.size).toBe(map.size);
        for (const [key, value] of map) expect(get(table, key)).toBe(value);
        expect(sorted(values(table))).toEqual(sorted(map.values()));
      }),
      { numRuns: 50 },
    );
  });

  it('is the same object if nothing changes', () => {
    const table = set(emptyTable<number>(), 'a', 1);
    expect(set(table, 'a', 1)).toBe(table);
    expect(remove(table, ['b'])).toBe(table);
  });

  it('copies only a small part of itself, however large it is', () => {
    const table = setAll(
      emptyTable<number>(),
      Array.from({ length: 20_000 }, (_, n) => [`msg_${n}`, n] as const),
    );
    const next = set(table, 'msg_777', -1);
    const copied = next.buckets.filter((bucket, at) => bucket !== table.buckets[at]);
    expect(copied).toHaveLength(1);
    expect(Math.max(...next.buckets.map((bucket) => bucket.size))).toBeLessThan(100);
  });
});
