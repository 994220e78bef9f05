import type { Subject } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../../tests/support/any-character.js';
import { scaled } from '../../../../../tests/support/scaled.js';
import { outcome, plain, reporting } from '../../testing/policy-calls.js';
import { patternCovers, rulesCover } from '../grants/covers-call.js';
import { formatNamed } from '../grants/format-pattern.js';
import { parseRule } from '../rules/parse-rule.js';
import { toMatchable } from '../matchable-call.js';
import { proposeRule } from '../grants/propose-rule.js';
import type { Condition } from '../types.js';

describe('an allow rule about named arguments', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['to=bob, amount=5', { amount: 5, to: 'bob' }, true],
    ['amount=5, to=bob', { to: 'bob', amount: 5 }, true],
    ['to=bob', { to: 'bob', amount: 5 }, false],
    ['to=bob, *', { to: 'bob', amount: 5 }, true],
    ['to=bob, *', { to: 'bob' }, true],
    ['to=bob, *', { amount: 5 }, false],
    ['to=bob, amount=5', { to: 'bob' }, false],
    ['to=bob', { to: 'Bob' }, false],
    ['to=*', { to: 'a b\nc' }, true],
    ['to=*', { to: 'a', cc: 'b' }, false],
    ['to=b*b, amount <= 50', { to: 'bob', amount: 50 }, true],
    ['to=b*b, amount <= 50', { to: 'bob', amount: 51 }, false],
    ['amount <= 50', { amount: '5' }, false],
    ['amount <= 50', { amount: Number.NaN }, false],
    ['amount <= 50', { amount: [5] }, false],
    ['amount=5', { amount: '5' }, false],
    ['path=src/*', { path: 'src/a.ts' }, true],
    ['path=src/*', { path: 'src/../.env' }, false],
    ['order.total < 9, order.of=x', { order: { total: 1, of: 'x' } }, true],
    ['order.total < 9', { order: { total: 1, of: 'x' } }, false],
    ['amount=20 to=water', { amount: 20, to: 'water' }, true],
    ['amount=20 to=water', { amount: 20, to: 'water', tip: 5 }, false],
    ['city=a *', { city: 'a', nights: 2 }, true],
    ['city=a *', { adults: 2, city: 'a' }, false],
    ['to=a,b=c', { to: 'a', b: 'c' }, false],
    ['to=casino', { to: { casino: 5 } }, false],
    ['to=casino', { to: '"casino"' }, false],
    ['amount=1000', { amount: '1,000' }, false],
    ['amount > 100', { amount: '1,000' }, false],
    ['amount > 100', { amount: { '500': 1 } }, false],
  ])('[RULE4.3] [RULE4.4] allow x(%s) on %j: %s', (pattern, args, expected) => {
    expect(outcome(`allow x(${pattern})`, plain(args))).toBe(expected ? 'allow' : 'none');
    expect(patternCovers(pattern, toMatchable(plain(args)))).toBe(expected);
  });

  const path = (path: string): Subject => ({ kind: 'path', path, argument: 'path' });
  const host = (host: string): Subject => ({ kind: 'host', host, argument: 'url' });
  const words = (...words: string[]): Subject => ({ kind: 'words', words });

  it.each<[string, Record<string, unknown>, Subject[], boolean]>([
    ['path=./docs/**', { path: 'docs/a', content: 'x' }, [path('/srv/project/docs/a')], true],
    ['path=docs/*', { path: './docs/a', content: 'x' }, [path('/srv/project/docs/a')], true],
    ['path=docs/*', { path: 'docs/a/b' }, [path('/srv/project/docs/a/b')], false],
    ['path=notes.txt', { path: 'notes.txt' }, [path('/srv/project/notes.txt')], true],
    ['path=notes.txt', { path: 'a/notes.txt' }, [path('/srv/project/a/notes.txt')], false],
    ['path=./docs/**', { path: 'docs/a' }, [path('/srv/project/docs/../a')], false],
    ['path=./docs/**', { path: 'docs/a' }, [path('/srv/project/docs/a'), { kind: 'dynamic', why: '' }], false],
    ['content=x', { path: 'a', content: 'x' }, [path('/srv/project/a')], false],
    ['content=x, *', { path: 'a', content: 'x' }, [path('/srv/project/a')], true],
    [
      'from=*',
      { from: 'a', to: 'b' },
      [
        { kind: 'path', path: '/a', argument: 'from' },
        { kind: 'path', path: '/b', argument: 'to' },
      ],
      false,
    ],
    ['url=https://a.example/*', { url: 'https://a.example/b', offset: 3 }, [host('a.example')], true],
    ['url=https://a.example*', { url: 'https://a.example.evil.org/' }, [host('a.example.evil.org')], false],
    ['url=https://*.a.example/*', { url: 'https://evil.org/x.a.example/' }, [host('evil.org')], false],
    ['url=*.a.example', { url: 'https://b.a.example/' }, [host('b.a.example')], true],
    ['command=*', { command: 'ls; rm x' }, [words('ls'), words('rm', 'x')], false],
    ['command=ls*', { command: 'ls; rm x' }, [words('ls'), words('rm', 'x')], false],
    ["command='ls src'", { command: 'ls src' }, [words('ls', 'src')], true],
    ["command='ls src', *", { command: 'ls src', parameters: ['x'] }, [words('ls', 'src', 'x')], false],
    ["command='ls $x'", { command: 'ls $x' }, [{ kind: 'dynamic', why: '$x' }], false],
  ])('[RULE4.3] [RULE4.4] allow x(%s) on %j that touches %j: %s', (pattern, args, subjects, expected) => {
    expect(outcome(`allow x(${pattern})`, reporting(args, ...subjects))).toBe(expected ? 'allow' : 'none');
    expect(patternCovers(pattern, toMatchable(reporting(args, ...subjects)))).toBe(expected);
  });

  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.string({
      unit: fc.constantFrom('*', '(', ')', "'", '"', '\\', ' ', ',', '=', '>', '.', 'a', '1', '\n'),
      maxLength: 5,
    }),
  );

  it('[RULE1] [RULE3] that was proposed covers its call in any argument order, and no call with another argument or value', () => {
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.dictionary(text, value, { minKeys: 1, maxKeys: 4 }), text, value, (args, name, other) => {
        const rule = proposeRule(plain(args));
        fc.pre(rule !== undefined);
        const covers = (of: Record<string, unknown>): boolean => rulesCover([rule], [], plain(of));
        const turned = Object.fromEntries(Object.entries(args).toReversed());
        expect(covers(turned)).toBe(true);
        const changed = plain({ ...args, [name]: other });
        const same = JSON.stringify(changed.subjects) === JSON.stringify(plain(args).subjects);
        expect(covers({ ...args, [name]: other })).toBe(same);
        expect(covers(Object.fromEntries(Object.entries(args).slice(1)))).toBe(false);
      }),
      { numRuns: scaled(500) },
    );
  });

  it('[RULE1] is proposed for every call that fits on one line', () => {
    const args = { to: 'a, b', '': 1, 'x=y': "it's", n: -0.5, deep: { a: [true, null] }, text: '1' };
    expect(proposeRule(plain(args))).toBe(
      `allow x(""=1, deep='{"a":[true,null]}', n=-0.5, text='"1"', to='a, b', "x=y"=it\\'s)`,
    );
    expect(proposeRule(plain({}))).toBe('allow x()');
  });

  it('[RULE3.1] round-trips', () => {
    const word = fc
      .array(
        text.filter((one) => one !== ''),
        { minLength: 1, maxLength: 3 },
      )
      .map((texts) =>
        texts.flatMap((one, at) => (at === 0 ? [{ text: one }] : [{ stars: 1 as const }, { text: one }])),
      );
    const condition: fc.Arbitrary<Condition> = fc.oneof(
      fc.record({ kind: fc.constant('equal' as const), name: text, value: fc.oneof(word, fc.constant([])) }),
      fc.record({
        kind: fc.constant('compare' as const),
        name: text,
        operator: fc.constantFrom('<', '<=', '>', '>='),
        number: fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 8),
      }),
    );
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 4 }), fc.boolean(), (conditions, open) => {
        const named = { conditions, open, separator: 'comma', joined: false } as const;
        const parsed = parseRule(`allow x(${formatNamed(named)})`);
        expect(parsed).toMatchObject({ ok: true, rule: { named } });
      }),
      { numRuns: scaled(1000) },
    );
  });
});
