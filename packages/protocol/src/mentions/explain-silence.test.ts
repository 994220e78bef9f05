import { describe, expect, it } from 'vitest';
import type { Addressable } from './addressable.js';
import { explainInactive, explainSilence } from './explain-silence.js';

const agent = (name: string, active = true): Addressable => ({ id: name.toLowerCase(), name, active });
const crew = [agent('Ada'), agent('Bob'), agent('Off', false)];

describe('[WORLD3.5] why nobody answers', () => {
  it.each([
    ['hello', [], 'this world has no agents. Add an agent'],
    ['@ada hello', [], 'this world has no agents'],
    ['hello', [agent('Ada', false)], 'the only agent, @Ada, is inactive in this world. Activate an agent'],
    ['@ada hello', [agent('Ada', false), agent('Bob', false)], 'all agents are inactive in this world'],
    ['@off hello', crew, '@Off is inactive. Activate it, or mention another agent: @Ada or @Bob.'],
    ['@human, @off hello', crew, '@Off is inactive'],
    ['@ghost hello', crew, 'no agent here is called @ghost. Agents you can mention: @Ada and @Bob.'],
    ['@ghost, @zoe hello', crew, 'no agent here is called @ghost or @zoe.'],
    ['hey @bob', crew, '@Bob is mentioned in the middle of a line. Put a mention at the start of a line'],
    ['hey @bob and @off, @Bob', crew, '@Bob and @Off are mentioned in the middle of a line'],
    [
      'hey @off',
      crew,
      '@Off is mentioned in the middle of a line, and is inactive. Activate it and put the mention at the start of a line, or mention another agent there: @Ada or @Bob.',
    ],
    ['> @ada said so', crew, '@Ada is mentioned in the middle of a line'],
  ])('%j', (content, agents, why) => {
    expect(explainSilence(content, agents)).toContain(`No agent will answer: ${why}`);
  });

  it('returns nothing for a message to people only', () => {
    for (const agents of [crew, []]) expect(explainSilence('@human look, ask @bob', agents)).toBeUndefined();
  });

  it('says which of the agents mentioned in the middle of a line are inactive', () => {
    expect(explainSilence('hey @bob and @off', crew)).toMatch(
      /or leave it out\. @Off is inactive\. Activate it first\.$/,
    );
    expect(explainSilence('hey @bob', crew)).toMatch(/or leave it out\.$/);
  });

  it('names inactive agents among several that a message addresses', () => {
    expect(explainInactive('@Ada @Off hi', crew)).toBe('@Off is inactive. Activate it to get an answer from it too.');
    const both = [...crew, agent('Out', false)];
    expect(explainInactive('@Ada, @Off, @Out hi', both)).toBe(
      '@Off and @Out are inactive. Activate them to get an answer from them too.',
    );
    for (const content of ['@Ada hi', 'hello', '@Ada ask @off', '@human hi'])
      expect(explainInactive(content, crew)).toBeUndefined();
  });

  it('lists only a few of many names', () => {
    const many = Array.from({ length: 40 }, (_, at) => agent(`A${at}`));
    expect(explainSilence('@ghost', many)).toContain('@A0, @A1, @A2, @A3, @A4 and 35 more.');
  });
});
