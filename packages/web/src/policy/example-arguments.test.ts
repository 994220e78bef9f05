import { describe, expect, it } from 'vitest';
import { exampleArguments } from './example-arguments.js';

describe('example arguments', () => {
  it('contain the required arguments of a tool', () => {
    const parameters = {
      type: 'object',
      properties: { path: { type: 'string' }, count: { type: 'integer' }, deep: { type: 'boolean' } },
      required: ['path', 'count'],
    };
    expect(JSON.parse(exampleArguments({ parameters }))).toEqual({ path: '', count: 0 });
  });

  it('are empty if the tool has no schema', () => {
    expect(exampleArguments(undefined)).toBe('{}');
    expect(exampleArguments({ parameters: { required: 'x' } })).toBe('{}');
  });
});
