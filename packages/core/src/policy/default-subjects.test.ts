import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.js';
import { defaultSubjects } from './default-subjects.js';

describe('defaultSubjects', () => {
  it('[CALL1.3] returns the arguments as words, sorted by name', () => {
    expect(defaultSubjects({ to: 'bob smith', count: 2, deep: { b: 1, a: [true] } })).toEqual([
      { kind: 'words', words: ['count=2', 'deep={"a":[true],"b":1}', 'to=bob smith'] },
    ]);
  });

  it('[CALL1.3] returns a subject without words for a call without arguments', () => {
    expect(defaultSubjects({})).toEqual([{ kind: 'words', words: [] }]);
  });

  it('[RULE1] quotes names that look like an option or contain an equals sign', () => {
    expect(defaultSubjects({ '-rf': '/', 'to=a': 'b' })).toEqual([{ kind: 'words', words: ['"-rf"=/', '"to=a"=b'] }]);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (args) => {
        const [subject] = defaultSubjects(args);
        const words = subject?.kind === 'words' ? subject.words : ['-'];
        expect(words.filter((word) => word.startsWith('-'))).toEqual([]);
        expect(new Set(words).size).toBe(Object.keys(args).length);
      }),
    );
  });

  it('[CALL5] distinguishes a number from its text in allow rules, but not in deny rules', () => {
    expect(defaultSubjects({ a: 1 })).toEqual([{ kind: 'words', words: ['a=1'] }]);
    expect(defaultSubjects({ a: '1' })).toEqual([
      { kind: 'words', words: ['a="1"'] },
      { kind: 'words', words: ['a=1'], inner: true },
    ]);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [first] = defaultSubjects({ a: one });
        const [second] = defaultSubjects({ a: other });
        const same = JSON.stringify(first) === JSON.stringify(second);
        expect(same).toBe(canonicalJson(one) === canonicalJson(other));
      }),
    );
    for (const value of [1, true, null, [1], { b: 1 }, 'x']) {
      const [subject] = defaultSubjects({ a: value });
      const [asText] = defaultSubjects({ a: canonicalJson(value) });
      expect(subject).not.toEqual(asText);
    }
  });

  it.each([
    ['a string', 'x'],
    ['null', null],
    ['an array', [1]],
    ['a nested date', { at: new Date(0) }],
  ])('[RULE1] returns a dynamic subject for %s', (_name, args) => {
    expect(defaultSubjects(args)).toMatchObject([{ kind: 'dynamic' }]);
  });
});
