import { describe, expect, it } from 'vitest';
import { addToGemini, gapInGemini, geminiPolicy, outranksOurs, removeFromGemini } from './gemini-settings.js';

const command = "'/usr/bin/node' '/opt/countersign' gate hook --agent gemini";
const file = 'settings.json';
const add = (text: string | undefined): string => addToGemini(text, { command, waitSeconds: 600, file });

describe('the settings of Gemini CLI', () => {
  it('adds the hook, and removes it again', () => {
    const before = '{\n  "ui": {\n    "theme": "ANSI"\n  }\n}\n';
    const after = add(before);
    expect(Object.keys((JSON.parse(after) as { hooks: object }).hooks)).toEqual([
      'BeforeTool',
      'AfterTool',
      'SessionEnd',
    ]);
    expect(gapInGemini(after, { command, file })).toBeUndefined();
    expect(gapInGemini(before, { command, file })).toContain("doesn't run the hook");
    expect(removeFromGemini(after, file)).toBe(before);
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

  it('allows only calls with the pass', () => {
    const policy = geminiPolicy('secret');
    const patterns = [...policy.matchAll(/argsPattern = (.*)/g)].map(
      ([, source]) => new RegExp(JSON.parse(source ?? '') as string),
    );
    const [pass, all] = patterns;
    expect(pass?.test('{\0"command":"ls"\0,\0"countersign":"secret"\0}')).toBe(true);
    expect(pass?.test('{\0"command":"\\"countersign\\":\\"secret\\""\0}')).toBe(false);
    expect(pass?.test('{\0"other":{"countersign":"secret"}\0}')).toBe(false);
    expect(all?.test('{}')).toBe(true);
  });

  it('finds rules that could take precedence', () => {
    expect(outranksOurs('[[rule]]\npriority = 999\n')).toBe(true);
    expect(outranksOurs('[[rule]]\npriority=100\n')).toBe(false);
  });
});
