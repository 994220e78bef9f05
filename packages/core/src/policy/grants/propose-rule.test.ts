import type { Subject } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../../tests/support/any-character.js';
import { scaled } from '../../../../../tests/support/scaled.js';
import { patternCovers as preparedCovers, rulesCover } from './covers-call.js';
import { defaultSubjects } from '../default-subjects.js';
import { toMatchable } from '../matchable-call.js';
import { proposeRule } from './propose-rule.js';
import type { PolicyCall } from '../types.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };
const coversCall = (rule: string, call: PolicyCall): boolean => rulesCover([rule], [], call);
const patternCovers = (pattern: string, call: PolicyCall): boolean => preparedCovers(pattern, toMatchable(call));
const command = (...words: string[]): Subject => ({ kind: 'words', words });

describe('proposeRule', () => {
  it.each<[string, Subject[], string | undefined]>([
    ['a command', [command('git', 'commit', '-m', 'a b')], "allow x(git commit -m 'a b')"],
    ['a literal star', [command('ls', '*')], "allow x(ls '*')"],
    ['no arguments', [command()], 'allow x()'],
    ['a path in the working folder', [{ kind: 'path', path: '/srv/project/a b' }], "allow x('./a b')"],
    ['the working folder', [{ kind: 'path', path: '/srv/project' }], 'allow x(.)'],
    ['a path at home', [{ kind: 'path', path: '/home/ann/n' }], 'allow x(~/n)'],
    ['another path', [{ kind: 'path', path: '/srv/project2/a' }], 'allow x(/srv/project2/a)'],
    ['a host', [{ kind: 'host', host: 'Example.com' }], 'allow x(example.com)'],
    ['the same command twice', [command('ls'), command('ls')], 'allow x(ls)'],
    ['two commands, a line each', [command('ls'), command('cat')], 'allow x(ls)\nallow x(cat)'],
    ['a command inside another one', [command('ls'), { ...command('cat'), inner: true } as Subject], 'allow x(ls)'],
    ['too many commands', Array.from({ length: 6 }, (_, at) => command(`a${at}`)), undefined],
    ['a dynamic command', [{ kind: 'dynamic', why: '$x' }], undefined],
    ['a static and a dynamic command', [command('ls'), { kind: 'dynamic', why: '$x' }], undefined],
    ['no subject', [], undefined],
    ['a path that is not normalized', [{ kind: 'path', path: '/srv/project/../a' }], undefined],
    ['a call too long for a rule', [command('y'.repeat(2000))], undefined],
  ])('[RULE1] proposes the narrowest rule for %s', (_name, subjects, expected) => {
    expect(proposeRule({ tool: 'x', subjects, place })).toBe(expected);
  });

  it('[RULE1] proposes nothing for a tool name that parses as a glob or not at all', () => {
    for (const tool of ['*', 'a*', 'a b', 'a(', '\u0430', ''])
      expect(proposeRule({ tool, subjects: [command('a')], place })).toBeUndefined();
  });

  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom('*', '(', ')', "'", '"', '\\', ' ', '-', '\n', '\u202e', '/', '.', '~'),
      maxLength: 6,
    }),
  );

  it('[RULE1.8] always covers its call, and no call with one word changed, added or left out', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), fc.nat(4), text, (words, at, other) => {
        const rule = proposeRule({ tool: 'x', subjects: [command(...words)], place }) ?? 'none';
        const covers = (...changed: string[]): boolean =>
          coversCall(rule, { tool: 'x', subjects: [command(...changed)], place });
        const index = at % words.length;
        expect(covers(...words)).toBe(true);
        expect(covers(...words.with(index, other))).toBe(words[index] === other);
        expect(covers(...words, other)).toBe(false);
        expect(covers(...words.slice(1))).toBe(false);
      }),
      { numRuns: scaled(1000) },
    );
  });

  it('[RULE1] covers exactly the arguments of a tool that reports no subjects', () => {
    fc.assert(
      fc.property(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })), text, (args, extra) => {
        const rule = proposeRule({ tool: 'x', subjects: defaultSubjects(args), place });
        fc.pre(rule !== undefined);
        expect(coversCall(rule, { tool: 'x', subjects: defaultSubjects(args), place })).toBe(true);
        const more = defaultSubjects({ ...args, [`${extra}!`]: 1 });
        expect(coversCall(rule, { tool: 'x', subjects: more, place })).toBe(
          Object.hasOwn(args, `${extra}!`) && args[`${extra}!`] === 1,
        );
      }),
    );
  });

  it('[RULE1] covers the path it was proposed for, with any characters in it', () => {
    const segment = text
      .map((name) => name.replaceAll(/[/\0]/g, '_'))
      .filter((name) => name !== '' && name !== '.' && name !== '..');
    const folder = fc.constantFrom('', '/srv/project', '/home/ann');
    fc.assert(
      fc.property(folder, fc.array(segment, { minLength: 1, maxLength: 4 }), segment, (base, segments, other) => {
        const rule =
          proposeRule({ tool: 'x', subjects: [{ kind: 'path', path: `${base}/${segments.join('/')}` }], place }) ??
          'none';
        const covers = (path: string): boolean =>
          coversCall(rule, { tool: 'x', subjects: [{ kind: 'path', path }], place });
        expect(covers(`${base}/${segments.join('/')}`)).toBe(true);
        expect(covers(`${base}/${[...segments.slice(0, -1), other].join('/')}`)).toBe(segments.at(-1) === other);
        expect(covers(`${base}/${segments.join('/')}/${other}`)).toBe(false);
      }),
    );
  });
});

describe('coversCall', () => {
  const call = { tool: 'x', subjects: [command('git', 'status')], place };

  it.each([
    ['allow x', true],
    ['allow *(git *)', true],
    ['allow y', false],
    ['allow x(git)', false],
    ['deny x', false],
    ['ask x', false],
    ['allow x(git status', false],
    ['', false],
  ])('[CALL5.3] %j as the rule of an "always": %s', (rule, expected) => {
    expect(coversCall(rule, call)).toBe(expected);
  });

  it('[CALL5.3] a pattern must cover every subject by itself', () => {
    expect(coversCall('allow x(git *)', { ...call, subjects: [command('git'), command('rm')] })).toBe(false);
  });
});

describe('patternCovers', () => {
  const call = { tool: 'x', subjects: [command('git', 'status')], place };

  it.each([
    ['git *', true],
    ['*', true],
    ['git status', true],
    ['git', false],
    ['', false],
    ['  ', false],
    ['git)', false],
    ['git\nstatus', false],
  ])('[CALL5.2] %j as the pattern of a grant: %s', (pattern, expected) => {
    expect(patternCovers(pattern, call)).toBe(expected);
  });

  it('[RULE1] never covers dynamic subjects, and covers a call without subjects only if it is a single star', () => {
    expect(patternCovers('*', { ...call, subjects: [{ kind: 'dynamic', why: '' }] })).toBe(false);
    expect(patternCovers('*', { ...call, subjects: [] })).toBe(true);
    expect(patternCovers('git *', { ...call, subjects: [] })).toBe(false);
    expect(patternCovers('', { ...call, subjects: [command()] })).toBe(true);
  });

  it('[RULE1] [RULE3] covers its call even if the check is skipped because the words are plain', () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,7}$/);
    const value = fc.oneof(name, fc.constantFrom('true', 'null', 'localhost', 'etc', 'Infinity'), fc.nat());
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 4 }), (args) => {
        const subjects = defaultSubjects(args);
        const call = {
          tool: 'x',
          subjects,
          place,
          arguments: { ok: true, value: args },
          subjectsFrom: 'arguments',
        } as const;
        expect(rulesCover([proposeRule(call) ?? 'none'], [], call)).toBe(true);
      }),
      { numRuns: scaled(2000) },
    );
  });
});
