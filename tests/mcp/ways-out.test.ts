import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedSandbox } from '../support/shared-sandbox.js';
import { describe, expect, it } from 'vitest';
import {
  startServerProcess,
  type StdioDefinition,
} from '../../packages/tools/src/mcp/transport/start-server-process.js';
import { freshFolder } from './support/lab.js';

const sandbox = await sharedSandbox();

/** Runs a server that tries to escape, and returns its output. To escape, it would create a file outside the folder it can see. */
async function run(define: (mark: string) => Partial<StdioDefinition>): Promise<{ said: string; escaped: boolean }> {
  const folder = await freshFolder();
  const mark = join(dirname(folder), `escaped-${folder.slice(-6)}`);
  let said = '';
  try {
    const definition: StdioDefinition = {
      ...{ name: 'x', transport: 'stdio', command: 'true', args: [], env: {} },
      ...{ network: false, trusted: false, enabled: true },
      ...define(mark),
    };
    const started = await startServerProcess(definition, { sandbox, hide: [], show: [], workingDirectory: folder });
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (bytes: Buffer) => (said += String(bytes)));
    await started.exited;
    await started.end();
  } catch (error) {
    said += String(error);
  }
  return { said, escaped: existsSync(mark) };
}

describe.skipIf(sandbox.kind !== 'bubblewrap')('[MCP1] no server definition escapes its sandbox', () => {
  it.each([false, true])('through a program that is named like an option (network: %s)', async (network) => {
    const open = await run((mark) => ({ network, command: '--bind', args: ['/', '/', 'sh', '-c', `touch ${mark}`] }));
    expect(open).toMatchObject({ escaped: false, said: expect.stringContaining('--bind') as string });
    const dashes = await run((mark) => ({ network, command: '--', args: ['--bind', '/', '/', 'touch', mark] }));
    expect(dashes.escaped).toBe(false);
    const builtin = await run((mark) => ({ network, command: '-a', args: ['x', 'touch', mark] }));
    expect(builtin.escaped).toBe(false);
  });

  it.each<[string, (mark: string) => Record<string, string>]>([
    ['SHELLOPTS', (mark) => ({ SHELLOPTS: 'xtrace', PS4: `$(touch ${mark})` })],
    ['BASH_ENV', (mark) => ({ BASH_ENV: `$(touch ${mark})` })],
    ['BASH_FUNC_echo%%', (mark) => ({ 'BASH_FUNC_echo%%': `() { touch ${mark}; }` })],
    ['GLIBC_TUNABLES', () => ({ GLIBC_TUNABLES: 'glibc.malloc.check=3' })],
    ['an invalid name', () => ({ 'A B': 'x' })],
    ['an empty name', () => ({ '': 'x' })],
  ])('through the variable %s, which shells or loaders around it would use', async (_name, env) => {
    const { said, escaped } = await run((mark) => ({ env: env(mark) }));
    expect(said).toContain('would take effect outside the sandbox');
    expect(escaped).toBe(false);
  });

  it('but other variables reach it unchanged', async () => {
    const { said } = await run(() => ({
      command: 'sh',
      args: ['-c', 'echo "$ENV $TOKEN"'],
      env: { ENV: 'test', TOKEN: "a'b" },
    }));
    expect(said).toContain("test a'b");
  });
});
