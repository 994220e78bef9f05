import { resolve } from 'node:path';
import type { HookAgent } from './gated-agents.js';

/** The shell command that an agent runs as its hook. It doesn't depend on PATH or the environment, which the agent may change. */
export function hookCommand(agent: HookAgent, home: string): string {
  const program = resolve(process.argv[1] ?? 'countersign');
  return `${[process.execPath, program].map(quote).join(' ')} gate hook --agent ${agent} --home ${quote(home)}`;
}

/** A word for `sh`. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
