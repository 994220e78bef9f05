/** Random choices that follow from a seed. */
export interface Random {
  below(limit: number): number;
  chance(part: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e37_79b1);
  const next = (): number => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (part) => next() < part,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('nothing to choose from');
      return list[below(list.length)] as T;
    },
  };
}
