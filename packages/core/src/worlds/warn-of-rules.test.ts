import { expect, it } from 'vitest';
import { warnOfRules } from './warn-of-rules.js';

it('[A26] suggests the full name for a rule with the short name of an MCP tool', () => {
  expect(warnOfRules(['deny pay(amount > 100)'], ['shell_cmd', 'mcp__ledger__pay'])).toEqual([
    { line: 1, rule: 'deny pay(amount > 100)', code: 'unknown-tool', tool: 'pay', closest: 'mcp__ledger__pay' },
  ]);
});
