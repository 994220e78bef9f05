import type { Subject } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../../tests/support/any-character.js';
import { scaled } from '../../../../../tests/support/scaled.js';
import { compilePolicy, compileStored, NO_RULES } from '../compile-policy.js';
import { patternCovers, rulesCover } from '../covers-call.js';
import { defaultSubjects } from '../default-subjects.js';
import { formatRule } from '../format-rule.js';
import { judge } from '../judge.js';
import { parseRule } from '../parse-rule.js';
import { prepareCall } from '../prepare-call.js';
import { proposeRule } from '../propose-rule.js';
import type { Condition, PolicyCall } from '../types.js';
import { withholdPaths } from '../paths/withhold-paths.js';
import { explainMisses } from './explain-misses.js';
import { findMisfit, type KnownTool } from './find-misfit.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };

/** A call of a tool that does not say what it touches. */
function plain(args: Record<string, unknown>): PolicyCall {
  return {
    tool: 'x',
    place,
    arguments: { ok: true, value: args },
    subjects: defaultSubjects(args),
    subjectsFrom: 'arguments',
  };
}

/** A call of a tool that says what it touches. */
function told(args: Record<string, unknown>, ...subjects: Subject[]): PolicyCall {
  return { tool: 'x', place, arguments: { ok: true, value: args }, subjects, subjectsFrom: 'tool' };
}

function policies(rules: readonly string[]) {
  const compiled = compilePolicy(rules);
  if (!compiled.ok) throw new Error(`${rules[compiled.index]}: ${compiled.error}`);
  return { world: compiled.policy, agent: NO_RULES };
}

const outcome = (rule: string, call: PolicyCall): string => judge(policies([rule]), call).outcome;

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
  ])('[A25] deny x(%s) on %j: %s', (pattern, args, expected) => {
    expect(outcome(`deny x(${pattern})`, plain(args))).toBe(expected ? 'deny' : 'none');
    expect(outcome(`ask *(${pattern})`, plain(args))).toBe(expected ? 'ask' : 'none');
  });

  it('[A25] matches whatever the other arguments are, in any order', () => {
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
  ])('[A25] deny x(%s) reads the argument as the path %s that its tool says it is: %s', (pattern, path, expected) => {
    const call = told({ content: '' }, { kind: 'path', path, argument: 'path' });
    expect(outcome(`deny x(${pattern})`, call)).toBe(expected ? 'deny' : 'none');
  });

  it('[A25] is about what a call that walks a folder finds below it', () => {
    const call = told({ pattern: 'key' }, { kind: 'path', path: '/srv/project', argument: 'path' });
    const withheld = withholdPaths(policies(['deny x(path=./secrets/**)', 'deny x(path=./b, pattern=other)']), call);
    expect(withheld?.('/srv/project/secrets/key')).toBe(true);
    expect(withheld?.('/srv/project/b')).toBe(false);
    expect(withheld?.('/srv/project/src/a.ts')).toBe(false);
  });

  it('[A25] keeps what a stored rule was about as a pattern of words', () => {
    const words = (...of: string[]): PolicyCall => told({}, { kind: 'words', words: of });
    expect(outcome('deny x(if=/dev/zero)', words('if=/dev/zero'))).toBe('deny');
    expect(outcome('deny x(a=1,b=2)', plain({ a: '1,b=2' }))).toBe('deny');
    expect(outcome('deny x(city=a *)', plain({ city: 'a', nights: 2 }))).toBe('deny');
  });
});

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
  ])('[A25] allow x(%s) on %j: %s', (pattern, args, expected) => {
    expect(outcome(`allow x(${pattern})`, plain(args))).toBe(expected ? 'allow' : 'none');
    expect(patternCovers(pattern, prepareCall(plain(args)))).toBe(expected);
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
  ])('[A25] allow x(%s) on %j that touches %j: %s', (pattern, args, subjects, expected) => {
    expect(outcome(`allow x(${pattern})`, told(args, ...subjects))).toBe(expected ? 'allow' : 'none');
    expect(patternCovers(pattern, prepareCall(told(args, ...subjects)))).toBe(expected);
  });

  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.string({
      unit: fc.constantFrom('*', '(', ')', "'", '"', '\\', ' ', ',', '=', '>', '.', 'a', '1', '\n'),
      maxLength: 5,
    }),
  );

  it('[A19] [A24] that was proposed covers its call, in any order, and no call with another argument or value', () => {
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

  it('[A19] is proposed for every call that can be put in a line', () => {
    const args = { to: 'a, b', '': 1, 'x=y': "it's", n: -0.5, deep: { a: [true, null] }, text: '1' };
    expect(proposeRule(plain(args))).toBe(
      `allow x(""=1, deep='{"a":[true,null]}', n=-0.5, text='"1"', to='a, b', "x=y"=it\\'s)`,
    );
    expect(proposeRule(plain({}))).toBe('allow x()');
  });

  it('[A24] reads back as it was written', () => {
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
        const parsed = parseRule(formatRule({ verb: 'allow', tool: 'x', named }));
        expect(parsed).toMatchObject({ ok: true, rule: { named } });
      }),
      { numRuns: scaled(1000) },
    );
  });
});

describe('a rule that can match no call', () => {
  const parameters = {
    type: 'object',
    properties: {
      to: { type: 'string' },
      amount: { type: 'number' },
      unit: { enum: ['eur', 'usd'] },
      urgent: { type: 'boolean' },
      order: { type: 'object', properties: { total: { type: 'number' } }, additionalProperties: false },
    },
    required: ['to', 'amount'],
    additionalProperties: false,
  };
  const why = (rule: string, touches?: KnownTool['touches']): string | undefined => {
    const parsed = parseRule(rule);
    if (!parsed.ok) throw new Error(parsed.error);
    return findMisfit(parsed.rule, { name: 'pay', parameters, ...(touches === undefined ? {} : { touches }) });
  };

  it.each([
    ['deny pay(too=casino)', 'pay has no argument "too". Its arguments are to, amount, unit, urgent and order.'],
    ['deny pay(order.sum > 1)', 'no argument "order.sum"'],
    ['deny pay(urgent > 1)', 'not a number (boolean)'],
    ['deny pay(unit > 1)', 'not a number'],
    ['allow pay(to > 5, *)', 'not a number (string)'],
    ['deny pay(amount=lots)', 'is a number, so it is never "lots"'],
    ['deny pay(unit=gbp)', 'is one of "eur", "usd"'],
    ['deny pay(urgent=yes)', 'is true or false'],
    ['deny pay(to=casino,amount>5)', 'space after a comma'],
    ['deny pay(casino)', 'judged by their arguments'],
    ['deny pay(to=the casino)', 'Quote a value'],
    ['allow pay(to=bob)', 'every call of pay also has amount'],
    ['allow pay(to=bob amount=5)', 'separate arguments with commas'],
    ['allow pay()', 'has the argument to'],
  ])('[A26] %s is refused: %s', (rule, sentence) => {
    expect(why(rule)).toContain(sentence);
  });

  it.each([
    'deny pay',
    'deny pay(to=casino)',
    'deny pay(to > 5)',
    'deny pay(amount=1*)',
    'deny pay(UNIT=x)'.replace('UNIT', 'to'),
    'deny pay(unit=EUR)',
    'deny pay(order.total >= 5)',
    'deny pay(*casino*)',
    'deny pay(~/.ssh/**)',
    'deny pay(amount=5 to=casino)',
    'allow pay(to=bob, amount <= 5)',
    'allow pay(to=bob, *)',
    'allow pay(amount=5 to=bob)',
  ])('[A26] %s is accepted', (rule) => {
    expect(why(rule)).toBeUndefined();
  });

  it('[A26] is only refused where the tool is known to judge it so', () => {
    const nothing = (): [] => [];
    expect(why('allow pay(git status)', nothing)).toBeUndefined();
    expect(why('deny pay(to=the casino)', nothing)).toContain('Quote a value');
    expect(why('deny pay(to=the *)', nothing)).toContain('Quote a value');
    expect(why('allow pay(to=a*)', nothing)).toBeUndefined();
    const parsed = parseRule('deny pay(anything=5)');
    if (!parsed.ok) throw new Error(parsed.error);
    expect(findMisfit(parsed.rule, undefined)).toBeUndefined();
    expect(findMisfit(parsed.rule, { name: 'pay', parameters: { type: 'object' } })).toBeUndefined();
  });
});

describe('conditions that can not be read', () => {
  it.each([
    ['to=bob,', 7, 'another condition'],
    ['to=bob, ', 8, 'another condition'],
    ['to=bob, amount', 8, 'name=value'],
    ['to=bob, , amount=5', 8, 'name=value'],
    ['to=bob, *, amount=5', 8, 'name=value'],
    ['to=bob,amount > 5', 14, 'space after a comma'],
    ['to, amount=5', 0, 'name=value'],
    ['amount > lots', 9, 'plain number'],
    ['amount>', 7, 'plain number'],
    ['amount > 1,000', 9, 'plain number'],
    ['amount > 100,to=bob', 9, 'plain number'],
    ['to!=bob', 2, 'no operator !='],
    ['to==bob', 2, 'no operator =='],
    ['amount => 5', 7, 'no operator =>'],
    ['amount=<5', 6, 'no operator =<'],
    ['amount <> 5', 7, 'no operator <>'],
  ])('[A26.2] (%s) is refused for every tool, with its position', (pattern, position, words) => {
    for (const head of ['deny *(', 'ask unknown(', 'allow x(']) {
      const parsed = parseRule(`${head}${pattern})`);
      expect(parsed).toMatchObject({ ok: false, position: head.length + position });
      expect(!parsed.ok && parsed.error).toContain(words);
    }
  });

  it.each(['deny *(to=the casino)', 'deny unknown(to= bob)', 'ask mcp__*(to = the casino)'])(
    '[A26] %s is refused for globs and unknown tools: it would be read as words and match nothing',
    (text) => {
      const parsed = parseRule(text);
      if (!parsed.ok) throw new Error(parsed.error);
      expect(findMisfit(parsed.rule, undefined)).toContain('Quote a value');
    },
  );

  it.each([
    'deny *(./a=b/**)',
    "deny *('to=the' casino)",
    'deny *(env A=b npm *)',
    'deny unknown(to=bob)',
    'allow unknown(to=\\=bob)',
  ])('[A26] %s is accepted', (text) => {
    const parsed = parseRule(text);
    if (!parsed.ok) throw new Error(parsed.error);
    expect(findMisfit(parsed.rule, undefined)).toBeUndefined();
  });

  it('[A26.3] stored, deny and ask every call of their tools, and allow none', () => {
    const judged = (rule: string, tool: string): string =>
      judge({ world: compileStored([rule, 'allow *']), agent: NO_RULES }, { ...plain({ to: 'ann' }), tool }).outcome;
    expect(judged('deny x(to=bob,)', 'x')).toBe('deny');
    expect(judged('deny x(to=bob,)', 'y')).toBe('allow');
    expect(judged('deny x*(to=bob,amount > 5)', 'xy')).toBe('deny');
    expect(judged('ask x(amount > lots)', 'x')).toBe('ask');
    expect(judged('deny x(', 'x')).toBe('deny');
    expect(judge({ world: compileStored(['allow x(to=ann,)']), agent: NO_RULES }, plain({ to: 'ann,' })).outcome).toBe(
      'none',
    );
  });

  it('[A26.3] stored without a tool that can be read, leave the rules that deny and ask, and everything else is asked', () => {
    const world = compileStored(['deny x(to=bob)', 'dney y', 'allow *']);
    const outcomes = [plain({ to: 'bob' }), plain({ to: 'ann' })].map((call) =>
      judge({ world, agent: NO_RULES }, call),
    );
    expect(outcomes.map((one) => one.outcome)).toEqual(['deny', 'ask']);
    expect(world.closed).toContain('line 2');
  });
});

it('[A26] says why each rule for a tool did not apply', () => {
  const rules = [
    'deny x(path=secret.txt)',
    'deny x(size > 5)',
    'deny x(*.key)',
    'allow x(path=notes.txt)',
    'allow x(size < 5, *)',
    'allow x(path=*, size=*)',
    'deny y',
  ];
  expect(explainMisses(policies(rules), plain({ path: 'notes.txt', size: '4' }))).toEqual([
    { rule: 'deny x(path=secret.txt)', code: 'different', argument: 'path', value: 'notes.txt' },
    { rule: 'deny x(size > 5)', code: 'different', argument: 'size', value: '4' },
    { rule: 'deny x(*.key)', code: 'pattern' },
    { rule: 'allow x(path=notes.txt)', code: 'unnamed', argument: 'size' },
    { rule: 'allow x(size < 5, *)', code: 'not-a-number', argument: 'size', value: '4' },
  ]);
  const shell = told({ command: 'ls' }, { kind: 'words', words: ['ls'] });
  expect(explainMisses(policies(['allow x(command=l*)', 'deny x(timeout > 5)']), shell)).toEqual([
    { rule: 'deny x(timeout > 5)', code: 'missing', argument: 'timeout' },
    { rule: 'allow x(command=l*)', code: 'not-spelt' },
  ]);
});

describe('[A24] other spellings of the same arguments', () => {
  const deep = '['.repeat(100_000) + '"casino"' + ']'.repeat(100_000);
  it.each<[string, Record<string, unknown>]>([
    ['items.price > 100', { items: '[{"price":500}]' }],
    ['order.to=casino', { order: '{"to":"casino"}' }],
    ['order.to=casino', { order: JSON.stringify('{"to":"casino"}') }],
    ['order.to=casino', { order: `'{"to":"casino"}'` }],
    ['to=casino', { to: deep }],
    ['to=casino', { to: `${'"'.repeat(1_000_000)}casino${"'".repeat(1_000_000)}` }],
    ['order.to=casino', { order: `${'['.repeat(100_000)}{"to":"casino"}${']'.repeat(100_000)}` }],
    ['url=https://evil.example/*', { url: 'https://user:word@evil.example/x' }],
    ['url=https://evil.example/*', { url: 'https:\\\\evil.example/x' }],
    ['url=https://evil.example/*', { url: 'https:evil.example' }],
    ['url=https://evil.example/admin*', { url: 'https://evil.example/%61dmin' }],
    ['path=/etc/**', { path: 'file:///etc/passwd' }],
    ['path=/etc/**', { path: 'FILE:/etc/%70asswd' }],
  ])('deny %s', (conditions, args) => expect(outcome(`deny x(${conditions})`, plain(args))).toBe('deny'));

  it.each<[string, Record<string, unknown>]>([
    ['order.amount=5', { 'order.amount': 5, order: { amount: 999 } }],
    ['order.amount < 6', { 'order.amount': 5, order: { amount: 999 } }],
    ['url=https://a.example/api/*', { url: 'https://a.example/api/%2e%2E/admin' }],
    ['url=https://a.example/api/*', { url: 'https://a.example/api/..\\admin' }],
    ['url=https://a.example/api/*', { url: 'https://a.example/api/.\t./admin' }],
  ])('allow %s does not cover %j', (conditions, args) => {
    expect(outcome(`allow x(${conditions})`, plain(args))).toBe('none');
    const host: Subject = { kind: 'host', host: 'a.example', argument: 'url' };
    expect(outcome(`allow x(${conditions})`, told(args, host))).toBe('none');
  });

  it('allow still covers what is spelled once', () => {
    expect(outcome('allow x(order.amount=5)', plain({ 'order.amount': 5 }))).toBe('allow');
    expect(outcome('allow x(order.amount=5)', plain({ order: { amount: 5 } }))).toBe('allow');
    expect(outcome('allow x(url=https://a.example/api/*)', plain({ url: 'https://a.example/api/x%20y' }))).toBe(
      'allow',
    );
  });
});
