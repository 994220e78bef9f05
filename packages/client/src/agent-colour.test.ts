import { expect, it } from 'vitest';
import { AGENT_COLOURS, agentColour, agentInitials } from './agent-colour.js';

it('gives an agent one of the colours, always the same', () => {
  const seen = new Set<number>();
  for (let index = 0; index < 200; index += 1) {
    const colour = agentColour(`agent-${index}`);
    expect(colour).toBe(agentColour(`agent-${index}`));
    seen.add(colour);
  }
  expect([...seen].toSorted((a, b) => a - b)).toEqual(Array.from({ length: AGENT_COLOURS }, (_, index) => index));
});

it('makes letters of a name', () => {
  expect(agentInitials('Mason')).toBe('M');
  expect(agentInitials('stone mason')).toBe('SM');
  expect(agentInitials('')).toBe('');
});
