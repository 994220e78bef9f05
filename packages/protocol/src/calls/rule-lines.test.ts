import { describe, expect, it } from 'vitest';
import { isRule, policyLines, ruleLines } from './rule-lines.js';

describe('rules in a text', () => {
  it('[RULE1] are one per line, indented or not; blank lines and lines that start with # are skipped', () => {
    const text = '\uFEFF# ours\r\n\r\nallow read_file\r\n  deny shell_cmd(rm *)  \n\t# not this one\nask mcp__*';
    expect(ruleLines(text)).toEqual([
      { rule: 'allow read_file', line: 3, indent: 0 },
      { rule: 'deny shell_cmd(rm *)', line: 4, indent: 2 },
      { rule: 'ask mcp__*', line: 6, indent: 0 },
    ]);
    expect(ruleLines('')).toEqual([]);
  });

  it('[RULE1] are stored with the comments and blank lines between them', () => {
    const text = '\uFEFF# ours\r\n\r\nallow read_file\r\n  deny shell_cmd(rm *)  \n\t# indented \n\n\n';
    expect(policyLines(text)).toEqual(['# ours', '', 'allow read_file', 'deny shell_cmd(rm *)', '\t# indented']);
    expect(policyLines('')).toEqual([]);
    expect(policyLines(text).filter(isRule)).toEqual(ruleLines(text).map(({ rule }) => rule));
  });
});
