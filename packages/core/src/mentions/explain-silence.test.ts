import { describe, expect, it } from 'vitest';
import type { Addressable } from './addressable.js';
import { explainSilence } from './explain-silence.js';

const agent = (name: string, active = true): Addressable => ({ id: name.toLowerCase(), name, active });
const crew = [agent('Ada'), agent('Bob'), agent('Off', false)];

describe('[M3.5] why nobody answers', () => {
  it.each([
    ['hello', [], 'this world has no agents. Add an agent'],
    ['@ada hello', [], 'this world has no agents'],
    ['hello', [agent('Ada', false)], 'the only agent, @Ada, is inactive in this world. Activate an agent'],
    ['@ada hello', [agent('Ada', false), agent('Bob', false)], 'all agents are inactive in this world'],
    ['@off hello', crew, '@Off is inactive. Activate it, or mention another agent: @Ada and @Bob.'],
    ['@human, @off hello', crew, '@Off is inactive'],
    ['@ghost hello', crew, 'no agent here is called @ghost. Agents you can mention: @Ada and @Bob.'],
    ['@ghost, @zoe hello', crew, 'no agent here is called @ghost or @zoe.'],
    ['hey @bob', crew, '@Bob is mentioned in the middle of a line. Put a mention at the start of a line'],
    ['hey @bob and @off, @Bob', crew, '@Bob and @Off are mentioned in the middle of a line'],
    ['> @ada said so', crew, '@Ada is mentioned in the middle of a line'],
  ])('%j', (content, agents, why) => {
    expect(explainSilence(content, agents)).toContain(`No agent will answer: ${why}`);
  });

  it('returns nothing for a message to people only', () => {
    for (const agents of [crew, []]) expect(explainSilence('@human look, ask @bob', agents)).toBeUndefined();
  });

  it('lists only a few of many names', () => {
    const many = Array.from({ length: 40 }, (_, at) => agent(`A${at}`));
    expect(explainSilence('@ghost', many)).toContain('@A0, @A1, @A2, @A3, @A4 and 35 more.');
  });
});
