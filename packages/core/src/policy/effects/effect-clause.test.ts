import { describe, expect, it } from 'vitest';
import { compileStored } from '../compile-policy.js';
import { parseRule } from '../rules/parse-rule.js';

const path = (text: string) => [{ text }];
const below = (text: string) => [{ text: `${text}/` }, { stars: 2 }];

describe('rules about effects', () => {
  it.each([
    ['allow shell_cmd writing src/** removing nothing', { writing: [below('src')], changing: [], removing: [] }],
    ['allow shell_cmd(npm run build) writing dist/**', { writing: [below('dist')], changing: [], removing: [] }],
    ['allow shell_cmd(ls *)writing nothing', { writing: [], changing: [], removing: [] }],
    ['ask shell_cmd removing *', { writing: [], changing: [], removing: [[{ stars: 1 }]] }],
    ['deny shell_cmd changing .github/**', { writing: [], changing: [below('.github')], removing: [] }],
    [
      "allow shell_cmd removing ./by 'a b'  writing\ta b.txt  changing \\(c",
      { writing: [path('a'), path('b.txt')], changing: [path('(c')], removing: [path('./by'), path('a b')] },
    ],
    ["deny shell_cmd writing 'by' ./writing", { writing: [path('by'), path('./writing')], changing: [], removing: [] }],
  ])('[RULE10] reads %s', (text, effect) => {
    expect(parseRule(text)).toMatchObject({ ok: true, rule: { tool: 'shell_cmd', effect } });
  });

  it('[RUN18.2] reads the refs that a run may move', () => {
    expect(parseRule('allow run writing src/** moving refs/heads/run/*')).toMatchObject({
      ok: true,
      rule: { effect: { writing: [below('src')], moving: [[{ text: 'refs/heads/run/' }, { stars: 1 }]] } },
    });
  });

  it('[RULE10] an ask rule can also say who must sign', () => {
    expect(parseRule('ask shell_cmd(git *) removing * by 2 of @release with passkey')).toMatchObject({
      ok: true,
      rule: { effect: { removing: [[{ stars: 1 }]] }, by: { count: 2, of: 'release', passkey: true } },
    });
  });

  it.each([
    ['allow shell_cmd writing', 23, 'expected a path after "writing"'],
    ['allow shell_cmd writing removing a', 24, 'expected a path after "writing"'],
    ['allow shell_cmd writing a writing b', 26, '"writing" can appear only once'],
    ['allow shell_cmd writing nothing a', 24, '"nothing" must stand alone'],
    ['allow run moving main', 17, 'expected a branch or tag, as in refs/heads/feature/*'],
    ['allow run moving', 16, 'expected a branch or tag after "moving"'],
    ['allow shell_cmd moving refs/heads/main', 16, 'only a rule about runs can name branches and tags'],
    ['deny shell_cmd removing nothing', 24, 'only an allow rule can say "nothing"'],
    ['ask shell_cmd removing nothing', 23, 'only an allow rule can say "nothing"'],
    ['deny * changing .github/**', 7, 'must name one tool'],
    ['deny shell_* changing .github/**', 13, 'must name one tool'],
    ['allow shell_cmd writing a Removing b', 26, 'write "removing", or quote the path'],
    ['allow shell_cmd writing a by @release', 26, 'only an ask rule can say who must sign'],
    ['ask shell_cmd by @release removing a', 26, 'expected the end of the rule'],
    ['allow shell_cmd writing a # comment', 26, 'a comment needs a line of its own'],
    ['allow shell_cmd writing a(b)', 25, 'must be quoted'],
    ["allow shell_cmd writing ''", 24, 'expected a path'],
    ['allow shell_cmd writing **/../x', 24, 'expected a path'],
    ['allow shell_cmd writing src/**.ts', 28, '** must be a whole path segment'],
    ['allow shell_cmd creating a', 16, 'expected the end of the rule'],
    ['allow shell_cmd(ls) creating a', 20, 'nothing may follow'],
  ])('[RULE10] rejects %s', (text, position, error) => {
    const parsed = parseRule(text);
    expect(parsed).toMatchObject({ ok: false, position });
    expect(parsed.ok ? '' : parsed.error).toContain(error);
  });

  it('[RULE1] a stored rule with an effect that cannot be parsed applies to every call, and an allow rule to none', () => {
    const policy = compileStored(['deny shell_cmd writing', 'allow shell_cmd writing a writing b']);
    expect(policy.deny.byTool.get('shell_cmd')?.any).toHaveLength(1);
    expect(policy.allow.byTool.size).toBe(0);
  });
});
