import { readFileSync } from 'node:fs';
import { z } from 'zod';

const file = new URL('../../packages/tools/src/testing/shell-commands/slips.json', import.meta.url);
const { cases } = z
  .object({ cases: z.array(z.object({ rules: z.array(z.string()), command: z.string(), expect: z.string() })) })
  .parse(JSON.parse(readFileSync(file, 'utf8')));

/** Commands that once bypassed realistic rules, and that leave a file if they run. */
export const allSlips = cases.filter(({ expect, command }) => expect === 'not-allow' && command.includes('pwned'));

/** The slips whose rules can be combined with all others. */
const RULES = [
  'ls',
  'printf',
  'file',
  'sed',
  'echo',
  'python3',
  'node',
  'cat',
  'git',
  'npm',
  'tar',
  'openssl',
  'sqlite3',
];
export const slips = allSlips.filter(({ rules }) =>
  rules.every((rule) => RULES.some((program) => rule === `allow shell_cmd(${program} *)`)),
);
