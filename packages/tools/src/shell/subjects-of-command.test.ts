import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSandbox } from '../sandbox/find-sandbox.js';
import { shellCmd } from './shell-cmd.js';
import { subjectsOfCommand } from './subjects-of-command.js';

describe('subjectsOfCommand', () => {
  it.each([
    ['git status', ['git', 'status']],
    ['  npm   run\ttest ', ['npm', 'run', 'test']],
    ['ls -la ./src/a.ts', ['ls', '-la', './src/a.ts']],
    ['make CC=gcc a@b %x +y 1,2:3', ['make', 'CC=gcc', 'a@b', '%x', '+y', '1,2:3']],
  ])('[A1] %j is one plain command', (command, words) => {
    expect(subjectsOfCommand(command)).toEqual([{ kind: 'words', words }]);
  });

  it('[A1] parameters are words, whatever is in them', () => {
    expect(subjectsOfCommand('git commit -m', ['it works; rm -rf $HOME'])).toEqual([
      { kind: 'words', words: ['git', 'commit', '-m', 'it works; rm -rf $HOME'] },
    ]);
  });

  it.each([
    'ls; rm x',
    'ls\nrm x',
    'ls && rm x',
    'ls | sh',
    'ls &',
    'cat $HOME',
    'cat ~/x',
    'ls *',
    'ls ?',
    'ls [a]',
    'ls {a,b}',
    'echo "x"',
    "echo 'x'",
    'echo `x`',
    'echo > x',
    'echo < x',
    'ls # x',
    'ls \\x',
    '!ls',
    'A=1 ls',
    'A=1',
    './run',
    '/bin/ls',
    '../x',
    'eval rm x',
    'command rm x',
    'env rm x',
    'bash x',
    'time rm x',
    'if x',
    '. x',
    'sudo rm x',
    'find . -delete',
    'lé',
    'ls\u00a0x',
    'ls\rx',
    '   ',
  ])('[A1] %j is dynamic: no rule allows it unasked', (command) => {
    expect(subjectsOfCommand(command)).toEqual([{ kind: 'dynamic', why: expect.any(String) as string }]);
  });

  it('[A15] the reason holds nothing of the command, which may hold a secret', () => {
    const reasons = ['curl -H "x: hunter2secret"', 'TOKEN=hunter2secret ls', './hunter2secret'].flatMap((command) =>
      subjectsOfCommand(command),
    );
    expect(JSON.stringify(reasons)).not.toContain('hunter2secret');
  });

  it('[A1] no character that means something to bash is ever part of a plain command', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        const [subject] = subjectsOfCommand(`git ${text}`);
        const special = /[^A-Za-z0-9\-_./:=@%+, \t]/.test(text);
        expect(subject?.kind).toBe(special ? 'dynamic' : 'words');
      }),
    );
  });
});

describe('shell_cmd as a definition', async () => {
  const tool = shellCmd({ sandbox: await findSandbox() });

  it('asks, and is neither read-only nor idempotent', () => {
    expect(tool.definition).toMatchObject({ name: 'shell_cmd', approval: { required: true } });
    expect([tool.definition.readOnly, tool.definition.idempotent]).toEqual([undefined, undefined]);
  });

  it('[A1] tells its subjects', () => {
    expect(tool.subjects?.({ command: 'git log', parameters: ['-1'] }, { workingDirectory: '/' })).toEqual([
      { kind: 'words', words: ['git', 'log', '-1'] },
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
  ])('[T11] %j fails before anybody is asked', (args, words) => {
    const checked = tool.validate(args);
    expect(checked).toMatchObject({ ok: false, error: expect.stringContaining(words) as string });
  });
});
