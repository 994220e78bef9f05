import { describe, expect, it } from 'vitest';
import { matchName } from './match-name.js';

describe('matchName', () => {
  it('treats a star as any run of characters', () => {
    expect([
      matchName('*.ts', 'a.ts'),
      matchName('*.ts', 'a.tsx'),
      matchName('*', ''),
      matchName('a*b*c', 'aXbXbc'),
    ]).toEqual([true, false, true, true]);
    expect([matchName('a*b*c', 'aXbXb'), matchName('', 'a'), matchName('[a].ts', 'a.ts')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('takes linear time', () => {
    expect(matchName(`${'*a'.repeat(90)}b`, 'a'.repeat(255))).toBe(false);
  });
});
