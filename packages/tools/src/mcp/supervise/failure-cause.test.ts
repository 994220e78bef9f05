import { expect, it } from 'vitest';
import { failureCause } from './failure-cause.js';

const ended = 'it exited with code 1';

it('[CALL1] shows the error that Node printed without the stack, and what the sandbox hides', () => {
  const lines = [
    'node:internal/modules/cjs/loader:1228',
    '  throw err;',
    '  ^',
    "Error: Cannot find module '/home/ada/.local/lib/files/index.js'",
    '    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)',
    "  code: 'MODULE_NOT_FOUND',",
    '  requireStack: []',
    '}',
    'Node.js v20.19.0',
    '[it exited with code 1]',
    '[~/.local/lib/files is in a folder that the sandbox hides]',
  ];
  expect(failureCause(lines, ended)).toBe(
    "Error: Cannot find module '/home/ada/.local/lib/files/index.js' · [~/.local/lib/files is in a folder that the sandbox hides]",
  );
});

it.each([
  "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /srv/server.mjs",
  "TypeError: Cannot read properties of undefined (reading 'port')",
  "ModuleNotFoundError: No module named 'mcp'",
])('[CALL1] finds %s', (line) => {
  const lines = ['starting', '', line, '    at file:///srv/server.mjs:1:1', 'Error: later', 'Node.js v22.1.0'];
  expect(failureCause(lines, ended)).toBe(line);
});

it('[CALL1] shows the last lines of a server that printed no error', () => {
  const lines = ['one', 'two', 'three', 'four', 'five', 'no disk', '[it exited with code 1]'];
  expect(failureCause(lines, ended)).toBe('three · four · five · no disk');
  expect(failureCause([], ended)).toBe('');
});
