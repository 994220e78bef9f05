import { expect, it } from 'vitest';
import { agentLook } from './agent-look.js';

it('gives an agent the same colour everywhere, and initials from its name', () => {
  expect(agentLook('mason', 'Mason')).toEqual({ ...agentLook('mason', 'Stone Mason'), initials: 'M' });
  expect(agentLook('mason', 'Stone Mason').initials).toBe('SM');
  expect(agentLook('x', 'émile').initials).toBe('É');
});

it('uses no hue that means denied, approved or waiting', () => {
  for (let index = 0; index < 200; index += 1) {
    const { hue } = agentLook(`agent-${index}`);
    expect((hue >= 175 && hue <= 345) || hue === 360).toBe(true);
  }
});
