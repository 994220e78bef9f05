import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;
export type ArgumentCheck = (value: unknown) => { ok: true; value: unknown } | { ok: false; error: string };

/** JSON Schema of what a tool accepts, as vendors want it: the schema of the input, before defaults are filled in. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** A check whose words a model can use: every field that is wrong, by name. */
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

/** The same for a schema that comes as data, from a client or a server of tools. Throws if it is none. */
export function checkWithJsonSchema(schema: JsonSchema): ArgumentCheck {
  return checkWith(z.fromJSONSchema(schema));
}
