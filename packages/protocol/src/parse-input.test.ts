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
  // A schema's own message has priority.
  [{ name: 'a', id: 'x' }, 'world: id: has at least three letters'],
])('[W2] explains what is wrong with %j', (input, sentence) => {
  expect(() => parseInput(schema, input, 'world')).toThrow(sentence);
});
