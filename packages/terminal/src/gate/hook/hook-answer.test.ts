import { describe, expect, it } from 'vitest';
import { canonical, inputToRun, yesFor } from './hook-answer.js';

describe('the answer of a hook', () => {
  it('is a yes in the format of each agent', () => {
    const input = { command: 'ls' };
    expect(JSON.parse(yesFor('claude', 'PreToolUse', { input, tool: 'Bash', edited: false }))).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' },
    });
    expect(yesFor('claude', 'PreToolUse', { input, tool: 'Bash', edited: true })).toContain(
      '"updatedInput":{"command":"ls"}',
    );
    expect(yesFor('codex', 'PreToolUse', { input, tool: 'Bash', edited: false })).toBe('');
    expect(yesFor('codex', 'PreToolUse', { input, tool: 'Bash', edited: true })).toContain('"updatedInput"');
    expect(JSON.parse(yesFor('gemini', 'BeforeTool', { input, tool: 'Bash', edited: false }))).toEqual({
      decision: 'allow',
      hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: input },
    });
  });

  it('[GATE4] adds the pass for Gemini CLI, and replaces a command by the one that fetches it', () => {
    const more = { pass: 'p', exec: "countersign gate exec 'call-1'" };
    expect(inputToRun('claude', { command: 'ls' }, more)).toEqual({ command: 'ls' });
    expect(inputToRun('gemini', { file_path: 'a' }, more)).toEqual({ file_path: 'a', countersign: 'p' });
    expect(inputToRun('gemini', { command: 'ls', dir_path: 'a' }, more)).toEqual({
      command: more.exec,
      dir_path: 'a',
      countersign: 'p',
    });
  });

  it('compares inputs by content', () => {
    expect(canonical({ b: [1, { d: null, c: 'x' }], a: true })).toBe(
      canonical({ a: true, b: [1, { c: 'x', d: null }] }),
    );
    expect(canonical({ a: '1' })).not.toBe(canonical({ a: 1 }));
  });
});
