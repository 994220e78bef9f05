import { expect, it } from 'vitest';
import type { EffectPaths } from '../../ports/tools/tool.js';
import { compilePolicy, NO_RULES } from '../compile-policy.js';
import { judgeWritten } from './judge-written.js';

const CONTRACT: EffectPaths = {
  added: ['notes.txt'],
  changed: ['contracts/a.md'],
  removed: [],
  outward: [],
  leftOut: [],
};

function judge(tool: string, effect: EffectPaths | undefined, ...rules: string[]) {
  const compiled = compilePolicy(rules);
  if (!compiled.ok) throw new Error(compiled.error);
  const place = { workingDirectory: '/w', home: '/h' };
  const call = { tool, place, subjects: [{ kind: 'words' as const, words: ['make'] }] };
  return judgeWritten({ world: compiled.policy, agent: NO_RULES }, call, effect);
}

it.each<[string, ReturnType<typeof judge>]>([
  ['ask write_file(./contracts/**) by 2 of @finance', 'needs-signers'],
  ['ask edit_file(path=./contracts/**) by 2 of @finance', 'needs-signers'],
  ['ask *(./contracts/**) with passkey', 'needs-signers'],
  ['deny *(./contracts/**)', 'denied'],
  ['deny write_file(path=./contracts/**)', 'denied'],
  ['deny shell_cmd(./contracts/**)', 'denied'],
  ['deny shell_cmd changing contracts/**', 'denied'],
  ['deny shell_cmd(make) writing contracts/**', 'denied'],
  ['deny shell_cmd(npm *) writing contracts/**', undefined],
  ['deny shell_cmd removing *', undefined],
  ['deny *(./other/**)', undefined],
  ['ask write_file(./contracts/**)', undefined],
  ['deny shell_cmd', undefined],
  ['deny shell_cmd(make)', undefined],
  ['deny write_file', undefined],
  ['deny read_file(./contracts/**)', undefined],
])('[CHANGE10.7] an undo that writes a contract, under %s: %s', (rule, judged) => {
  expect(judge('shell_cmd', CONTRACT, rule)).toBe(judged);
});

it('[CHANGE10.7] an undo whose paths are unknown is denied while a rule is about paths', () => {
  expect(judge('shell_cmd', undefined, 'deny *(./contracts/**)')).toBe('denied');
  expect(judge('shell_cmd', undefined, 'deny shell_cmd')).toBeUndefined();
  const many = { ...CONTRACT, added: Array.from({ length: 6_000 }, (_, at) => `file${at}`), changed: [] };
  expect(judge('shell_cmd', many, 'ask write_file(./contracts/**) by @ada')).toBe('denied');
});
