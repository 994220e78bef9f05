import type { Console } from '../console.js';
import { wantsColour } from '../console.js';

/** Colours for our own words. State is never colour alone: the word stands beside it. */
export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
  /** Waiting for you. */
  amber(text: string): string;
  /** Signed, succeeded. */
  green(text: string): string;
  /** Denied, failed. */
  red(text: string): string;
  blue(text: string): string;
  /** A steady colour for each agent, from its id. */
  agent(agentId: string, text: string): string;
}

const AGENT_COLOURS = [36, 35, 34, 33, 32, 96, 95, 94] as const;

export function paintFor(stream: { isTTY?: boolean }, { env }: Pick<Console, 'env'>): Paint {
  const isOn = wantsColour(stream, env);
  const by = (code: number) => (text: string) => (isOn ? `\u001B[${code}m${text}\u001B[0m` : text);
  return {
    dim: by(2),
    bold: by(1),
    amber: by(33),
    green: by(32),
    red: by(31),
    blue: by(34),
    agent: (agentId, text) => by(agentColour(agentId))(text),
  };
}

/** The SGR number of an agent's colour: the same in transcript, cards and lists. */
function agentColour(agentId: string): number {
  let hash = 0;
  for (const character of agentId) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return AGENT_COLOURS[hash % AGENT_COLOURS.length] ?? 36;
}
