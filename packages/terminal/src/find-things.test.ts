import { describe, expect, it } from 'vitest';
import { findThing } from './find-things.js';

const calls = ['approval_01a2f0', 'approval_01a2f1', 'approval_77cd00'].map((id) => ({ id }));
const people = [
  { id: 'ada', name: 'Ada' },
  { id: 'ada-2', name: 'Ada Two' },
];
const find = (word: string): string => findThing(calls, word, { what: 'approval' }).id;

describe('[TERM3.11] the name of a thing', () => {
  it('is its id, its name, or the start of only one id', () => {
    expect(find('approval_77cd')).toBe('approval_77cd00');
    expect(find('approval_01a2f1')).toBe('approval_01a2f1');
    expect(findThing(people, 'ada', { what: 'person' }).id).toBe('ada');
    expect(findThing(people, 'ADA TWO', { what: 'person' }).id).toBe('ada-2');
  });

  it('is refused if several ids start with it, or if it is shorter than four characters', () => {
    expect(() => find('approval_01a2')).toThrow(
      '"approval_01a2" could be any of 2 approvals. Use an id: "approval_01a2f0", "approval_01a2f1".',
    );
    for (const word of ['approval_', 'approval_77', 'appr', '', 'cd00'])
      expect(() => find(word)).toThrow(/could be|no/);
  });

  it('is refused if several things have it', () => {
    const twins = [
      { id: 'token_aa', name: 'ci' },
      { id: 'token_bb', name: 'ci' },
    ];
    expect(() => findThing(twins, 'ci', { what: 'token' })).toThrow('could be any of 2 tokens');
    expect(findThing(twins, 'token_bb', { what: 'token' }).id).toBe('token_bb');
  });
});
