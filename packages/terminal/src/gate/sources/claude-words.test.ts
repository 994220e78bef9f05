import { describe, expect, it } from 'vitest';
import { allAfter, claudeWords, gapInWords, isOlder } from './claude-words.js';

const GOOD = { AI_AGENT: 'claude-code_2-1-295_harness' };

describe('the words that Claude Code was started with', () => {
  it('[GATE3.1] are those of the running program', () => {
    expect(claudeWords({ CLAUDE_PID: String(process.pid) }).join(' ')).toContain('node');
    expect(() => claudeWords({})).toThrow('CLAUDE_PID');
  });

  it.each([
    [['--plugin-dir', 'p'], '--plugin-dir'],
    [['--plugin-url', 'u'], '--plugin-url'],
    [['--permission-prompt-tool', 'mcp__lenient__yes'], '--permission-prompt-tool'],
    [['--agents', '{"a":{"hooks":{}}}'], '--agents'],
    [['--agents', 'agents.json'], '--agents'],
    [['--settings', '{"disableAllHooks":true}'], 'disableAllHooks'],
  ])('[GATE3.1] %j changes the gate', (words, named) => {
    expect(gapInWords(['claude', ...words], GOOD)).toContain(named);
  });

  it('[GATE3.1] a host that started it, and added folders, do not', () => {
    const words = ['claude', '--add-dir', 'a', 'b', '--permission-prompt-tool', 'stdio', '-p', 'Hello --plugin-dir'];
    expect(gapInWords(words, GOOD)).toBeUndefined();
    expect(allAfter(words, '--add-dir')).toEqual(['a', 'b']);
  });

  it.each([{}, { AI_AGENT: 'other' }, { AI_AGENT: 'claude-code_2-1-326_agent' }])(
    '[GATE3] an unknown version is refused: %j',
    (env) => expect(gapInWords([], env)).toContain('AI_AGENT'),
  );

  it('[GATE3.1] with a host that answers questions, a hook for PreToolUse changes the gate', () => {
    const settings = '{"hooks":{"PreToolUse":[{"hooks":[{"command":"swap.sh"}]}]}}';
    expect(gapInWords(['claude', '--settings', settings], GOOD)).toBeUndefined();
    const hosted = ['claude', '--permission-prompt-tool', 'stdio', '--settings', settings];
    expect(gapInWords(hosted, GOOD)).toContain('PreToolUse (swap.sh)');
  });

  it('[GATE3] a version that runs calls when the hook fails is refused', () => {
    expect(gapInWords([], { AI_AGENT: 'claude-code_2-1-294_harness' })).toContain('2.1.294');
    expect([isOlder('2.1.294', '2.1.295'), isOlder('2.1.295', '2.1.295'), isOlder('2.2.0', '2.1.295')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([isOlder('1.9.999', '2.1.295'), isOlder('2.1.1000', '2.1.295')]).toEqual([true, false]);
  });
});
