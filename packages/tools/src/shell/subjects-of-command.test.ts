import type { Subject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { sharedSandbox } from '../testing/shared-sandbox.js';
import { shellCmd } from './shell-cmd.js';
import { subjectsOfCommand } from './subjects-of-command.js';

const words = (...all: string[]): Subject => ({ kind: 'words', words: all });
/** Without the positions of words that a rule has to spell out. */
const told = (command: string, parameters: readonly string[] = []): readonly Subject[] =>
  subjectsOfCommand(command, parameters).map((subject) =>
    subject.kind === 'words'
      ? { kind: 'words', words: subject.words, ...(subject.inner === true ? { inner: true } : {}) }
      : subject,
  );
const inner = (...all: string[]): Subject => ({ kind: 'words', words: all, inner: true });
const dynamic = (subjects: readonly Subject[]): Extract<Subject, { kind: 'dynamic' }> | undefined =>
  subjects.find((subject) => subject.kind === 'dynamic');

describe('subjectsOfCommand', () => {
  it.each<[string, Subject[]]>([
    ['git status', [words('git', 'status')]],
    ['  make   all\ttest ', [words('make', 'all', 'test')]],
    ['ls -la ./src/a.ts', [words('ls', '-la', './src/a.ts')]],
    ['gcc a@b %x +y 1,2:3', [words('gcc', 'a@b', '%x', '+y', '1,2:3')]],
    ['ls \'a b\' "c" d\\ e', [words('ls', 'a b', 'c', 'd e')]],
    ['ls; git status && ls | cat', [words('ls'), words('git', 'status'), words('cat')]],
    ['(ls); { cat; }', [words('ls'), words('cat')]],
    ['if ls; then cat; else echo a; fi', [words('ls'), words('cat'), words('echo', 'a')]],
    ['ls 2>&1 > /dev/null # note', [words('ls')]],
  ])('[RULE1] %j consists only of plain commands', (command, subjects) => {
    expect(told(command)).toEqual(subjects);
  });

  it('[RULE1.6] a long text of equal commands is one subject, and a rule about it applies', () => {
    const subjects = subjectsOfCommand('ls;'.repeat(300_000));
    expect(subjects).toEqual([{ kind: 'dynamic', why: { code: 'too-complex' } }, inner('ls')]);
    expect(told(`${'ls;'.repeat(12_000)} r"m" -r\\\nf x`)).toContainEqual(inner('rm', '-rf', 'x'));
  });

  it('[CALL1.3] [TURN15.2] parameters are plain words, whatever they contain', () => {
    expect(told('git commit -m', ['it works; rm -rf $HOME'])).toEqual([
      words('git', 'commit', '-m', 'it works; rm -rf $HOME'),
    ]);
  });

  it.each<[string, readonly string[] | undefined]>([
    ['grep -e x a', ['a']],
    ['jq .a x.json', ['x.json']],
    ['jq -e .a x.json', ['x.json']],
    ['git add a', ['a']],
    ['git -C /other add a', undefined],
    ['git --work-tree=/other add a', undefined],
  ])('[RULE1.7] the files of %j in the working folder', (command, files) => {
    const [found] = subjectsOfCommand(command);
    if (found?.kind !== 'words') throw new Error('no words');
    expect(found.files?.map((at) => found.words[at])).toEqual(files);
  });

  it('[TURN15.2] judges the joined text: after an operator, a parameter is a program', () => {
    expect(told('ls;', ['rm'])).toContainEqual(words('rm'));
    expect(dynamic(subjectsOfCommand('ls >', ['x']))).toBeDefined();
  });

  it('[RULE1] reports which words a rule has to spell out', () => {
    expect(subjectsOfCommand('git -c a=b log')[0]).toMatchObject({ spell: [0, 1, 2] });
    expect(subjectsOfCommand('find . -delete')[0]).toMatchObject({ spell: [0, 2] });
    expect(subjectsOfCommand('sort --outp=a b')[0]).toMatchObject({ spell: [0, 1, 2] });
    expect(subjectsOfCommand('git commit -m a')[0]).toMatchObject({ spell: [0, 1] });
  });

  it.each<[string, string]>([
    ['npm pub', 'npm publish'],
    ['npm i x', 'npm install x'],
    ['npm run test', 'npm run-script test'],
    ['docker container run x', 'docker run x'],
    ['git send-pack x', 'git push x'],
    ['cargo +nightly publish', 'cargo publish'],
    ['rm --recursive --force x', 'rm -r -f x'],
    ['rm -Rf x', 'rm -rf x'],
  ])('[RULE1] reports %s also as %s, for deny rules written that way', (command, other) => {
    expect(subjectsOfCommand(command)).toContainEqual(inner(...other.split(' ')));
  });

  it('[RULE1] reports commands inside another command, and why they need approval', () => {
    const subjects = told('timeout 5 rm x');
    expect(dynamic(subjects)).toMatchObject({ told: true });
    expect(subjects).toContainEqual(words('timeout', '5', 'rm', 'x'));
    expect(subjects).toContainEqual(inner('rm', 'x'));
  });

  it('[RULE1] marks the list as incomplete if it can’t determine what runs', () => {
    for (const command of ['$x', 'ls *', 'A=1 ls', '. x', 'sh x', 'xargs ls', "ls 'a", '[[ a ]]', 'bash -c "$x"']) {
      expect({ command, told: dynamic(subjectsOfCommand(command))?.told ?? false }).toEqual({ command, told: false });
      expect(dynamic(subjectsOfCommand(command))).toBeDefined();
    }
    for (const command of ['ls > x', 'ls &', 'env ls', './ls', 'cd x; ls', 'for i in a; do ls; done', "bash -c 'ls'"]) {
      expect({ command, told: dynamic(subjectsOfCommand(command))?.told ?? false }).toEqual({ command, told: true });
    }
  });

  it('[RULE1] reports the files that output is redirected to', () => {
    expect(subjectsOfCommand('ls > out/a.txt')).toContainEqual({ kind: 'path', path: 'out/a.txt' });
    expect(subjectsOfCommand('cd out && ls > a.txt')).toContainEqual({ kind: 'path', path: 'out' });
  });

  it('[SAFE6] the reason contains no part of the command, which may contain a secret', () => {
    const commands = ['curl -H "x: $hunter2secret"', 'TOKEN=hunter2secret ls', './hunter2secret', 'ls > hunter2secret'];
    const reasons = commands.map((command) => dynamic(subjectsOfCommand(command)));
    expect(reasons.every((reason) => reason !== undefined)).toBe(true);
    expect(JSON.stringify(reasons)).not.toContain('hunter2secret');
  });

  it('[RULE1] takes linear time for any text', () => {
    const hostile = [
      'ls; '.repeat(5_000),
      `env ${'a '.repeat(10_000)}`,
      `sh -c '${'sh -c '.repeat(10_000)}'`,
      '$('.repeat(30_000),
      '('.repeat(50_000),
      `ls ${'"'.repeat(50_001)}`,
      `cd a; ${'b c;'.repeat(4_000)}`,
      `awk '${'"x" '.repeat(20_000)}system'`,
      `sed ${'s/a/b/;'.repeat(10_000)}`,
      `find . ${'-exec a ; '.repeat(10_000)}`,
      `git ${'-c x=y '.repeat(10_000)}`,
      '`'.repeat(50_000),
      `ls ${'{a,'.repeat(20_000)}`,
      `ls <<${'A'.repeat(50_000)}`,
    ];
    // CPU time of this process only, not of others on the machine.
    const slow = hostile.filter((command) => {
      const startUsage = process.cpuUsage();
      subjectsOfCommand(command);
      const { user, system } = process.cpuUsage(startUsage);
      return user + system > 3_000_000;
    });
    expect(slow.map((command) => command.slice(0, 20))).toEqual([]);
  });
});

it('[RULE9] a command with thousands of reasons or folders takes about as long as a plain one of the same length', () => {
  /** The lowest CPU time of three runs, in microseconds. A space makes each text new. */
  const cpuOf = (command: string): number => {
    const runs = [0, 1, 2].map((spaces) => {
      const before = process.cpuUsage();
      subjectsOfCommand(command + ' '.repeat(spaces));
      const { user, system } = process.cpuUsage(before);
      return user + system;
    });
    return Math.min(...runs);
  };
  const plain = cpuOf('ls a.txt\n'.repeat(1_900));
  const hostile = [
    `${'A=1 x\n'.repeat(950)}${'eval $x\n'.repeat(950)}`,
    'cd a\n'.repeat(1_900),
    'eval $x\n'.repeat(1_900),
    `${'A=1 x\n'.repeat(950)}${'a > b\n'.repeat(950)}`,
  ];
  expect(hostile.filter((command) => cpuOf(command) > 15 * plain).map((command) => command.slice(-10))).toEqual([]);
});

describe('definition of shell_cmd', async () => {
  const sandbox = await sharedSandbox();
  const unconfined = sandbox.kind === 'none' ? { exact: true } : {};
  const tool = shellCmd({ sandbox });

  it('needs approval, and is neither read-only nor idempotent', () => {
    expect(tool.definition).toMatchObject({ name: 'shell_cmd', approval: { required: true } });
    expect([tool.definition.readOnly, tool.definition.idempotent]).toEqual([undefined, undefined]);
  });

  it('[CALL1.3] reports its subjects', () => {
    expect(tool.subjects?.({ command: 'git log', parameters: ['-1'] }, { workingDirectory: '/' })).toEqual([
      { kind: 'words', words: ['git', 'log', '-1'], spell: [0], files: [], ...unconfined },
    ]);
  });

  it.each([
    [{ command: '' }, 'empty'],
    [{ command: ' \n' }, 'empty'],
    [{ command: 'a\0b' }, 'NUL'],
    [{ command: 'a', parameters: ['\0'] }, 'NUL'],
    [{ command: `echo '`, parameters: ['x'] }, 'inside a quote'],
    [{ command: 'x'.repeat(130_000) }, 'too long'],
    [{ command: 'ls', cwd: '/' }, 'cwd'],
    [{ command: 'ls', parameters: 'x' }, 'parameters'],
  ])('[TURN11.1] %j fails before anyone is asked', (args, words) => {
    const checked = tool.validate(args);
    expect(checked).toMatchObject({ ok: false, error: expect.stringContaining(words) as string });
  });
});
