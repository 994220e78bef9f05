import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scaled } from '../../../../../tests/support/scaled.js';
import { compileStored } from '../compile-policy.js';
import { defaultSubjects } from '../default-subjects.js';
import { groupsFor } from '../rules/find-rules.js';
import { toMatchable } from '../matchable-call.js';
import { findNamed } from './named-index.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };
const prepare = (value: Record<string, unknown>, told: boolean) =>
  toMatchable({
    tool: 'x',
    place,
    arguments: { ok: true, value },
    subjects: told ? [{ kind: 'path', path: '/srv/project/a', argument: 'a' }] : defaultSubjects(value),
    subjectsFrom: told ? 'tool' : 'arguments',
  });

it('[LIMIT3] tests only rules that spell out the argument’s value, and rules that spell out no value', () => {
  const spelt = Array.from({ length: 1000 }, (_, index) => `deny x(to=someone-${index}, amount > 5)`);
  const [group] = groupsFor(compileStored([...spelt, 'deny x(amount > 9)']).deny, 'x');
  const tried = (args: Record<string, unknown>): string[] =>
    group === undefined ? [] : [...findNamed(group.byNamed, prepare(args, false), 'guard')].map(({ text }) => text);
  expect(tried({ to: 'Someone-7', amount: 6 })).toEqual(['deny x(to=someone-7, amount > 5)', 'deny x(amount > 9)']);
  expect(tried({ amount: 6 })).toEqual(['deny x(amount > 9)']);
});

it('[RULE4] finds every rule whose conditions are all met', () => {
  const text = fc.constantFrom(
    'a',
    ' A ',
    'b',
    '5',
    '5.0',
    './a',
    'x/a',
    '~/a',
    '/srv/project/a',
    'https://a/',
    'a c',
    '"a"',
    '',
  );
  const value = fc.oneof(
    text,
    fc.constant(5),
    fc.array(text, { maxLength: 2 }),
    fc.dictionary(text, text, { maxKeys: 2 }),
  );
  const quoted = text.map((one) => `'${one}'`);
  const pattern = fc.oneof(quoted, fc.constantFrom('a*', '*', '5', './a', 'a'));
  const condition = fc.oneof(
    fc.tuple(fc.constantFrom('a', 'b', 'a.b'), pattern).map(([name, one]) => `${name}=${one}`),
    fc.constantFrom('a > 4', 'b <= 5'),
  );
  const conditions = fc.tuple(
    fc.array(condition, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(', ', ' '),
    fc.constantFrom('', ', *', ' *'),
  );
  fc.assert(
    fc.property(
      fc.array(conditions, { minLength: 1, maxLength: 8 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), value),
      fc.constantFrom('allow', 'deny'),
      fc.boolean(),
      (all, args, verb, told) => {
        const rules = all.map(([each, separator, end]) => `${verb} x(${each.join(separator)}${end})`);
        const [group] = groupsFor(compileStored(rules)[verb], 'x');
        if (group === undefined) return;
        const call = prepare(args, told);
        const holds = ({ named }: (typeof group.named)[number]): boolean => named.misses(call) === undefined;
        const found = [...findNamed(group.byNamed, call, verb === 'allow' ? 'allow' : 'guard')].filter(holds);
        expect(new Set(found)).toEqual(new Set(group.named.filter(holds)));
      },
    ),
    { numRuns: scaled(1000) },
  );
});
