import { RUN_AGENTS } from '@countersign/protocol';

/** Flags of `run`, and of every command, that take a value. */
const WITH_VALUE = ['-w', '--world', '--allow-host', '--port', '--branch', '--again', '--home', '--url'];

/**
 * Rewrites `run claude -p hi` to `run --agent claude -- -p hi`: what follows the name of an agent belongs to the agent. Other words stay as they
 * are.
 */
export function splitRunWords(words: readonly string[]): string[] {
  const at = nextOperand(words, 0);
  if (words[at] !== 'run') return [...words];
  const agentAt = nextOperand(words, at + 1);
  const agent = RUN_AGENTS.find((name) => name === words[agentAt]);
  if (agent === undefined) return [...words];
  const rest = words.slice(agentAt + 1);
  return [...words.slice(0, agentAt), '--agent', agent, '--', ...(rest[0] === '--' ? rest.slice(1) : rest)];
}

/** The index of the first word that is no flag and no value of one. Past the end if only `--` or nothing follows. */
function nextOperand(words: readonly string[], from: number): number {
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--') return words.length;
    if (!word.startsWith('-')) return at;
    if (WITH_VALUE.includes(word)) at += 1;
  }
  return words.length;
}
