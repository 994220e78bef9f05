import { spawn } from 'node:child_process';
import { CommandError } from '../../command-error.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { runWords as words } from '../../words/run.js';

/** Set in the process that supervises a detached run. */
const VARIABLE = 'COUNTERSIGN_RUN_DETACHED';

export function isDetached({ console: { env } }: CommandContext): boolean {
  return env[VARIABLE] === '1';
}

/** What that process says when the program has started. */
export interface Begun {
  readonly id: string;
  readonly world: string;
  readonly output: string;
}

/** Starts this command again in the background, and resolves when its program has started. */
export async function detachRun(context: CommandContext): Promise<number> {
  const child = spawn(process.execPath, process.argv.slice(1), {
    env: { ...context.console.env, [VARIABLE]: '1' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let wrong = '';
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8').on('data', (text: string) => (wrong += text));
  const line = await new Promise<string | undefined>((resolve) => {
    child.stdout.on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(said);
    });
    child.once('close', () => resolve(undefined)).once('error', () => resolve(undefined));
  });
  if (line === undefined)
    throw new CommandError(
      wrong.trim().replace(/^countersign: /, ''),
      [EXIT.usage, EXIT.noProgram].find((code) => code === child.exitCode) ?? EXIT.failed,
    );
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  const begun = JSON.parse(line) as Begun;
  if (context.options.json) context.json(begun);
  else {
    context.say(begun.id);
    context.note(words.detached(begun.id, begun.output));
  }
  return EXIT.ok;
}
