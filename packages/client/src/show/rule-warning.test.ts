import { expect, it } from 'vitest';
import { ruleWarningText } from './rule-warning.js';

it.each([
  [
    { rule: 'deny shel_cmd', code: 'unknown-tool', tool: 'shel_cmd', closest: 'shell_cmd' },
    'Line 2: there is currently no tool named "shel_cmd". Did you mean "shell_cmd"?',
  ],
  [
    { rule: 'deny quux', code: 'unknown-tool', tool: 'quux' },
    'Line 2: there is currently no tool named "quux". The rule takes effect once such a tool is added.',
  ],
  [
    { rule: 'allow claude__Bash(rm *)', code: 'star-outside', tool: 'claude__Bash' },
    'Line 2 allows nothing: allow claude__Bash(rm *). claude__Bash runs without a sandbox, so a rule allows a command only if it spells it out. Write a rule for each exact command.',
  ],
  [
    { rule: 'allow sandbox_network(a.org)', code: 'opens-network', tool: 'sandbox_network' },
    "Line 2 opens the sandbox: allow sandbox_network(a.org). Commands that use a host it opens can't be rehearsed, so their approvals don't show what they will change.",
  ],
  [
    { rule: 'deny x(a=b,)', code: 'unreadable', verb: 'deny', tool: 'x', error: 'a comma too many' },
    `Line 2 can't be read (a comma too many): deny x(a=b,). It denies every call to x until you correct or remove it.`,
  ],
  [
    { rule: 'allow x until 2026-01-01', code: 'ended', tool: 'x' },
    'Line 2 has ended and allows nothing: allow x until 2026-01-01. Change its time, or remove it.',
  ],
  [
    { rule: 'allow npm', code: 'unknown-tool', tool: 'npm', meant: 'allow shell_cmd(npm)' },
    'Line 2: there is currently no tool named "npm". Did you mean "allow shell_cmd(npm)"?',
  ],
  [
    { rule: 'allow shell_cmd(npm *)', code: 'star-nothing', tool: 'shell_cmd', meant: 'allow shell_cmd(npm test)' },
    'Line 2: the * covers nothing in allow shell_cmd(npm *). Write a rule for each whole command, as in allow shell_cmd(npm test).',
  ],
] as const)('[RULE5] warns about a rule: %j', (warning, words) => {
  expect(ruleWarningText({ line: 2, ...warning })).toBe(words);
});
