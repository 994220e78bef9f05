import type { z } from 'zod';
import { CountersignError } from './errors.js';

/** Parses external input. An error is one sentence that names the field. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown, what: string): z.output<S> {
  return parse(schema, input, what, `${what}: `);
}

/** Parses part of a request. Errors name the part only if no field is involved, because the part means nothing to people. */
export function parseRequest<S extends z.ZodType>(schema: S, input: unknown, part: 'query' | 'body'): z.output<S> {
  return parse(schema, input, part, '');
}

function parse<S extends z.ZodType>(schema: S, input: unknown, what: string, beforeField: string): z.output<S> {
  const parsed = read(schema, input, what);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...keys];
  const field = path.map(String).join('.');
  const sentence = issue?.message ?? 'is invalid';
  const where = field === '' ? what : `${beforeField}${formatPath(path)}`;
  throw new CountersignError('invalid', `${where}: ${sentence}`, {
    ...(field === '' ? {} : { field }),
    cause: parsed.error,
  });
}

/** `agents[0].name` */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`))
    .join('');
}

/** Parses the input. If a getter or proxy throws, the input is invalid too. */
function read<S extends z.ZodType>(schema: S, input: unknown, what: string): z.ZodSafeParseResult<z.output<S>> {
  try {
    return schema.safeParse(input, { error: plainMessage });
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

/** User-facing messages for schemas without their own. Returns undefined to use zod's message. */
export function plainMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'is missing';
    const kind = KINDS[issue.expected];
    return kind === undefined ? undefined : `must be ${kind}`;
  }
  if (issue.code === 'invalid_value') {
    return issue.input === undefined ? 'is missing' : `must be one of ${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'unrecognized_keys') return 'is not a known field';
  if (issue.code === 'invalid_key') return 'is not a valid name';
  if (issue.code === 'invalid_format' && issue.format === 'url') return 'must be a valid URL';
  if (issue.code === 'too_small') {
    if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
    return limitText(issue.origin, 'at least', issue.minimum, issue.inclusive);
  }
  return issue.code === 'too_big' ? limitText(issue.origin, 'at most', issue.maximum, issue.inclusive) : undefined;
}

/** `must be at most 2`, `must have at most 64 characters`. Undefined for types that no schema limits. */
function limitText(
  origin: string,
  bound: 'at least' | 'at most',
  limit: number | bigint,
  inclusive = true,
): string | undefined {
  if (origin === 'number' || origin === 'int') {
    const exclusive = bound === 'at least' ? 'more than' : 'less than';
    return `must be ${inclusive ? bound : exclusive} ${limit}`;
  }
  const unit = UNITS[origin];
  return unit === undefined ? undefined : `must have ${bound} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };
