import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkWith, checkWithJsonSchema } from './json-schema.js';

const schema = z.strictObject({
  command: z.string(),
  limit: z.int().max(5).exactOptional(),
  paths: z.array(z.string()),
});

it('[TURN11] explains every invalid argument in plain English', () => {
  const wrong = { limit: 9, paths: ['a', 1], x: 1, y: 2 };
  const error =
    'command: is missing; limit: must be at most 5; paths[1]: must be text; x: is not a known field; y: is not a known field';
  expect(checkWith(schema)(wrong)).toEqual({ ok: false, error });
  const listed = checkWithJsonSchema({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
  expect(listed({})).toEqual({ ok: false, error: 'a: is missing' });
  expect(listed({ a: 1 })).toEqual({ ok: false, error: 'a: must be text' });
});
