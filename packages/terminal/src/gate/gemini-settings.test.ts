import { describe, expect, it } from 'vitest';
import { addToGemini, gapInGemini, geminiPolicy, problemInGemini, removeFromGemini } from './gemini-settings.js';

const command = "'/usr/bin/node' '/opt/countersign' gate hook --agent gemini";
const file = 'settings.json';
const policy = '/home/ada/.gemini/policies/countersign.toml';
const add = (text: string | undefined): string => addToGemini(text, { command, waitSeconds: 600, file, policy });
const gap = (text: string): string | undefined => gapInGemini(text, { command, file, policy });

describe('the settings of Gemini CLI', () => {
  it('adds the hook, and removes it again', () => {
    const before = '{\n  "ui": {\n    "theme": "ANSI"\n  }\n}\n';
    const after = add(before);
    expect(Object.keys((JSON.parse(after) as { hooks: object }).hooks)).toEqual([
      'BeforeTool',
      'AfterTool',
      'BeforeAgent',
      'AfterAgent',
      'SessionEnd',
    ]);
    expect(gap(after)).toBeUndefined();
    expect(gap(before)).toContain("doesn't run the hook");
    expect(removeFromGemini(after, undefined, { file, policy })).toBe(before);
  });

  it('[GATE4.1] names the policy as one of an administrator, which only the settings of the user may', () => {
    const after = add('{}');
    expect(JSON.parse(after)).toMatchObject({ adminPolicyPaths: [policy] });
    expect(add(after)).toBe(after);
    expect(gap(after.replace('adminPolicyPaths', 'other'))).toContain('"adminPolicyPaths"');
    expect(gap(after.replace(policy, '/mine'))).toContain('"adminPolicyPaths"');
    expect(problemInGemini(after, file, policy)).toBeUndefined();
    expect(problemInGemini(after, file)).toContain('"adminPolicyPaths"');
  });

  it.each([
    ['{"hooksConfig":{"enabled":false}}', '"hooksConfig.enabled"'],
    ['{"hooksConfig":{"disabled":["countersign"]}}', '"hooksConfig.disabled"'],
    ['{"policyPaths":["/mine"]}', '"policyPaths"'],
    ['{"adminPolicyPaths":["/mine"]}', '"adminPolicyPaths"'],
    ['{} // mine', 'contains comments'],
  ])('refuses %s', (text, part) => {
    expect(() => add(text)).toThrow(part);
  });

  it('[GATE4] allows only calls with the pass, and of commands only gate exec', () => {
    const written = geminiPolicy('secret', `'/bin/node' '/o'\\''brien/countersign' 'gate' 'exec'`);
    expect(new Set(written.match(/^priority.*/gm))).toEqual(new Set(['priority = 999']));
    const rules = [...written.matchAll(/argsPattern = (.*)\ndecision = "(.*)"/g)].map(([, source = '', decision]) => ({
      pattern: new RegExp(JSON.parse(source) as string),
      decision,
    }));
    /** As Gemini CLI writes arguments: sorted, with NUL around those at the top. */
    const decide = (input: Record<string, unknown>): string | undefined => {
      const pairs = Object.keys(input)
        .sort()
        .map((key) => `\0${JSON.stringify(key)}:${JSON.stringify(input[key])}\0`);
      return rules.find(({ pattern }) => pattern.test(`{${pairs.join(',')}}`))?.decision;
    };
    const exec = `'/bin/node' '/o'\\''brien/countersign' 'gate' 'exec' 'call-1'`;
    const countersign = 'secret';
    expect(decide({ command: exec, countersign, dir_path: 'a' })).toBe('allow');
    expect(decide({ file_path: 'a', countersign })).toBe('allow');
    for (const command of ['ls', `${exec}; ls`, `ls ${exec}`, exec.replace('/o', '/p'), `${exec}\nls`])
      expect(decide({ command, countersign })).toBe('deny');
    expect(decide({ command: exec })).toBe('deny');
    expect(decide({ command: '"countersign":"secret"' })).toBe('deny');
    expect(decide({ other: { countersign } })).toBe('deny');
    expect(decide({})).toBe('deny');
  });
});
