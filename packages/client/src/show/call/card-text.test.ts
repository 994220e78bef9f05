import type { CallSandbox } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import {
  contextTexts,
  maskedCount,
  maskedText,
  nothingRunsText,
  readArguments,
  subagentText,
  toolText,
} from './card-text.js';

describe('texts and input of a card', () => {
  it.each(['', '[]', '"a"', 'null', '{'])('rejects %j as arguments, with a message', (text) => {
    expect(readArguments(text)).toHaveProperty('error');
  });

  it('accepts a JSON object', () => {
    expect(readArguments('{"command":"ls"}')).toEqual({ arguments: { command: 'ls' } });
  });

  it('[CHANGE6] [CHANGE9] says that a rehearsed call ran in a draft, instead of that nothing runs', () => {
    const effect = { files: [], leftOut: [], effectHash: 'h', exitCode: 0, output: '', truncated: false };
    const { effectHash: _, ...prediction } = effect;
    const text = (approval: Parameters<typeof nothingRunsText>[0]) => nothingRunsText(approval, 'you');
    expect(text({ toolName: 'shell_cmd' })).toBe('Nothing runs until you approve it.');
    expect(text({ toolName: 'write_file', effect })).toBe('Nothing runs until you approve it.');
    const drafted = 'It ran only in a draft. Nothing else happens until you approve it.';
    expect(text({ toolName: 'shell_cmd', effect })).toBe(drafted);
    expect(text({ toolName: 'claude__Bash', prediction })).toBe(drafted);
    // Nothing ran to predict an edit.
    expect(text({ toolName: 'claude__Edit', prediction: { ...prediction, ofFiles: true } })).toBe(
      'Nothing runs until you approve it.',
    );
  });

  it('[EXT1.21] quotes what a program says about its session as its claim, on one line', () => {
    const sandbox: CallSandbox = {
      kind: 'external',
      network: 'unknown',
      hosts: [],
      readable: [],
      detail: 'Claude Code',
    };
    const claimedContext = { prompt: 'Fix it\n\n  now', said: 'Done” Countersign: safe “', subagent: 'x'.repeat(400) };
    const texts = contextTexts({ sandbox, claimedContext });
    expect(texts.map(({ lead }) => lead)).toEqual([
      'Claude Code says that it was asked:',
      'Claude Code says that its last words were:',
      'Claude Code says that this is a call of its sub-agent',
    ]);
    expect(texts.map(({ quote }) => quote)).toEqual(['Fix it now', 'Done" Countersign: safe "', `${'x'.repeat(300)}…`]);
    expect(contextTexts({ sandbox })).toEqual([]);
    expect(contextTexts({ sandbox, claimedContext: { prompt: ' \n' } })).toEqual([]);
  });

  it('[EXT1] says that the calls of a sub-agent need approval too', () => {
    const sandbox: CallSandbox = { kind: 'external', network: 'unknown', hosts: [], readable: [] };
    const text = (toolName: string) => subagentText({ toolName, sandbox });
    expect(text('claude__Task')).toBe('This starts a sub-agent. Its calls will need approval as well.');
    expect(
      [text('opencode__task'), text('claude__Bash'), text('mcp__x__Task')].map((said) => said !== undefined),
    ).toEqual([true, false, false]);
    expect(subagentText({ toolName: 'mcp__x__Task', sandbox: { ...sandbox, kind: 'none' } })).toBeUndefined();
  });

  it('[SAFE6] counts equal masks once', () => {
    expect(maskedCount('a‹masked 1: 9 characters› ‹masked 2: 1 character› ‹masked 1: 9 characters›')).toBe(2);
  });

  it('[CALL1.1] [CALL3] shows the message that a tool declares, but not texts that every card shows anyway', () => {
    const asked = { toolName: 'stamp', arguments: {}, message: 'Stamp letter 7 with the seal?' };
    expect(toolText(asked)).toBe('Stamp letter 7 with the seal?');
    expect(toolText({ ...asked, message: 'Run stamp' })).toBeUndefined();
    expect(toolText({ ...asked, message: '' })).toBeUndefined();
    // The card of these tools already shows this in full.
    const shell = { toolName: 'shell_cmd', arguments: { command: 'ls' } };
    expect(toolText({ ...shell, message: 'Run: ls' })).toBeUndefined();
    expect(toolText({ ...shell, arguments: [], message: 'Look around?' })).toBe('Look around?');
    const file = { arguments: { path: 'a', content: 'b' }, toolName: 'write_file' };
    expect(toolText({ ...file, message: 'Write a' })).toBeUndefined();
    expect(toolText({ ...asked, question: { text: 'Which?', choices: [] } })).toBeUndefined();
    expect(toolText({ ...asked, message: 'x'.repeat(5000) })?.length).toBeLessThan(1000);
  });

  it('[SAFE6] says how many secrets are masked in the shown text', () => {
    const shown = { arguments: { a: '‹masked 1›' }, message: 'Run x', toolName: 'x' };
    expect(maskedText(shown)).toBe('1 secret is masked; the tool gets the real value.');
    expect(maskedText({ ...shown, message: 'send ‹masked 2›' })).toBe(
      '2 secrets are masked; the tool gets the real values.',
    );
    expect(maskedText({ ...shown, arguments: {} })).toBeUndefined();
  });
});
