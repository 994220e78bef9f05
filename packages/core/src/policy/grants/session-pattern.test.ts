import type { Subject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { formatPattern } from './format-pattern.js';
import { literal, proposeRule } from './propose-rule.js';
import { patternCovers } from './covers-call.js';
import { toMatchable } from '../matchable-call.js';
import { isNarrow, sessionPattern } from './session-pattern.js';
import type { PolicyCall } from '../types.js';

const place = { workingDirectory: '/srv/docs', home: '/home/ada' };
const call = (...subjects: Subject[]): PolicyCall => ({ tool: 'shell_cmd', subjects, place });
/** A command whose words after the first `fixed` are files. */
const command = (text: string, fixed: number, more: { exact?: true } = {}): Subject => {
  const words = text.split(' ');
  return { kind: 'words', words, spell: [0], files: [...words.keys()].slice(fixed), ...more };
};
/** The CPU time of this process, in microseconds. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
const path = (path: string): Subject => ({ kind: 'path', path });

describe('the default pattern of a session grant', () => {
  it.each<[string, Subject[], string | undefined]>([
    ['the same program and options', [command('ls -a', 2)], 'ls -a ./**'],
    ['files in the folder', [command('cat a.txt /srv/docs/b', 1)], 'cat ./**'],
    ['a file elsewhere stays', [command('cp /etc/hosts copy', 1)], 'cp /etc/hosts ./**'],
    ['a command that nothing is known about', [{ kind: 'words', words: ['make', 'deploy'] }], 'make deploy'],
    ['a command outside the sandbox', [command('ls -a x', 2, { exact: true })], 'ls -a x'],
    ['several commands', [command('ls', 1), { kind: 'words', words: ['npm', 'test'] }], 'ls ./**\nnpm test'],
    ['a path in the folder', [path('/srv/docs/a/b.md')], './**'],
    ['a path elsewhere', [path('/srv/docs-2/a')], '/srv/docs-2/a'],
    ['a host', [{ kind: 'host', host: 'example.com' }], 'example.com'],
    ['a dynamic call', [command('ls', 1), { kind: 'dynamic', why: 'x' }], undefined],
    ['more than a person reads', 'abcdef'.split('').map((name) => command(name, 1)), undefined],
  ])('[CALL5.2] %s', (_, subjects, pattern) => {
    expect(sessionPattern(call(...subjects))).toBe(pattern);
  });

  it('[CALL5.2] all arguments of a tool that reports nothing', () => {
    const subjects: Subject[] = [{ kind: 'words', words: ['amount=5', 'to=bob'] }];
    const args = { ok: true, value: { to: 'bob', amount: 5 } };
    expect(sessionPattern({ tool: 'pay', subjects, place, arguments: args, subjectsFrom: 'arguments' })).toBe(
      'amount=5, to=bob',
    );
  });

  it('[CALL5.2] formats no more lines than people read, and none that is too long to be offered', () => {
    let read = 0;
    const counted = (name: string): Subject => ({
      kind: 'words',
      get words() {
        read += 1;
        return [name];
      },
    });
    const subjects = Array.from({ length: 2_000 }, (_, at) => counted(`ls${at}`));
    expect(sessionPattern(call(...subjects))).toBeUndefined();
    expect(read).toBeLessThan(20);
    const long = { kind: 'words', words: ['echo', '\u202E '.repeat(500_000)] } satisfies Subject;
    const pay = { tool: 'pay', subjects: [long], place, arguments: { ok: true, value: { to: long.words[1] } } };
    const formatting = cpuOf(() => formatPattern(long.words.map(literal)));
    const offering = cpuOf(() => {
      expect(sessionPattern(call(long))).toBeUndefined();
      expect(proposeRule(call(long))).toBeUndefined();
      expect(sessionPattern({ ...pay, subjectsFrom: 'arguments' })).toBeUndefined();
      expect(proposeRule({ ...pay, subjectsFrom: 'arguments' })).toBeUndefined();
    });
    expect(offering).toBeLessThan(formatting / 2);
  });

  it.each<[string, Subject, boolean]>([
    ['other files', command('ls -a src lib/x', 2), true],
    ['an absolute path in the folder', command('ls -a /srv/docs/src', 2), true],
    ['a path above the folder', command('ls -a ..', 2), false],
    ['a path that climbs', command('ls -a src/../../x', 2), false],
    ['a path elsewhere', command('ls -a /etc', 2), false],
    ['a neighbouring folder', command('ls -a /srv/docs2', 2), false],
    ['home', command('ls -a ~/x', 2), false],
    ['another option', command('ls -a -R', 3), false],
    ['fewer options', command('ls', 1), false],
    ['another program', command('rm -a x', 2), false],
    ['operands that may not be files', { kind: 'words', words: ['ls', '-a', 'x'], spell: [0] }, false],
    ['outside the sandbox', command('ls -a src', 2, { exact: true }), false],
  ])('[CALL5.2] `ls -a ./**` and %s', (_, subject, covers) => {
    expect(patternCovers('ls -a ./**', toMatchable(call(subject)))).toBe(covers);
  });

  it('[CALL5.2] several lines cover a call if each of its parts matches one of them', () => {
    const covers = (...subjects: Subject[]): boolean =>
      patternCovers('ls ./**\nnpm test', toMatchable(call(...subjects)));
    const test: Subject = { kind: 'words', words: ['npm', 'test'], spell: [0, 1] };
    expect(covers(test, command('ls a', 1))).toBe(true);
    expect(covers(command('ls', 1))).toBe(true);
    expect(covers(test, { kind: 'words', words: ['npm', 'publish'] })).toBe(false);
    expect(covers(test, { kind: 'dynamic', why: 'x' })).toBe(false);
  });

  it('[CALL5.8] is narrow: no star, except for files in the working folder', () => {
    for (const pattern of ['ls -a', 'ls ./**', './**', 'ls\nnpm test', 'to=bob, amount=5']) {
      expect([pattern, isNarrow(pattern)]).toEqual([pattern, true]);
    }
    for (const pattern of [
      '*',
      'ls *',
      '/**',
      '~/**',
      './docs/**',
      'ls\n*',
      'to=bob, *',
      'to=*',
      'amount > 5',
      '',
      '(',
    ]) {
      expect([pattern, isNarrow(pattern)]).toEqual([pattern, false]);
    }
  });
});
