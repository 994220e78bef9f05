import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KeptHead } from './head.js';
import { follow } from './head-keeper.js';

it('[A16] commits that are told in any order leave the newest head, and no record before the first of them unguarded', () => {
  const commits = fc.tuple(fc.nat(5), fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 }));
  const order = commits.chain(([before, sizes]) => {
    let seq = before;
    const told = sizes.map((added) => {
      seq += added;
      return { head: { seq, hash: `hash ${seq}` }, added };
    });
    return fc.tuple(fc.constant(before), fc.constant(seq), fc.shuffledSubarray(told, { minLength: told.length }));
  });
  fc.assert(
    fc.property(order, ([before, last, told]) => {
      let known: KeptHead | undefined;
      for (const { head, added } of told) known = follow(known, head, added);
      expect(known).toEqual({ seq: last, hash: `hash ${last}`, ...(before === 0 ? {} : { unguarded: before }) });
    }),
  );
});
