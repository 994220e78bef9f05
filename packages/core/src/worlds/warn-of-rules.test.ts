import { expect, it } from 'vitest';
import type { RegisteredTool } from '../ports/index.js';
import { warnOfRules } from './warn-of-rules.js';

/** Only their names matter. */
const named = (...names: string[]): ReadonlyMap<string, RegisteredTool> =>
  new Map(names.map((name) => [name, { definition: { name } } as RegisteredTool]));

it('[RULE5] suggests the full name for a rule with the short name of an MCP tool', () => {
  expect(warnOfRules(['deny pay(amount > 100)'], named('shell_cmd', 'mcp__ledger__pay'), 0)).toEqual([
    { line: 1, rule: 'deny pay(amount > 100)', code: 'unknown-tool', tool: 'pay', closest: 'mcp__ledger__pay' },
  ]);
});

it('[RULE5] [EXT1.4] does not warn about the tools of known external programs, which are not listed anywhere', () => {
  const rules = ['allow claude__Read(./**)', 'deny gemini__run_shell_command', 'deny cluade__Bash'];
  expect(warnOfRules(rules, named('shell_cmd'), 0)).toMatchObject([{ line: 3, code: 'unknown-tool' }]);
});

it('[SAFE5.3] warns about a rule that opens hosts, because commands that use them can’t be rehearsed', () => {
  const rules = ['allow sandbox_network(example.com)', 'deny sandbox_network(bad.org)', 'allow sandbox_folder(~/lib)'];
  expect(warnOfRules(rules, named('shell_cmd'), 0)).toMatchObject([{ line: 1, code: 'opens-network' }]);
});

it('[RULE5.6] warns about a rule that allows commands of an external program and spells none out, which can never apply', () => {
  const useless = [
    'allow claude__Bash(rm *)',
    'allow gemini__run_shell_command(git log --*)',
    'allow x__execute(./**)',
    'allow claude__Bash',
    'allow claude__Bash(*)',
    'allow claude__Bash writing ./docs/**',
  ];
  const fine = [
    'deny claude__Bash(rm *)',
    'allow claude__Bash(rm "*")',
    'allow claude__Bash(command="rm a")',
    'allow claude__Read(./**)',
    'allow claude__Read',
    'ask claude__Bash',
    'deny claude__Bash',
  ];
  const found = warnOfRules([...useless, ...fine], named('shell_cmd'), 0);
  expect(found.filter(({ code }) => code === 'star-outside').map(({ rule }) => rule)).toEqual(useless);
});

it('[RULE11] lists rules that have ended, and not those that will end', () => {
  const rules = ['allow shell_cmd(ls) until 2026-01-01', 'allow shell_cmd(wc) until 2026-01-02'];
  const now = Date.parse('2026-01-01T00:00Z');
  expect(warnOfRules(rules, named('shell_cmd'), now)).toEqual([
    { line: 1, rule: rules[0], code: 'ended', tool: 'shell_cmd' },
  ]);
});

it('[RULE5.7] asks whether a command was meant for the shell', () => {
  const found = warnOfRules(['allow npm', 'deny rm', 'allow mcp__x__y', 'deny shel_cmd'], named('shell_cmd'), 0);
  expect(found.map(({ meant, closest }) => meant ?? closest)).toEqual([
    'allow shell_cmd(npm)',
    'deny shell_cmd(rm)',
    'shell_cmd',
  ]);
});
