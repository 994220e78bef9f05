import { describe, expect, it } from 'vitest';
import { parseHookInput } from './hook-input.js';

const sent = {
  session_id: 's1',
  cwd: '/work',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
  tool_use_id: 'toolu_1',
};
const parse = (change: object, agent: 'claude' | 'codex' | 'gemini' = 'claude') =>
  parseHookInput(agent, JSON.stringify({ ...sent, ...change }));

describe('the input of a hook', () => {
  it('reads the events of each agent', () => {
    const common = { session: 's1', cwd: '/work', tool: 'Bash', input: { command: 'ls' } };
    expect(parse({})).toEqual({ ...common, event: 'PreToolUse', kind: 'propose', key: 'toolu_1', hints: {} });
    const told = { transcript_path: '/home/ada/.claude/projects/s1.jsonl', agent_id: 'a1', agent_type: 'Explore' };
    expect(parse(told)).toMatchObject({ hints: { transcript: told.transcript_path, subagent: 'Explore' } });
    expect(parse({ transcript_path: 7, agent_id: {}, agent_type: 'main' })).toMatchObject({ hints: {} });
    expect(parse({ hook_event_name: 'PermissionRequest' })).toMatchObject({ ...common, kind: 'confirm' });
    expect(parse({ hook_event_name: 'BeforeTool', tool_use_id: undefined }, 'gemini')).toEqual({
      ...common,
      event: 'BeforeTool',
      kind: 'propose',
      hints: {},
    });
    expect(parse({ hook_event_name: 'PostToolUse', tool_response: { stdout: 'a' } })).toMatchObject({
      kind: 'report',
      result: { content: '{"stdout":"a"}' },
    });
    expect(parse({ hook_event_name: 'PostToolUseFailure', error: 'no such file' })).toMatchObject({
      kind: 'report',
      result: { error: 'no such file' },
    });
    expect(parse({ hook_event_name: 'SessionEnd' })).toEqual({
      session: 's1',
      cwd: '/work',
      event: 'SessionEnd',
      kind: 'end',
    });
  });

  it.each([
    ['', 'Unexpected end'],
    ['null', 'not a JSON object'],
    ['{}', 'hook_event_name is missing'],
    [JSON.stringify({ ...sent, session_id: 7 }), 'session_id is missing'],
    [JSON.stringify({ ...sent, hook_event_name: 'PreCompact' }), 'unknown event PreCompact'],
    [JSON.stringify({ ...sent, tool_input: 'ls' }), 'tool_input is not an object'],
  ])('refuses %s', (text, reason) => {
    expect(() => parseHookInput('claude', text)).toThrow(reason);
  });

  it('never confirms what Codex asks a person for', () => {
    expect(() => parse({ hook_event_name: 'PermissionRequest' }, 'codex')).toThrow('unknown event');
  });
});
