import { writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gateHook as texts } from '../../words/gate.js';
import { plainLine } from '../../text/plain-text.js';
import { HOOK_AGENTS } from '../gated-agents.js';
import { isDeferring, runHook, type HookExit } from './run-hook.js';

/** The most that an agent sends: its arguments may have 1 MB, escaped. */
const MOST_BYTES = 32 * 1024 * 1024;

/** `countersign gate hook`, without the rest of the command line, which would take longer to load than the hook takes. */
export async function runHookCommand(
  words: readonly string[],
  { stdin, env }: { stdin: AsyncIterable<unknown>; env: Readonly<Record<string, string | undefined>> },
): Promise<HookExit> {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { agent: { type: 'string' }, home: { type: 'string' }, world: { type: 'string', short: 'w' } },
    });
    const agent = HOOK_AGENTS.find((known) => known === values.agent);
    if (agent === undefined) return no(texts.unknownAgent(values.agent ?? ''));
    const home = values.home ?? env['COUNTERSIGN_HOME'] ?? join(homedir(), '.countersign');
    return await runHook(agent, resolve(home), await readAll(stdin), {
      world: values.world,
      defers: isDeferring(env),
    });
  } catch (error) {
    return no(texts.failed(error instanceof Error ? error.message : String(error)));
  }
}

/** Runs `countersign gate hook` in its own process: prints the answer and exits. Killed or crashed, it never says yes. */
export async function hookMain(words: readonly string[]): Promise<void> {
  const { stdin, stdout, stderr, env } = process;
  const fail = (reason: string): never => {
    writeSync(stderr.fd, `${plainLine(texts.failed(reason))}\n`);
    process.exit(2);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => fail(texts.killed));
  process.once('uncaughtException', (error) => fail(error.message));
  const exit = await runHookCommand(words, { stdin, env });
  process.exitCode = exit.code;
  if (exit.stderr !== '') writeSync(stderr.fd, `${plainLine(exit.stderr)}\n`);
  // In one write at the very end: for some agents, this is a yes whatever happens afterwards. Then exit: an open connection takes time to close.
  if (exit.stdout === '') process.exit();
  stdout.write(exit.stdout, () => process.exit());
}

function no(reason: string): HookExit {
  return { code: 2, stdout: '', stderr: reason };
}

async function readAll(stdin: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stdin) {
    const read = Buffer.from(part as Uint8Array);
    parts.push(read);
    bytes += read.length;
    if (bytes > MOST_BYTES) throw new Error(texts.tooLong);
  }
  return Buffer.concat(parts).toString('utf8');
}
