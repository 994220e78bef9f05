import { expect, it } from 'vitest';
import { warnOfRules } from './warn-of-rules.js';

it('[A26] a rule for the short name of an MCP tool is told its full name', () => {
  expect(warnOfRules(['deny pay(amount > 100)'], ['shell_cmd', 'mcp__ledger__pay'])).toEqual([
    { line: 1, rule: 'deny pay(amount > 100)', code: 'unknown-tool', tool: 'pay', closest: 'mcp__ledger__pay' },
  ]);
});
