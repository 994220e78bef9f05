import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

type Schema = Parameters<jsonSchemaValidator['getValidator']>[0];
export type ArgumentCheck = (
  value: Record<string, unknown>,
) => { ok: true; value: unknown } | { ok: false; error: string };

/**
 * Validates data against schemas written by servers. Never runs their regular expressions: a malicious one could block this process for hours.
 * The server checks its patterns itself.
 */
export function createSchemaChecker(): jsonSchemaValidator {
  const ajv = new AjvJsonSchemaValidator();
  return { getValidator: (schema) => ajv.getValidator(withoutPatterns(schema)) };
}

/** Validates arguments, with errors that the model can act on. Passes arguments on unchanged: the server gets exactly what was approved. */
export function checkArguments(checker: jsonSchemaValidator, schema: Schema): ArgumentCheck {
  let check: ReturnType<jsonSchemaValidator['getValidator']> | undefined;
  return (value) => {
    try {
      check ??= checker.getValidator(schema);
    } catch {
      // This schema can't be used; the server reports invalid calls itself.
      return { ok: true, value };
    }
    const verdict = check(value);
    return verdict.valid ? { ok: true, value } : { ok: false, error: verdict.errorMessage.slice(0, 2_000) };
  };
}

const HOLDS_SCHEMAS_BY_NAME = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const HOLDS_DATA = new Set(['enum', 'const', 'default', 'examples', 'required']);
const LEFT_OUT = new Set(['pattern', 'patternProperties', 'format']);
/** Keywords that would reject properties allowed by `patternProperties`, which was removed. */
const CLOSES = new Set(['additionalProperties', 'unevaluatedProperties']);

function withoutPatterns(schema: Schema): Schema {
  return strip(schema) as Schema;
}

function strip(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strip);
  if (typeof schema !== 'object' || schema === null) return schema;
  const open = Object.hasOwn(schema, 'patternProperties');
  const kept = Object.entries(schema).filter(([key]) => !LEFT_OUT.has(key) && !(open && CLOSES.has(key)));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (HOLDS_DATA.has(key)) return [key, value];
      return [key, HOLDS_SCHEMAS_BY_NAME.has(key) ? stripNamed(value) : strip(value)];
    }),
  );
}

function stripNamed(schemas: unknown): unknown {
  if (typeof schemas !== 'object' || schemas === null || Array.isArray(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, strip(schema)]));
}
