import { z } from 'zod';
import { plainMessage, formatPath } from './parse-input.js';

export type JsonSchema = Record<string, unknown>;
export type ArgumentCheck = (value: unknown) => { ok: true; value: unknown } | { ok: false; error: string };

/** The JSON Schema of a tool's input, before defaults are filled in, in the form that vendors expect. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** Validates arguments and reports every invalid field by name. The error message is for the model. */
export function checkWith(schema: z.ZodType): ArgumentCheck {
  return (value) => {
    const parsed = schema.safeParse(value, { error: plainMessage });
    if (parsed.success) return { ok: true, value: parsed.data };
    const words = parsed.error.issues.flatMap((issue) => {
      const paths = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
      return paths.map((path) => (path.length === 0 ? issue.message : `${formatPath(path)}: ${issue.message}`));
    });
    return { ok: false, error: words.slice(0, 10).join('; ') };
  };
}

/** Like `checkWith`, for a JSON Schema from a client or MCP server. Throws if the schema is invalid. */
export function checkWithJsonSchema(schema: JsonSchema): ArgumentCheck {
  return checkWith(z.fromJSONSchema(schema));
}
