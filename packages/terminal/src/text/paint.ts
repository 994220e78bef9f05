import { agentColour } from '@countersign/client';
import type { Console } from '../console.js';
import { wantsColour } from '../console.js';
import { textOf, type Colour, type Line } from './spans.js';

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
  line(line: Line): string;
}

/** Colour names, not shades, so that the person's theme keeps them readable. None is a state colour (yellow, green, red). */
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
    line: (line) => (isOn ? paintLine(line, true) : textOf(line)),
  };
}

/** A line with its styles. Without colours, it keeps bold, dim and inverse text, which say what is selected. */
export function paintLine(line: Line, hasColour: boolean): string {
  return line
    .map(({ text, colour, bold = false, dim = false, inverse = false }) => {
      const codes = [
        ...(bold ? [1] : []),
        ...(dim ? [2] : []),
        ...(inverse ? [7] : []),
        ...(hasColour && colour !== undefined ? [codeOf(colour)] : []),
      ];
      return codes.length === 0 ? text : `\u001B[${codes.join(';')}m${text}\u001B[0m`;
    })
    .join('');
}

function codeOf(colour: Colour): number {
  switch (colour) {
    case 'waiting':
      return 33;
    case 'good':
      return 32;
    case 'bad':
      return 31;
    case 'do':
      return 94;
    default:
      return AGENT_COLOURS[Number(colour.slice(6)) % AGENT_COLOURS.length] ?? 36;
  }
}
