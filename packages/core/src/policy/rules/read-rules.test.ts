import { describe, expect, it } from 'vitest';
import { readRules } from './read-rules.js';

describe('readRules', () => {
  it('[RULE1] reads one rule per line and skips comments and blank lines', () => {
    const text = '\uFEFF# ours\r\n\r\nallow read_file(./**)\r\n  deny *(~/.ssh/**)  \n\t# not this one\nask mcp__*';
    expect(readRules(text)).toEqual({
      ok: true,
      rules: ['allow read_file(./**)', 'deny *(~/.ssh/**)', 'ask mcp__*'],
    });
    expect(readRules('')).toEqual({ ok: true, rules: [] });
  });

  it('[RULE1] rejects the whole text if one rule is invalid, and gives its position', () => {
    expect(readRules('deny *\n\n  allow x(\n')).toEqual({
      ok: false,
      error: 'the closing parenthesis is missing',
      line: 3,
      column: 11,
    });
    expect(readRules('deny * # no comment here')).toMatchObject({ ok: false, line: 1, column: 8 });
  });
});
