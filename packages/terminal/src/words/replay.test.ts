import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { suggestWords } from './replay.js';

it('[RULE13] the command that adds a suggested rule is one word for a shell, whatever an agent wrote', () => {
  const rule = `allow put(path="docs/a';echo ran;'$(echo ran)\`echo ran\`.md")`;
  const command = suggestWords.add(rule, 'harbour').replace(/.*countersign/, 'printf "%s\\n"');
  expect(execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\n')).toEqual([
    'policy',
    'add',
    rule,
    '-w',
    'harbour',
    '',
  ]);
});
