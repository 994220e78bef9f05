import { expect, it } from 'vitest';
import { checkArguments, createSchemaChecker } from './check-schema.js';

const check = (schema: Record<string, unknown>, value: Record<string, unknown>) =>
  checkArguments(createSchemaChecker(), { type: 'object', ...schema })(value);

it('[TURN11.1] names the field in its error messages', () => {
  const schema = { properties: { a: { type: 'number' } }, required: ['a'] };
  expect(check(schema, { a: 1 })).toEqual({ ok: true, value: { a: 1 } });
  expect(check(schema, {})).toMatchObject({ ok: false, error: expect.stringContaining("'a'") as string });
  expect(check(schema, { a: 'x' })).toMatchObject({ ok: false, error: expect.stringContaining('number') as string });
});

it('[CALL7] passes arguments on unchanged: adds no defaults and removes nothing', () => {
  const args = { extra: [1, { deep: true }] };
  expect(check({ properties: { a: { default: 5 } } }, args)).toEqual({ ok: true, value: args });
});

it('never runs a regex from a schema, and still accepts an argument named "pattern"', () => {
  const evil = { properties: { text: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'number' } } };
  expect(check(evil, { text: `${'a'.repeat(50)}!`, pattern: 1 }).ok).toBe(true);
  expect(check(evil, { pattern: 'no number' }).ok).toBe(false);
  const open = { patternProperties: { '^(b+)+$': {} }, additionalProperties: false };
  expect(check(open, { [`${'b'.repeat(50)}!`]: 1 }).ok).toBe(true);
});

it('lets the server check arguments if its schema is invalid', () => {
  expect(check({ $ref: 'https://elsewhere.invalid/schema.json' }, { a: 1 })).toEqual({ ok: true, value: { a: 1 } });
});

it.each(['http://json-schema.org/draft-07/schema#', 'https://json-schema.org/draft/2020-12/schema'])(
  'reads %s',
  ($schema) => {
    expect(check({ $schema, properties: { a: { type: 'string' } } }, { a: 1 }).ok).toBe(false);
  },
);
