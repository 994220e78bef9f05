import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;
export type ArgumentCheck = (value: unknown) => { ok: true; value: unknown } | { ok: false; error: string };

/** The JSON Schema of a tool's input, before defaults are filled in, as vendors expect it. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** Validates arguments and reports every invalid field by name, for models. */
export function checkWith(schema: z.ZodType): ArgumentCheck {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { ok: true, value: parsed.data };
    const words = parsed.error.issues.slice(0, 10).map(({ path, message }) => {
      return path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
    });
    return { ok: false, error: words.join('; ') };
  };
}

/** Like `checkWith`, for a JSON Schema from a client or MCP server. Throws if the schema is invalid. */
export function checkWithJsonSchema(schema: JsonSchema): ArgumentCheck {
  return checkWith(z.fromJSONSchema(schema));
}
