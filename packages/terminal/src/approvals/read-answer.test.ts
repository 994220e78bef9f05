import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeChoices, readAnswer } from './read-answer.js';

const ALL = {
  options: ['deny', 'approve_once', 'approve_session', 'approve_always'] as const,
  session: { pattern: 'ls ./**', any: true },
};
const NONE = { isCut: false, hasOthers: false, isMasked: false, hosts: [] };
const WORDS = ['o', 'once', 'c', 'chat', 'a', 'always', 'e', 'edit', 's', 'show'];

describe('a line typed at a card', () => {
  it.each([
    ['o', { kind: 'approve', scope: 'once' }],
    [' Once ', { kind: 'approve', scope: 'once' }],
    ['c', { kind: 'approve', scope: 'session' }],
    ['a', { kind: 'rule' }],
    ['e', { kind: 'edit' }],
    ['s', { kind: 'more' }],
    ['d', { kind: 'deny', reason: 'no reason given' }],
    ['deny  not in   production', { kind: 'deny', reason: 'not in production' }],
    ['n', { kind: 'deny', reason: 'no reason given' }],
    ['', { kind: 'deny', reason: 'no reason given' }],
  ])('%j', (line, answer) => {
    expect(readAnswer(line, ALL, NONE)).toEqual(answer);
  });

  it('[A17] approves only with a line of exactly one known word', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('yes', 'y', 'ok', 'o o', 'once more', 'approve', 'oo')),
        (line) => {
          fc.pre(!WORDS.includes(line.trim().toLowerCase()));
          expect(['deny', 'unknown']).toContain(readAnswer(line, ALL, NONE).kind);
        },
      ),
    );
  });

  it('[A53.10] allows the hosts that the call tried to reach, if there are any', () => {
    const tried = { ...NONE, hosts: ['example.com'] };
    expect(readAnswer('h', ALL, tried)).toEqual({ kind: 'hosts' });
    expect(readAnswer('h', ALL, NONE).kind).toBe('unknown');
    expect(describeChoices({ ...ALL, toolName: 'x' }, 'Ada', tried)).toContain(
      'h: allow example.com for this call, and see it again before you approve it',
    );
  });

  it('[A15] reveals only if something is masked, even before the whole call was shown', () => {
    expect(readAnswer('r', ALL, { ...NONE, isMasked: true, isCut: true })).toEqual({ kind: 'reveal' });
    expect(readAnswer('r', ALL, NONE).kind).toBe('unknown');
    const described = (isMasked: boolean): string =>
      describeChoices({ ...ALL, toolName: 'x' }, 'Ada', { ...NONE, isMasked }).join('\n');
    expect(described(true)).toContain('r: reveal');
    expect(described(false)).not.toContain('reveal');
  });

  it.each(['0', 'oo', 'once more', 'approve', 'y', 'yes', 'x'])('[A17] %j decides nothing', (line) => {
    expect(readAnswer(line, ALL, NONE)).toEqual({ kind: 'unknown' });
  });

  it('[A2] accepts only answers that are offered', () => {
    const only = { options: ['deny', 'approve_once'] as const };
    for (const word of ['c', 'a']) expect(readAnswer(word, only, NONE).kind).toBe('unknown');
    for (const word of ['o', 'c', 'a', 'e']) expect(readAnswer(word, { options: ['deny'] }, NONE).kind).toBe('unknown');
    for (const word of ['o', 'c', 'a', 'e'])
      expect(readAnswer(word, ALL, { ...NONE, isCut: true }).kind).toBe('unknown');
    expect(readAnswer('n', ALL, { ...NONE, hasOthers: true }).kind).toBe('next');
    const choices = describeChoices({ ...only, toolName: 'stamp' }, 'Ada', { ...NONE, isCut: true });
    expect(choices).toEqual([
      'd: deny, with an optional reason (Enter denies)',
      'o: approve once, after s',
      's: show more',
    ]);
  });
});
