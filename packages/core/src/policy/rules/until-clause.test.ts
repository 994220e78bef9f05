import { describe, expect, it } from 'vitest';
import { compilePolicy, compileStored, NO_RULES, policyAt } from '../compile-policy.js';
import { judge } from '../judge.js';
import { parseRule } from './parse-rule.js';

const END = Date.parse('2027-01-31T00:00Z');

describe('when a rule ends', () => {
  it.each([
    ['allow x until 2027-01-31', { verb: 'allow', tool: 'x', ends: END }],
    ['allow x(a b)until 2027-01-31T18:30Z  ', { tool: 'x', ends: END + 18.5 * 3_600_000 }],
    ['allow x(a) writing dist/** removing nothing until 2027-01-31', { ends: END, effect: { removing: [] } }],
  ])('[RULE11.1] reads %s', (text, rule) => {
    expect(parseRule(text)).toMatchObject({ ok: true, rule });
  });

  it.each([
    ['deny x until 2027-01-31', 7, 'only an allow rule can end'],
    ['ask x(a) until 2027-01-31', 9, 'only an allow rule can end'],
    ['ask x until 2027-01-31 by @ada', 6, 'only an allow rule can end'],
    ['allow x until', 13, 'expected a date'],
    ['allow x until tomorrow', 14, 'expected a date'],
    ['allow x until 2027-02-30', 14, 'expected a date'],
    ['allow x until 31.1.2027', 14, 'expected a date'],
    ['allow x until 2027-01-31 until 2027-01-31', 25, 'expected the end'],
    ['allow x until 2027-01-31 writing a', 25, 'expected the end'],
    ['allow x until 2027-01-31 # why', 25, 'line of its own'],
    ['allow x until 2027-01-31 by @ada', 25, 'expected the end'],
    ['allow x for 1h', 8, 'expected "until"'],
    ['allow x today', 8, 'expected "until"'],
    ['allow x UNTIL 2027-01-31', 8, 'expected "until"'],
    ['allow x writing until 2027-01-31', 16, 'expected a path'],
    ['allow sandbox_network(a.org) until 2027-01-31', 29, "can't end"],
    ['allow sandbox_folder(~/lib) until 2027-01-31', 28, "can't end"],
  ])('[RULE11.1] rejects %j with its position', (text, position, words) => {
    const parsed = parseRule(text);
    expect(parsed).toMatchObject({ ok: false, position, head: { verb: expect.any(String) as string } });
    expect(!parsed.ok && parsed.error).toContain(words);
    // Stored by another version, it allows nothing.
    expect(compileStored([text]).allow.byTool.size).toBe(0);
  });

  it('[RULE11] allows nothing from its last moment on, and other rules stay', () => {
    const compiled = compilePolicy(['# mine', 'allow x(a) until 2027-01-31', 'deny x(b)', 'allow x(c)']);
    if (!compiled.ok) throw new Error(compiled.error);
    const outcome = (word: string, now: number): string => {
      const subjects = [{ kind: 'words' as const, words: [word] }];
      const call = { tool: 'x', subjects, place: { workingDirectory: '/w', home: '/h' } };
      return judge({ world: policyAt(compiled.policy, now), agent: NO_RULES }, call).outcome;
    };
    expect(['a', 'b', 'c'].map((word) => outcome(word, END - 1))).toEqual(['allow', 'deny', 'allow']);
    expect(['a', 'b', 'c'].map((word) => outcome(word, END))).toEqual(['none', 'deny', 'allow']);
    expect(policyAt(compiled.policy, END).ended).toEqual(['allow x(a) until 2027-01-31']);
    expect(policyAt(compiled.policy, END - 1)).toBe(compiled.policy);
  });

  it('[RULE11] gives a deny rule of the world back what an administrator’s rule allowed for a while', () => {
    const admin = compileStored(['allow x until 2027-01-31']);
    const world = compileStored(['deny x']);
    const call = { tool: 'x', subjects: [], place: { workingDirectory: '/w', home: '/h' } };
    const outcome = (now: number): string =>
      judge({ admin: policyAt(admin, now), world, agent: NO_RULES }, call).outcome;
    expect([outcome(END - 1), outcome(END)]).toEqual(['allow', 'deny']);
  });
});
