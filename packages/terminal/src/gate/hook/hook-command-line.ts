import { readSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gateHook as texts } from '../../words/gate.js';
import { plainLine } from '../../text/plain-text.js';
import { HOOK_AGENTS } from '../hook-agents.js';
import { homeOfUser } from '../managed/managed-place.js';
import { isDeferring, runHook, type HookExit } from './run-hook.js';

export { execMain } from './exec-call.js';

/** The most that an agent sends: its arguments may have 1 MB, escaped. */
const MOST_BYTES = 32 * 1024 * 1024;
const STDIN = 0;
const STDERR = 2;

/**
 * Runs `countersign gate hook` in its own process: prints the answer and exits. Killed or crashed, it never says yes. It is separate from the rest
 * of the command line, which would take longer to load than the hook takes.
 */
export async function hookMain(words: readonly string[]): Promise<void> {
  process.once('uncaughtException', (error) => fail(error.message));
  const exit = await runHookCommand(words, process.env);
  process.exitCode = exit.code;
  if (exit.stderr !== '') say(exit.stderr);
  // In one write at the very end: for some agents, this is a yes whatever happens afterwards. Then exit: an open connection takes time to close.
  if (exit.stdout === '') process.exit();
  process.stdout.write(exit.stdout, () => process.exit());
}

async function runHookCommand(words: readonly string[], env: NodeJS.ProcessEnv): Promise<HookExit> {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        agent: { type: 'string' },
        home: { type: 'string' },
        world: { type: 'string', short: 'w' },
        id: { type: 'string' },
        managed: { type: 'boolean' },
      },
    });
    const agent = HOOK_AGENTS.find((known) => known === values.agent);
    if (agent === undefined) return no(texts.unknownAgent(values.agent ?? ''));
    const isManaged = values.managed === true;
    const given = values.home ?? env['COUNTERSIGN_HOME'] ?? join(homedir(), '.countersign');
    return await runHook(agent, isManaged ? homeOfUser() : resolve(given), await readInput(), {
      isManaged,
      world: values.world,
      defers: isDeferring(env),
      whileWaiting: explainSignals,
    });
  } catch (error) {
    return no(texts.failed(error instanceof Error ? error.message : String(error)));
  }
}

/** Before this, signals end the process without an answer. */
function explainSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => fail(texts.killed));
}

function fail(reason: string): never {
  say(texts.failed(reason));
  process.exit(2);
}

function say(text: string): void {
  try {
    writeSync(STDERR, `${plainLine(text)}\n`);
  } catch {
    // Nobody reads it. The exit code says no all the same.
  }
}

function no(reason: string): HookExit {
  return { code: 2, stdout: '', stderr: reason };
}

/** Reads standard input at once, which takes less time than a stream does to set up. */
async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer): void => {
    parts.push(part);
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Error(texts.tooLong);
  };
  try {
    for (;;) {
      const part = Buffer.allocUnsafe(64 * 1024);
      const read = readSync(STDIN, part);
      if (read === 0) break;
      add(part.subarray(0, read));
    }
  } catch (error) {
    // The agent writes later, and its pipe doesn't block.
    if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    for await (const part of process.stdin) add(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}
