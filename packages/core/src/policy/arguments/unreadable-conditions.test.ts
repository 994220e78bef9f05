import { describe, expect, it } from 'vitest';
import { plain } from '../../testing/policy-calls.js';
import { compileStored, NO_RULES } from '../compile-policy.js';
import { judge } from '../judge.js';
import { parseRule } from '../rules/parse-rule.js';
import { findMisfit } from './find-misfit.js';

describe('invalid conditions', () => {
  it.each([
    ['to=bob,', 7, 'another condition'],
    ['to=bob, ', 8, 'another condition'],
    ['to=bob, amount', 8, 'name=value'],
    ['to=bob, , amount=5', 8, 'name=value'],
    ['to=bob, *, amount=5', 8, 'name=value'],
    ['to=bob,amount > 5', 14, 'space after each comma'],
    ['to, amount=5', 0, 'name=value'],
    ['amount > lots', 9, 'plain number'],
    ['amount>', 7, 'plain number'],
    ['amount > 1,000', 9, 'plain number'],
    ['amount > 100,to=bob', 9, 'plain number'],
    ['to!=bob', 2, 'unknown operator !='],
    ['to==bob', 2, 'unknown operator =='],
    ['amount => 5', 7, 'unknown operator =>'],
    ['amount=<5', 6, 'unknown operator =<'],
    ['amount <> 5', 7, 'unknown operator <>'],
  ])('[RULE5.2] (%s) is rejected for every tool, with its position', (pattern, position, words) => {
    for (const head of ['deny *(', 'ask unknown(', 'allow x(']) {
      const parsed = parseRule(`${head}${pattern})`);
      expect(parsed).toMatchObject({ ok: false, position: head.length + position });
      expect(!parsed.ok && parsed.error).toContain(words);
    }
  });

  it.each(['deny *(to=the casino)', 'deny unknown(to= bob)', 'ask mcp__*(to = the casino)'])(
    '[RULE5] %s is rejected for globs and unknown tools: it would parse as words and match nothing',
    (text) => {
      const parsed = parseRule(text);
      if (!parsed.ok) throw new Error(parsed.error);
      expect(findMisfit(parsed.rule, undefined)).toContain('Quote a value');
    },
  );

  it.each([
    'deny *(./a=b/**)',
    "deny *('to=the' casino)",
    'deny *(env A=b npm *)',
    'deny unknown(to=bob)',
    'allow unknown(to=\\=bob)',
  ])('[RULE5] %s is accepted', (text) => {
    const parsed = parseRule(text);
    if (!parsed.ok) throw new Error(parsed.error);
    expect(findMisfit(parsed.rule, undefined)).toBeUndefined();
  });

  it('[RULE5.3] in a stored rule make it deny or ask about every call of its tool, or allow none', () => {
    const judged = (rule: string, tool: string): string =>
      judge({ world: compileStored([rule, 'allow *']), agent: NO_RULES }, { ...plain({ to: 'ann' }), tool }).outcome;
    expect(judged('deny x(to=bob,)', 'x')).toBe('deny');
    expect(judged('deny x(to=bob,)', 'y')).toBe('allow');
    expect(judged('deny x*(to=bob,amount > 5)', 'xy')).toBe('deny');
    expect(judged('ask x(amount > lots)', 'x')).toBe('ask');
    expect(judged('deny x(', 'x')).toBe('deny');
    expect(judge({ world: compileStored(['allow x(to=ann,)']), agent: NO_RULES }, plain({ to: 'ann,' })).outcome).toBe(
      'none',
    );
  });

  it('[RULE5.3] in a stored rule without a valid tool make every call need approval, and deny and ask rules still apply', () => {
    const world = compileStored(['deny x(to=bob)', 'dney y', 'allow *']);
    const outcomes = [plain({ to: 'bob' }), plain({ to: 'ann' })].map((call) =>
      judge({ world, agent: NO_RULES }, call),
    );
    expect(outcomes.map((one) => one.outcome)).toEqual(['deny', 'ask']);
    expect(world.closed).toContain('line 2');
  });
});
