import { describe, expect, it } from 'vitest';
import { wantsTo } from './card-text.js';
import { callLine, describeCall, namedCallLine } from './describe-call.js';

describe('how a call is shown', () => {
  it('shows a command with its parameters quoted', () => {
    const args = { command: 'ls -l', parameters: ['my file'] };
    expect(describeCall('shell_cmd', args)).toEqual({
      kind: 'shell',
      command: 'ls -l',
      parameters: ['my file'],
      others: [],
    });
    expect(callLine('shell_cmd', args)).toBe('ls -l "my file"');
    expect(namedCallLine('shell_cmd', args)).toBe('ls -l "my file"');
    expect(namedCallLine('mcp__ledger__pay', { amount: 70 })).toBe('mcp__ledger__pay amount: 70');
  });

  it('shows unknown fields', () => {
    const shape = describeCall('shell_cmd', { command: 'ls', env: { LD_PRELOAD: 'x' } });
    expect(shape).toMatchObject({ kind: 'fields', fields: [{ name: 'command' }, { name: 'env' }] });
    expect(describeCall('write_file', { path: 'a', content: 'b', mode: 511 }).kind).toBe('fields');
  });

  it('[CHANGE9.8] shows an edit that doesn’t apply by its arguments, and names the tool', () => {
    const args = { file_path: '/a', old_string: 'b', new_string: 'c' };
    for (const reason of ['no-file', 'no-match', 'several-matches', 'does-not-apply'] as const)
      expect(describeCall('claude__Edit', args, { reason }).kind).toBe('fields');
    expect(wantsTo({ toolName: 'claude__Edit', arguments: args, noEffect: { reason: 'no-match' } })).toBe(
      'wants to use claude__Edit',
    );
    expect(describeCall('claude__Edit', args, { reason: 'other-folder' }).kind).toBe('edit');
    expect(describeCall('shell_cmd', { command: 'ls' }, { reason: 'no-match' }).kind).toBe('shell');
  });

  it('[CALL15.1] shows a command, a new file or an edit of another program like ours, with all other arguments', () => {
    expect(describeCall('claude__Bash', { command: 'git push', timeout: 5 })).toEqual({
      kind: 'shell',
      command: 'git push',
      parameters: [],
      others: [{ name: 'timeout', text: '5' }],
    });
    expect(describeCall('claude__Write', { file_path: '/a', content: 'b' })).toEqual({
      kind: 'write',
      path: '/a',
      content: 'b',
      others: [],
    });
    expect(
      describeCall('gemini__replace', { file_path: '/a', old_string: 'b', new_string: 'c', instruction: 'why' }),
    ).toEqual({ kind: 'edit', path: '/a', before: 'b', after: 'c', others: [{ name: 'instruction', text: 'why' }] });
    expect(namedCallLine('claude__Bash', { command: 'git push', timeout: 5 })).toBe('git push');
  });

  it.each([
    ['claude__Bash', { command: 'ls', cmd: 'rm' }],
    ['codex__shell', { command: ['ls'] }],
    ['claude__Write', { file_path: '/a', path: '/b', content: 'c' }],
    ['claude__Edit', { file_path: '/a', old_string: 'b' }],
    ['claude__Write', { file_path: '/a', content: 'b', only_a_title: 'Write /c' }],
    ['mcp__Bash', { command: 'ls' }],
    ['mcp__files__write', { path: '/a', content: 'b' }],
    ['app__editor__Bash', { command: 'ls' }],
  ])('shows all arguments of %s if it can’t be told which ones count: %j', (tool, args) => {
    const shape = describeCall(tool, args);
    expect(shape).toMatchObject({ kind: 'fields', fields: Object.keys(args).map((name) => ({ name })) });
    expect(wantsTo({ toolName: tool, arguments: args })).toBe(`wants to use ${tool}`);
  });

  it('shows truncated arguments as text', () => {
    expect(describeCall('shell_cmd', '{"command": "rm')).toEqual({ kind: 'text', text: '{"command": "rm' });
    expect(describeCall('x', null)).toEqual({ kind: 'text', text: 'null' });
  });

  it('indicates further lines', () => {
    expect(callLine('shell_cmd', { command: 'echo a\nrm -rf b' })).toBe('echo a …');
    expect(callLine('x', 'y'.repeat(10_000_000)).length).toBeLessThan(300);
  });
});

it('[RUN22] shows the program of a run as a command line, and its title says what an approval does', () => {
  const args = { run: 'run_1', program: ['npm', 'test', 'a b\u202E'] };
  expect(describeCall('run', args)).toEqual({
    kind: 'shell',
    command: String.raw`npm test "a b\\u{202e}"`,
    parameters: [],
    others: [{ name: 'run', text: 'run_1' }],
  });
  expect(describeCall('run', { ...args, later: [['npm', 'ci']] })).toMatchObject({
    command: String.raw`npm test "a b\\u{202e}"` + '\nnpm ci',
    others: [{ name: 'run' }],
  });
  expect(describeCall('run', { ...args, later: 'npm ci' })).toMatchObject({
    others: [{ name: 'run' }, { name: 'later' }],
  });
  expect(wantsTo({ toolName: 'run', arguments: args })).toBe('wants to apply what this program changed');
});
