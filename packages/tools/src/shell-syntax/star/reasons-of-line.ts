import type { Reason } from '../node-kinds.js';
import type { StarJudgement } from './judge-star.js';

/** A simple command in a line, and what a star may match in it. */
export interface JudgedCommand {
  readonly words: readonly string[];
  readonly piped: boolean;
  readonly star: StarJudgement;
}

/**
 * Why no rule may allow a line although rules allow each of its commands: one command changes what another one does
 * (RULE7). Reasons contain no part of the command.
 */
export function reasonsOfLine(commands: readonly JudgedCommand[]): readonly Reason[] {
  const reasons: Reason[] = [];
  if (commands.some(({ words }) => setsVariable(words))) {
    reasons.push({ why: { code: 'variable' }, told: false });
  }
  if (commands.length < 2) return reasons;
  let written = false;
  for (const { piped, star } of commands) {
    const { effect, filters } = star;
    if (piped && !filters) {
      reasons.push({ why: { code: 'piped-input' }, told: true });
    }
    if (written && effect === 'runs') {
      reasons.push({ why: { code: 'code-from-file' }, told: true });
    }
    if (effect === 'writes') written = true;
  }
  return reasons;
}

const COUNTS = /%[-+ #0'\d.*hlLjzt]*n/;

/** Builtins that set a variable, which can change what later commands mean. */
function setsVariable([program = '', ...rest]: readonly string[]): boolean {
  if (program === 'printf') return rest.some((word) => word.startsWith('-v') || COUNTS.test(word));
  return program === 'wait' && rest.some((word) => /^-[a-z]*p/.test(word));
}
