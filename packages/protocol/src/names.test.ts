import { describe, expect, it } from 'vitest';
import { isReservedName, nameSchema } from './names.js';

describe('a name', () => {
  it('[A22.3] can’t be a reserved name', () => {
    for (const name of ['human', 'User', 'WORLD', 'system', 'you', 'You', 'ＹＯＵ', 'notice'])
      expect([name, isReservedName(name), nameSchema.safeParse(name).success]).toEqual([name, true, false]);
    for (const name of ['Ada', 'Young', 'you too', 'Notices']) expect(nameSchema.safeParse(name).success).toBe(true);
  });
});
