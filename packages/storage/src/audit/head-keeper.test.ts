import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoredHead } from './head.js';
import { follow } from './head-keeper.js';

it('[LOG1] keeps the newest head in any commit order, and keeps the unguarded count', () => {
  const start = fc.option(fc.record({ seq: fc.constant(1), hash: fc.constant('hash 1'), unguarded: fc.constant(1) }), {
    nil: undefined,
  });
  const order = fc.integer({ min: 2, max: 9 }).chain((last) => {
    const told = Array.from({ length: last - 1 }, (_, index) => ({ seq: index + 2, hash: `hash ${index + 2}` }));
    return fc.tuple(start, fc.constant(last), fc.shuffledSubarray(told, { minLength: told.length }));
  });
  fc.assert(
    fc.property(order, ([known, last, told]) => {
      let stored: StoredHead | undefined = known;
      for (const head of told) stored = follow(stored, head);
      const unguarded = known === undefined ? {} : { unguarded: 1 };
      expect(stored).toEqual({ seq: last, hash: `hash ${last}`, ...unguarded });
    }),
  );
});
