import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile-policy.js';
import { parseRule } from './parse-rule.js';

describe('parseRule', () => {
  it('[RULE1] reads a verb and a tool', () => {
    expect(parseRule('ask mcp__github__*')).toEqual({ ok: true, rule: { verb: 'ask', tool: 'mcp__github__*' } });
    expect(parseRule('  deny\t shell_cmd ')).toEqual({ ok: true, rule: { verb: 'deny', tool: 'shell_cmd' } });
  });

  it('[RULE1] reads words, stars and quotes', () => {
    expect(parseRule(`allow x(git  'a b*' "c(\\"d" e\\ f* ''\t**/g \\u{1f600}\\n)`)).toEqual({
      ok: true,
      rule: {
        verb: 'allow',
        tool: 'x',
        words: [
          [{ text: 'git' }],
          [{ text: 'a b*' }],
          [{ text: 'c("d' }],
          [{ text: 'e f' }, { stars: 1 }],
          [],
          [{ stars: 2 }, { text: '/g' }],
          [{ text: '\u{1f600}\n' }],
        ],
      },
    });
  });

  it('[RULE1] reads empty parentheses of an allow rule as "no arguments"', () => {
    expect(parseRule('allow clock()')).toEqual({ ok: true, rule: { verb: 'allow', tool: 'clock', words: [] } });
  });

  it.each([
    ['', 0, 'must start with'],
    ['permit x', 0, 'must start with'],
    ['Allow x', 0, 'must start with'],
    ['allow', 5, 'expected a tool name'],
    ['allow (x)', 6, 'expected a tool name'],
    ['deny sh\u0435ll_cmd', 7, 'A-Z'],
    ['allow client.requestApproval', 12, 'A-Z'],
    ['allow x y', 8, 'directly after the tool name'],
    ['allow x (y)', 8, 'directly after the tool name'],
    ['allow x(y', 9, 'closing parenthesis'],
    ['allow x(y) z', 11, 'nothing may follow'],
    ['allow x # why', 8, 'line of its own'],
    ['allow x(y) # why', 11, 'line of its own'],
    ['allow x(y))', 10, 'nothing may follow'],
    ['allow x(f(y))', 9, 'quoted'],
    ["allow x('y)", 8, "closing '"],
    ['allow x("y)', 8, 'closing "'],
    ['allow x(\\d)', 8, 'unknown escape'],
    ['allow x(\\u{110000})', 8, 'invalid code point'],
    ['allow x(y\\', 9, 'followed by'],
    ['allow x(***)', 8, 'two stars'],
    ["allow x(*''*)", 11, 'two stars'],
    ['deny x(./a**)', 10, 'whole path segment'],
    ['deny x(./**.key)', 9, 'whole path segment'],
    ['allow x\nallow y', 7, 'one line'],
    ["allow x('a\nb')", 10, 'one line'],
    ['allow x(a\u202eb)', 9, 'invisible'],
    ['allow x(a\u00a0b)', 9, 'invisible'],
    ['allow x(a\u200bb)', 9, 'invisible'],
    ['allow x(a\ud800)', 9, 'invisible'],
    ['allow x(a\0)', 9, 'invisible'],
    ['deny x()', 6, 'no arguments'],
    ['ask x( )', 5, 'no arguments'],
    [`allow x(${'y'.repeat(2000)})`, 2000, 'at most'],
  ])('[RULE1] rejects %j with its position', (text, position, words) => {
    const parsed = parseRule(text);
    expect(parsed).toMatchObject({ ok: false, position });
    expect(!parsed.ok && parsed.error).toContain(words);
  });
});

describe('compilePolicy', () => {
  it('[RULE1] rejects the whole policy if one rule is invalid, and names the rule', () => {
    expect(compilePolicy(['allow x', 'deny y(', 'deny z'])).toMatchObject({ ok: false, index: 1, position: 7 });
  });
});
