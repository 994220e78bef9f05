import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { NewMcpServer } from '@countersign/protocol';
import { root } from '../../support/source-modules.js';
import { until } from './until.js';

const modules = `${root}node_modules/@modelcontextprotocol/`;
export const PROGRAMS = {
  everything: `${modules}server-everything/dist/index.js`,
  filesystem: `${modules}server-filesystem/dist/index.js`,
  memory: `${modules}server-memory/dist/index.js`,
  // Bundled, because tests start it fifty times.
  hostile: `${root}packages/countersign/dist/testing/bundle/hostile-server.js`,
} as const;

/** One of the real servers over stdio. */
export function stdio(
  name: keyof typeof PROGRAMS,
  more: { args?: string[]; env?: Record<string, string>; trusted?: boolean; name?: string } = {},
): NewMcpServer {
  const { args = [], env = {}, trusted = false } = more;
  return {
    name: more.name ?? name,
    transport: 'stdio',
    command: process.execPath,
    args: [PROGRAMS[name], ...args],
    env,
    trusted,
  };
}

/** Starts a server as a process with HTTP on its own port. Stops with the test, or when it is killed. */
export async function startHttpServer(
  args: readonly string[],
  port: number,
): Promise<{ url: string; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [...args], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const ended = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  await until(
    async () => await answers(port),
    () => `the server listens: ${said}`,
  );
  return { url: `http://127.0.0.1:${port}/mcp`, kill };
}

async function answers(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'DELETE' });
    return true;
  } catch {
    return false;
  }
}
