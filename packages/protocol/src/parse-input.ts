import type { z } from 'zod';
import { CountersignError } from './errors.js';

/** Parses external input. An error is one sentence that names the field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, what: string): z.output<S> {
  return parse(schema, input, what, `${what}: `);
}

/** Parses part of a request. Errors name the part only if there is no field, because the part means nothing to people. */
export function parseRequest<S extends z.ZodType>(schema: S, input: unknown, part: 'query' | 'body'): z.output<S> {
  return parse(schema, input, part, '');
}

function parse<S extends z.ZodType>(schema: S, input: unknown, what: string, beforeField: string): z.output<S> {
  const parsed = read(schema, input, what);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...keys].map(String).join('.');
  const sentence = issue?.message ?? 'is invalid';
  throw new CountersignError('invalid', field === '' ? `${what}: ${sentence}` : `${beforeField}${field}: ${sentence}`, {
    ...(field === '' ? {} : { field }),
    cause: parsed.error,
  });
}

/** A getter or proxy may throw during parsing; that is invalid input too. */
function read<S extends z.ZodType>(schema: S, input: unknown, what: string): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(input, { error: inPlainWords });
  } catch (cause) {
    throw new CountersignError('invalid', `${what}: is unreadable`, { cause });
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

/** Messages for people, if a schema has none of its own. Undefined: use zod's. */
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
