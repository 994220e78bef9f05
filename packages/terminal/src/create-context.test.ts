import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { lookOf } from './approvals/approval-prompt.js';
import type { Console } from './console.js';
import { createContext } from './create-context.js';
import type { ServerAccess } from './connection/server-access.js';

it('[TERM2] treats a terminal that reports no size as 80×24', () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 0, rows: 0 });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const console = { stdin, stdout, stderr: new PassThrough(), env: {} } as unknown as Console;
  const context = createContext(
    { console, servers: {} as ServerAccess, version: '0' },
    { json: false, verbose: false },
  );
  expect(lookOf(context)).toMatchObject({ columns: 80, rows: 24 });
  expect(context.columns()).toBe(80);
});
