import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { canonical, inputToRun, yesFor } from './hook-answer.js';

describe('the answer of a hook', () => {
  it('is a yes in the format of each agent', () => {
    const input = { command: 'ls' };
    expect(JSON.parse(yesFor('claude', 'PreToolUse', { input, edited: false }))).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
    });
    expect(yesFor('claude', 'PreToolUse', { input, edited: true })).toContain('"updatedInput":{"command":"ls"}');
    expect(yesFor('codex', 'PreToolUse', { input, edited: false })).toBe('');
    expect(yesFor('codex', 'PreToolUse', { input, edited: true })).toContain('"updatedInput"');
    expect(JSON.parse(yesFor('gemini', 'BeforeTool', { input, edited: false }))).toEqual({
      decision: 'allow',
      hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: input },
    });
  });

  it('adds the pass for Gemini CLI, and nothing else to what runs', () => {
    expect(inputToRun('claude', { command: 'ls' }, 'p')).toEqual({ command: 'ls' });
    expect(inputToRun('gemini', { file_path: 'a' }, 'p')).toEqual({ file_path: 'a', countersign: 'p' });
    const command = `printf '%s|' "it's" $HOME 'a b' && echo "$((1+1))" | cat`;
    const { command: wrapped } = inputToRun('gemini', { command }, 'p');
    const run = (text: unknown): string => execFileSync('sh', ['-c', String(text)], { encoding: 'utf8' });
    expect(run(wrapped)).toBe(run(command));
  });

  it('compares inputs by content', () => {
    expect(canonical({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      canonical({ a: true, b: [1, { c: 'x', d: null }] }),
    );
    expect(canonical({ a: '1' })).not.toBe(canonical({ a: 1 }));
  });
});
