import { describe, expect, it } from 'vitest';
import type { EffectPaths } from '../../ports/tools/tool.js';
import { proposeRule } from '../grants/propose-rule.js';
import type { PolicyCall } from '../types.js';

const NOTHING: EffectPaths = { added: [], changed: [], removed: [], outward: [], leftOut: [] };

function proposed(effect: Partial<EffectPaths> | undefined, ...commands: string[][]): string | undefined {
  const call: PolicyCall = {
    tool: 'shell_cmd',
    subjects: (commands.length === 0 ? [['make']] : commands).map((words) => ({ kind: 'words', words })),
    place: { workingDirectory: '/w', home: '/h' },
    arguments: { ok: true, value: {} },
    ...(effect === undefined ? {} : { effect: { ...NOTHING, ...effect } }),
  };
  return proposeRule(call);
}

const PLAIN = 'allow shell_cmd(make)';

describe('[RULE10.8] a proposed rule', () => {
  it.each<[string, Partial<EffectPaths> | undefined, string]>([
    ['one folder', { added: ['dist', 'dist/a', 'dist/b/c'] }, `${PLAIN} writing dist/** removing nothing`],
    ['the narrowest folder', { added: ['a/b/c'], changed: ['a/b/d/e'] }, `${PLAIN} writing a/b/** removing nothing`],
    ['two folders', { added: ['a/x'], changed: ['b/c/y'] }, `${PLAIN} writing a/** b/c/** removing nothing`],
    ['removed files', { removed: ['tmp', 'tmp/a'] }, `${PLAIN} writing nothing removing tmp/**`],
    ['a move', { added: ['b/x'], removed: ['a/x'] }, `${PLAIN} writing b/** removing a/**`],
    ['odd names', { added: ["a b/it's/*", "a b/it's/x"] }, `${PLAIN} writing a\\ b/it\\'s/** removing nothing`],
    ['a name like a word of a rule', { added: ['by/x'] }, `${PLAIN} writing by/** removing nothing`],
    ['no effect', undefined, PLAIN],
    ['no changes', {}, PLAIN],
    ['a file at the top', { added: ['dist/a', 'x'] }, PLAIN],
    ['three folders', { added: ['a/x', 'b/x', 'c/x'] }, PLAIN],
    ['something left out', { added: ['a/x'], leftOut: ['.git/hooks/x'] }, PLAIN],
    ['a link that leads out', { added: ['a/x'], outward: ['a/x'] }, PLAIN],
    ['a folder that looks like the home', { added: ['~/x'] }, PLAIN],
    ['a folder that looks like a comment', { added: ['#/x'] }, PLAIN],
    ['the working folder itself', { changed: ['.'] }, PLAIN],
  ])('names the folders that the call wrote: %s', (_, effect, rule) => {
    expect(proposed(effect)).toBe(rule);
  });

  it('has one line for each command, all about the whole effect', () => {
    expect(proposed({ added: ['a/x'] }, ['make'], ['cp', 'a', 'b'])).toBe(
      'allow shell_cmd(make) writing a/** removing nothing\nallow shell_cmd(cp a b) writing a/** removing nothing',
    );
  });
});
