import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../testing/free-port.js';
import { scaled } from '../../../../tests/support/scaled.js';
import { serve } from '../serve/serve.js';
import { startServer, type ServerProcess } from '../testing/start-process.js';

const page = new URL('../../../../docs/guide/http.md', import.meta.url);
const TOKEN = 'a-token-for-the-guide-0123456789abcdef';

let folder = '';
let server: ServerProcess | undefined;
let closing: (() => Promise<void>) | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-guide-'));
  await mkdir(join(folder, 'work'));
});
afterEach(async () => {
  await server?.end('SIGKILL');
  server = undefined;
  await closing?.();
  closing = undefined;
  await rm(folder, { recursive: true, force: true });
});

interface Step {
  commands: string;
  /** The output that the guide shows. */
  shown: unknown;
}

async function readSteps(): Promise<Step[]> {
  const blocks = [...(await readFile(page, 'utf8')).matchAll(/```(sh|json)\n([\s\S]*?)```/g)];
  return blocks.flatMap(([, kind, commands = ''], index): Step[] => {
    if (kind !== 'sh') return [];
    const next = blocks[index + 1];
    return [{ commands, shown: next?.[1] === 'json' ? (JSON.parse(next[2] ?? '') as unknown) : undefined }];
  });
}

async function start(port: string): Promise<ServerProcess> {
  server = await startServer(join(folder, 'home'), { words: ['--port', port], env: { COUNTERSIGN_TOKEN: TOKEN } });
  return server;
}

/** One shell for the whole guide, as for a reader. A marker after each step shows where its output ends. */
function openShell(url: string): (commands: string) => Promise<string> {
  const shell = spawn('bash', ['--noprofile', '--norc', '-e'], {
    cwd: join(folder, 'work'),
    env: { PATH: process.env['PATH'], URL: url, TOKEN },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void shell.kill('SIGKILL'));
  const errors = text(shell.stderr);
  const ended = once(shell, 'close');
  let heard = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
  });
  let steps = 0;
  return async (commands) => {
    steps += 1;
    const mark = `--- end of step ${steps} ---`;
    heard = '';
    shell.stdin.write(`${commands}\necho; echo '${mark}'\n`);
    while (!heard.includes(mark)) {
      const closed = await Promise.race([once(shell.stdout, 'data'), ended.then(() => 'closed' as const)]);
      if (closed === 'closed') throw new Error(`the shell ended in step ${steps}: ${heard} ${await errors}`);
    }
    return heard.slice(0, heard.indexOf(mark)).trim();
  };
}

/** Differences between the output and the guide. Text with `…`, counters and this machine's sandbox may differ. */
function differences(actual: unknown, shown: unknown, at = ''): string[] {
  if (typeof shown === 'string' && shown.includes('…')) {
    const isLike = typeof actual === 'string' && shown.split('…').every((part) => actual.includes(part));
    return isLike ? [] : [`${at}: ${String(actual)}`];
  }
  if (typeof shown !== 'object' || shown === null) return Object.is(actual, shown) ? [] : [`${at}: ${String(actual)}`];
  if (typeof actual !== 'object' || actual === null) return [`${at}: ${String(actual)}`];
  const names = new Set([...Object.keys(actual), ...Object.keys(shown)]);
  return [...names].flatMap((name) => {
    if (!(name in actual) || !(name in shown)) return [`${at}.${name} is only in one of them`];
    if (['version', 'lastEventId', 'seq', 'usage', 'sandbox'].includes(name)) return [];
    return differences(Reflect.get(actual, name), Reflect.get(shown, name), `${at}.${name}`);
  });
}

// Starts several servers, which is slow on a busy machine.
describe('docs/guide/http.md', () => {
  it('[HTTP2] creates a world, sends a message, approves the call and reads the answer with curl alone', async () => {
    const quiet = (): void => undefined;
    const log = { info: quiet, warn: quiet, error: quiet };
    const env = { COUNTERSIGN_TOKEN: TOKEN };
    const serving = await serve({ home: join(folder, 'home'), env, log, port: 0, version: 'test' });
    closing = () => serving.close();
    const run = openShell(serving.url);
    const steps = await readSteps();
    expect(steps.length).toBeGreaterThan(10);
    for (const { commands, shown } of steps) {
      const output = await run(commands);
      expect(shown === undefined ? [] : differences(JSON.parse(output), shown)).toEqual([]);
    }
  });

  it('[STORE3] [CALL9] loses nothing when the server is killed and restarted at each step', async () => {
    const port = String(await freePort());
    const { url } = await start(port);
    const run = openShell(url);
    const outputs: string[] = [];
    const steps = await readSteps();
    // After the message, after the approval was listed, and after the decision. `npm test` kills it only at the last of these.
    const killable = steps.filter(({ commands }) => /clientMessageId|approvals"$|tool-results/m.test(commands));
    expect(killable).toHaveLength(4);
    const kills = killable.slice(-scaled(4, 1));
    for (const step of steps) {
      outputs.push(await run(step.commands));
      if (!kills.includes(step)) continue;
      await server?.end('SIGKILL');
      await start(port);
    }
    const all = outputs.join('\n');
    // A command that ran during the last kill is reported as interrupted and not run again.
    expect(all).toMatch(/I counted the crew: 3\. All done\.|counted the crew \(interrupted, outcome unknown\)/);
    expect(all.match(/"kind":"decision"/g)).toHaveLength(1);
    expect(all).toContain('"id":"quay-2"');
  });
});
