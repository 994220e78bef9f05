import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcome, plain, policies, reporting } from '../../testing/policy-calls.js';
import { proposeRule } from '../grants/propose-rule.js';
import type { PolicyCall } from '../types.js';
import { withholdPaths } from '../paths/withhold-paths.js';

describe('a deny rule about a named argument', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['to=casino', { to: 'casino', amount: 5 }, true],
    ['to=casino', { amount: 5, to: 'casino' }, true],
    ['to=casino', { to: ' Casino ' }, true],
    ['to=casino', { to: 'bakery' }, false],
    ['to=casino', { from: 'casino' }, false],
    ['to=casino', {}, false],
    ['to=*casino*', { to: 'the casino royale', amount: 1 }, true],
    ['to=casino, amount > 100', { to: 'casino', amount: 101 }, true],
    ['amount > 100, to=casino', { to: 'casino', amount: 101 }, true],
    ['to=casino, amount > 100', { to: 'casino', amount: 100 }, false],
    ['to=casino, amount > 100', { to: 'bakery', amount: 101 }, false],
    ['to = casino', { to: 'casino', amount: 1 }, true],
    ["to='a, b (c)'", { to: 'a, b (c)', amount: 1 }, true],
    ['"odd name"=1', { 'odd name': 1, b: 2 }, true],
    ['to=', { to: '', amount: 1 }, true],
    ['amount>100', { amount: 101 }, true],
    ['amount >= 100', { amount: 100 }, true],
    ['amount < 0', { amount: -1 }, true],
    ['amount <= -1.5', { amount: -1.5 }, true],
    ['amount > 1e2', { amount: 99 }, false],
    ['amount > 100', { amount: '150' }, true],
    ['amount > 100', { amount: ' 99 ' }, false],
    ['amount > 100', { amount: '1,000' }, true],
    ['amount > 100', { amount: '100.00000000000000001' }, true],
    ['amount > 100', { amount: 'lots' }, true],
    ['amount > 100', { amount: null }, true],
    ['amount > 100', { amount: Number.NaN }, true],
    ['amount > 100', { amount: [] }, true],
    ['amount > 100', { amount: [1, 200] }, true],
    ['amount > 100', { amount: [1, 2] }, false],
    ['amount > 100', {}, false],
    ['amount=100', { amount: '100.0', to: 'x' }, true],
    ['amount=100', { amount: 1e2, to: 'x' }, true],
    ['flag=true', { flag: true, to: 'x' }, true],
    ['order.total > 100', { order: { total: 101, of: 'x' } }, true],
    ['items.price > 100', { items: [{ price: 1 }, { price: 101 }] }, true],
    ['order.total > 100', { 'order.total': 101 }, true],
    ['paths=secret.txt', { paths: ['a', './secret.txt'] }, true],
    ['paths=secret.txt', { paths: '["secret.txt"]', b: 1 }, true],
    ['path=secret.txt', { path: './secret.txt', b: 1 }, true],
    ['path=secret.txt', { path: 'a/../SECRET.txt', b: 1 }, true],
    ['path=secret.txt', { path: '/srv/project/secret.txt', b: 1 }, true],
    ['path=~/.ssh/**', { path: '/home/ann/.ssh/id', b: 1 }, true],
    ['path=./docs/**, *', { path: 'docs/a', b: 1 }, true],
    ['path=secret.txt', { path: 'notes.txt', b: 1 }, false],
    ['url=https://evil.org/*', { url: 'HTTPS://Evil.org.:443/a', b: 1 }, true],
    ['command=rm *', { command: 'rm -rf x', b: 1 }, true],
    ['a=1 c=3', { a: 1, b: 2, c: 3 }, true],
    ['to=casino', { to: { casino: 5 } }, true],
    ['to=casino', { to: [{ Casino: { share: 5 } }] }, true],
    ['to=casino', { to: '{"casino":5}' }, true],
    ['to=secret.txt', { to: { './secret.txt': 'x' } }, true],
    ['to=casino', { to: { bakery: 5 } }, false],
    ['to=casino', { to: '"casino"' }, true],
    ['to=casino', { to: "'casino'" }, true],
    ['to=casino', { to: ' "\\"Casino\\"" ' }, true],
    ['to=casino', { to: '“casino”' }, true],
    ['to=casino', { to: '"bakery"' }, false],
    ['to=', { to: '""' }, true],
    ['amount=1000', { amount: '1,000' }, true],
    ['amount=1000', { amount: '1 000.00' }, true],
    ['amount=1000', { amount: '"1_000"' }, true],
    ['amount=1000', { amount: '1,001' }, false],
    ['amount > 100', { amount: "1'000" }, true],
    ['amount > 100', { amount: { value: 5 } }, false],
    ['amount > 100', { amount: { value: 500 } }, true],
    ['amount > 100', { amount: { '500': 1 } }, true],
    ['amount > 100', { amount: { value: '1,000' } }, true],
    ['amount > 100', { amount: '"5"' }, true],
  ])('[RULE4.1] [RULE4.2] deny x(%s) on %j: %s', (pattern, args, expected) => {
    expect(outcome(`deny x(${pattern})`, plain(args))).toBe(expected ? 'deny' : 'none');
    expect(outcome(`ask *(${pattern})`, plain(args))).toBe(expected ? 'ask' : 'none');
  });

  it('[RULE4.1] matches regardless of the other arguments and their order', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '_', '1', '-'), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })),
        fc.jsonValue({ maxDepth: 1 }),
        fc.boolean(),
        (others, value, first) => {
          const rule = proposeRule(plain({ to: value }))?.replace('allow', 'deny') ?? 'none';
          const args = first ? { to: value, ...others } : { ...others, to: value };
          args['to'] = value;
          expect(outcome(rule, plain(args))).toBe('deny');
        },
      ),
    );
  });

  it.each<[string, string, boolean]>([
    ['path=secret.txt', '/srv/project/secret.txt', true],
    ['path=secret.txt', '/srv/project/a/secret.txt', true],
    ['path=secrets', '/srv/project/Secrets/key', true],
    ['path=./*.key', '/srv/project/a.KEY', true],
    ['path=secret.txt', '/srv/project/notes.txt', false],
    ['content=x', '/srv/project/x', false],
  ])(
    '[RULE4.1] deny x(%s) applies to the path %s that the tool reports for the argument: %s',
    (pattern, path, expected) => {
      const call = reporting({ content: '' }, { kind: 'path', path, argument: 'path' });
      expect(outcome(`deny x(${pattern})`, call)).toBe(expected ? 'deny' : 'none');
    },
  );

  it('[RULE4] applies to the files that a call finds while walking a folder', () => {
    const call = reporting({ pattern: 'key' }, { kind: 'path', path: '/srv/project', argument: 'path' });
    const withheld = withholdPaths(policies(['deny x(path=./secrets/**)', 'deny x(path=./b, pattern=other)']), call);
    expect(withheld?.('/srv/project/secrets/key')).toBe(true);
    expect(withheld?.('/srv/project/b')).toBe(false);
    expect(withheld?.('/srv/project/src/a.ts')).toBe(false);
  });

  it('[RULE4] still matches as a pattern of words if it was stored as one', () => {
    const words = (...of: string[]): PolicyCall => reporting({}, { kind: 'words', words: of });
    expect(outcome('deny x(if=/dev/zero)', words('if=/dev/zero'))).toBe('deny');
    expect(outcome('deny x(a=1,b=2)', plain({ a: '1,b=2' }))).toBe('deny');
    expect(outcome('deny x(city=a *)', plain({ city: 'a', nights: 2 }))).toBe('deny');
  });
});
