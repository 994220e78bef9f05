import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse-input.js';

const schema = z.strictObject({
  name: z.string().min(1),
  mode: z.enum(['read', 'ask']).exactOptional(),
  count: z.number().int().exactOptional(),
  tools: z.array(z.string()).exactOptional(),
  on: z.boolean().exactOptional(),
  id: z.string().min(3, 'has at least three letters').exactOptional(),
  heat: z.number().min(0).max(2).exactOptional(),
  share: z.number().positive().exactOptional(),
  title: z.string().max(5).exactOptional(),
  url: z.url().exactOptional(),
  agents: z
    .array(z.strictObject({ name: z.string() }))
    .max(1)
    .exactOptional(),
});

it.each([
  [{}, 'world: name: is missing'],
  [undefined, 'world: is missing'],
  ['text', 'world: must be an object'],
  [{ name: '' }, 'world: name: must not be empty'],
  [{ name: 5 }, 'world: name: must be text'],
  [{ name: 'a', mode: 'auto' }, 'world: mode: must be one of read, ask'],
  [{ name: 'a', count: 'x' }, 'world: count: must be a number'],
  [{ name: 'a', count: 1.5 }, 'world: count: must be a whole number'],
  [{ name: 'a', tools: 'x' }, 'world: tools: must be a list'],
  [{ name: 'a', on: 'yes' }, 'world: on: must be true or false'],
  [{ name: 'a', heat: 3 }, 'world: heat: must be at most 2'],
  [{ name: 'a', heat: -1 }, 'world: heat: must be at least 0'],
  [{ name: 'a', share: 0 }, 'world: share: must be more than 0'],
  [{ name: 'a', title: 'too long' }, 'world: title: must have at most 5 characters'],
  [{ name: 'a', url: 'nowhere' }, 'world: url: must be a valid URL'],
  [{ name: 'a', colour: 'red' }, 'world: colour: is not a known field'],
  [{ name: 'a', agents: [{ name: 'a' }, { name: 'b' }] }, 'world: agents: must have at most 1 item'],
  [{ name: 'a', agents: [{}] }, 'world: agents[0].name: is missing'],
  [{ name: 'a', agents: [{ name: 'a', x: 1 }] }, 'world: agents[0].x: is not a known field'],
  // A schema's own message takes precedence.
  [{ name: 'a', id: 'x' }, 'world: id: has at least three letters'],
])('[HTTP1] explains what is wrong with %j', (input, sentence) => {
  expect(() => parseInput(schema, input, 'world')).toThrow(sentence);
});

it('[HTTP1] reports the field as a path with dots', () => {
  expect(() => parseInput(schema, { name: 'a', agents: [{}] }, 'world')).toThrow(
    expect.objectContaining({ field: 'agents.0.name' }) as Error,
  );
});
