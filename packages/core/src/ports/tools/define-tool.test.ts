import { CountersignError } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.js';

const fits = { name: 'remove', description: 'd', parameters: z.object({ path: z.string() }), execute: () => 'gone' };

/** Input from a program without a type checker. */
function refusalOf(more: Record<string, unknown>): string {
  try {
    defineTool({ ...fits, ...more });
  } catch (error) {
    return error instanceof CountersignError ? error.message : `failed otherwise: ${String(error)}`;
  }
  return 'not refused';
}

describe('[CALL1.2] [CALL15] defineTool rejects', () => {
  it.each([
    [
      { needsApproval: true },
      'tool "remove": unknown key "needsApproval". Write approval: { required: true } instead.',
    ],
    [{ requires_approval: true }, 'Write approval: { required: true } instead.'],
    [{ Approval: { required: true } }, 'unknown key "Approval". Write approval instead.'],
    [{ readonly: false }, 'unknown key "readonly". Write readOnly instead.'],
    [{ inputSchema: {} }, 'Write parameters instead.'],
    [{ colour: 'red' }, 'unknown key "colour". Known keys: name, description, parameters'],
    [{ approval: true }, 'approval: must be an object: approval: { required: true }'],
    [{ approval: { require: true } }, 'tool "remove": approval: unknown key "require". Known keys: required, message'],
    [{ approval: { required: true, always: true } }, 'approval: unknown key "always"'],
    [{ approval: {} }, 'approval.required'],
  ])('%o', (more, sentence) => expect(refusalOf(more)).toContain(sentence));

  it.each([
    ['text', z.string()],
    ['a list', z.array(z.string())],
    ['one of two', z.union([z.object({ a: z.string() }), z.string()])],
    ['a date', z.object({ at: z.date() })],
    ['JSON Schema of text', { type: 'string' }],
    ['JSON Schema with an unknown type', { type: 'object', properties: { a: { type: 'colour' } } }],
    ['nothing', undefined],
  ])('parameters that are %s', (_, parameters) => {
    expect(refusalOf({ parameters })).toContain(
      'parameters: must be the schema of an object, such as z.object({ path: z.string() })',
    );
  });

  it.each(['Remove {file}?', 'Remove {path.name}?', 'Remove {Path}?', 'Remove {constructor}?'])(
    'the message "%s"',
    (message) => {
      expect(refusalOf({ approval: { required: true, message } })).toMatch(
        /approval\.message: \{[^}]+\} is not an argument of this tool\. It has: path/,
      );
    },
  );
});

describe('[CALL1.2] defineTool accepts', () => {
  const place = z.object({ to: z.object({ host: z.string() }), list: z.array(z.string()), any: z.unknown() });
  it.each([
    ['Remove {path}?', fits.parameters],
    ['{to.host} {list.0} {any.thing} { to } {}', place],
    ['{whatever}', z.record(z.string(), z.string())],
    ['{more}', z.looseObject({})],
    ['{a.b}', z.object({ 'a.b': z.string() })],
  ])('the message "%s"', (message, parameters) => {
    expect(refusalOf({ parameters, approval: { required: true, message } })).toBe('not refused');
  });
});

it('[LIB4.1] refuses every call if the schema returns no value yet, such as a promise of another library', () => {
  const results = [Promise.resolve({ value: 1 }), {}];
  for (const result of results) {
    const parameters = {
      '~standard': {
        version: 1,
        vendor: 'other',
        validate: () => result as Promise<{ value: unknown }>,
        jsonSchema: { input: () => ({ type: 'object' }) },
      },
    } as const;
    const tool = defineTool({ ...fits, parameters });
    expect(tool.validate?.({ path: 'a' }).ok).toBe(false);
  }
});

it('passes rehearsals through, with checked arguments', async () => {
  const dropped: string[] = [];
  const tool = defineTool({
    ...fits,
    rehearsals: {
      rehearse: async ({ path }, { invocationId }) => ({
        fingerprint: `${path} of ${invocationId}`,
        effect: { files: [], leftOut: [], effectHash: '', exitCode: 0, output: '', truncated: false },
      }),
      drop: async (id) => void dropped.push(id),
      list: async () => ['call_1'],
    },
  });
  const context = { worldId: 'w', agentId: 'a', chatId: 'c', invocationId: 'call_1', workingDirectory: '/' };
  const signal = new AbortController().signal;
  const found = await tool.rehearsals?.rehearse({ path: 'notes.txt' }, { ...context, signal });
  expect(found?.fingerprint).toBe('notes.txt of call_1');
  await tool.rehearsals?.drop('call_1');
  expect(dropped).toEqual(await tool.rehearsals?.list());
  expect(defineTool(fits).rehearsals).toBeUndefined();
});
