import { agentColour } from '@countersign/client';
import type { Console } from '../console.js';
import { wantsColour } from '../console.js';

/** Colours for our own text. State is never shown by colour alone. */
export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
  /** Waiting for you. */
  amber(text: string): string;
  /** Approved, succeeded. */
  green(text: string): string;
  /** Denied, failed. */
  red(text: string): string;
  blue(text: string): string;
  /** A fixed colour per agent, from its id. */
  agent(agentId: string, text: string): string;
}

/** None of them is a state colour (yellow, green, red). */
const AGENT_COLOURS = [94, 36, 35, 96, 34, 95, 94, 35] as const;

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
    agent: (agentId, text) => by(AGENT_COLOURS[agentColour(agentId) % AGENT_COLOURS.length] ?? 36)(text),
  };
}
