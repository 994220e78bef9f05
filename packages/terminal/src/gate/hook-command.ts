import { quote } from '../text/quote.js';
import { resolve } from 'node:path';
import type { HookAgent } from './hook-agents.js';

/** Variables with which Node loads other code. A project can set them for the agent, and so for its hook. */
const CLEARED = ['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'OPENSSL_CONF'].map((name) => `${name}=`).join(' ');

/** The shell command that an agent runs as its hook. It doesn't depend on PATH, which the agent may change. Without a home folder: a managed one. */
export function hookCommand(agent: HookAgent, home: string | undefined): string {
  const program = resolve(process.argv[1] ?? 'countersign');
  const words = [process.execPath, program].map(quote).join(' ');
  return `${CLEARED} ${words} gate hook --agent ${agent} ${home === undefined ? '--managed' : `--home ${quote(home)}`}`;
}

/** The shell command that runs an approved command of Gemini CLI, without the id of the call at its end. */
export function execCommand(home: string | undefined, program = resolve(process.argv[1] ?? 'countersign')): string {
  const place = home === undefined ? ['--managed'] : ['--home', home];
  return [process.execPath, program, 'gate', 'exec', ...place].map(quote).join(' ');
}

/** The words of such a command. */
export function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(
    ([word, quoted]) => quoted?.replaceAll("'\\''", "'") ?? word,
  );
}
