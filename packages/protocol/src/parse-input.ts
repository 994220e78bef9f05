import type { z } from 'zod';
import { CountersignError } from './errors.js';

/** Parses what came from outside; a misfit is one sentence that names the field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, what: string): z.output<S> {
  return parse(schema, input, what, `${what}: `);
}

/** Parses part of a request. Which part a field was in tells a person nothing, so it is said only of what has no field. */
export function parseRequest<S extends z.ZodType>(schema: S, input: unknown, part: 'query' | 'body'): z.output<S> {
  return parse(schema, input, part, '');
}

function parse<S extends z.ZodType>(schema: S, input: unknown, what: string, beforeField: string): z.output<S> {
  const parsed = read(schema, input, what);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...keys].map(String).join('.');
  const sentence = issue?.message ?? 'does not fit';
  throw new CountersignError('invalid', field === '' ? `${what}: ${sentence}` : `${beforeField}${field}: ${sentence}`, {
    ...(field === '' ? {} : { field }),
    cause: parsed.error,
  });
}

/** A getter or a proxy may throw while it is looked at; that is a misfit like any other. */
function read<S extends z.ZodType>(schema: S, input: unknown, what: string): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(input, { error: inPlainWords });
  } catch (cause) {
    throw new CountersignError('invalid', `${what}: can't be read`, { cause });
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** For people who wrote a file or a command, where a schema has no words of its own. Undefined: zod's. */
function inPlainWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'is missing';
    const kind = KINDS[issue.expected];
    return kind === undefined ? undefined : `must be ${kind}`;
  }
  if (issue.code === 'invalid_value') {
    return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.map(String).join(', ')}`;
  }
  const isEmpty = issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1;
  return isEmpty ? 'must not be empty' : undefined;
}
