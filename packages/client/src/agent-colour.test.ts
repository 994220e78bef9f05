import { expect, it } from 'vitest';
import { AGENT_COLOURS, agentColour, agentInitials } from './agent-colour.js';

it('an agent always has the same colour', () => {
  const seen = new Set<number>();
  for (let index = 0; index < 200; index += 1) {
    const colour = agentColour(`agent-${index}`);
    expect(colour).toBe(agentColour(`agent-${index}`));
    seen.add(colour);
  }
  expect([...seen].toSorted((a, b) => a - b)).toEqual(Array.from({ length: AGENT_COLOURS }, (_, index) => index));
});

it('derives initials from a name', () => {
  expect(agentInitials('Mason')).toBe('M');
  expect(agentInitials('stone mason')).toBe('SM');
  expect(agentInitials('')).toBe('');
});
