import {
  checkWith,
  checkWithJsonSchema,
  toJsonSchema,
  type ArgumentCheck,
  type JsonSchema,
} from '@countersign/protocol';
import { errorMessage } from '../error-message.js';
import { isZod3, zod3JsonSchema } from './zod3-json-schema.js';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
type Validated = { readonly value: unknown; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** A schema from zod, Valibot, ArkType or any other library that implements Standard Schema (https://standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What every library that implements Standard Schema provides. */
  readonly '~standard': {
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    /** Validates a value and returns the converted value. Must not be asynchronous. */
    readonly validate: (value: unknown) => Validated | Promise<Validated>;
    /** The types before and after conversion; only for TypeScript. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Generates the JSON Schema for the input. */
    readonly jsonSchema?:
      | { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> }
      | undefined;
  };
}

/** A JSON Schema for an object. TypeScript can't derive the type of its arguments. */
export interface ObjectJsonSchema {
  /** A tool's arguments are always an object. */
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

/** A tool's parameters: a Standard Schema or JSON Schema for an object. */
// oxlint-disable-next-line typescript/no-explicit-any -- every schema, whatever its types
export type ToolSchema = StandardSchema<any, any> | ObjectJsonSchema;

/** The type of arguments before conversion, as the model sends them. */
export type InputOf<S> =
  S extends StandardSchema<infer Input, unknown> ? Input : S extends ObjectJsonSchema ? Record<string, unknown> : never;
/** The type of arguments after conversion, as `execute` gets them. */
export type OutputOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Record<string, unknown>;

export type ReadSchema = { ok: true; json: JsonSchema; check: ArgumentCheck } | { ok: false; problem: string };

const EXPECTED =
  'must be the schema of an object, such as z.object({ path: z.string() }): a Standard Schema (zod, Valibot, ArkType) or JSON Schema';

/** The JSON Schema that models get, and the validator for their arguments. */
export function readToolSchema(parameters: unknown): ReadSchema {
  if (!isSchema(parameters)) return { ok: false, problem: EXPECTED };
  try {
    const { json, check } = read(parameters);
    return json['type'] === 'object' ? { ok: true, json, check } : { ok: false, problem: EXPECTED };
  } catch (error) {
    return { ok: false, problem: `${EXPECTED}. ${errorMessage(error)}` };
  }
}

type Zod4 = Parameters<typeof toJsonSchema>[0];

function read(schema: object): { json: JsonSchema; check: ArgumentCheck } {
  if (isZod4(schema)) return { json: toJsonSchema(schema), check: checkWith(schema) };
  if (isStandard(schema)) return { json: jsonSchemaOf(schema), check: checkWithStandard(schema) };
  const json: JsonSchema = { ...schema };
  return { json, check: checkWithJsonSchema(json) };
}

function jsonSchemaOf(schema: StandardSchema): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema !== undefined) {
    const { $schema: _, ...json } = jsonSchema.input({ target: 'draft-2020-12' });
    return json;
  }
  if (isZod3(schema)) return zod3JsonSchema(schema);
  throw new Error(
    vendor === 'valibot'
      ? 'Valibot needs an extra package to produce JSON Schema: wrap the schema in toStandardJsonSchema from @valibot/to-json-schema.'
      : `This ${vendor} schema can't be converted to JSON Schema. Pass JSON Schema instead.`,
  );
}

const NOT_CHECKED = 'the schema of this tool is asynchronous, so its arguments could not be checked';

/** Reports every invalid field by name, for models. Rejects anything that can't be validated. */
function checkWithStandard(schema: StandardSchema): ArgumentCheck {
  return (value) => {
    let result: Validated | Promise<Validated>;
    try {
      result = schema['~standard'].validate(value);
    } catch (error) {
      return { ok: false, error: errorMessage(error) };
    }
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return { ok: false, error: NOT_CHECKED };
    }
    // A promise from another library has no value yet, so the tool would run without the approved arguments.
    if (result.issues === undefined)
      return 'value' in result ? { ok: true, value: result.value } : { ok: false, error: NOT_CHECKED };
    return { ok: false, error: result.issues.slice(0, 10).map(describe).join('; ') };
  };
}

function describe({ message, path = [] }: Issue): string {
  const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return at === '' ? message : `${at}: ${message}`;
}

function isZod4(value: object): value is Zod4 {
  return '_zod' in value;
}

function isStandard(value: object): value is StandardSchema {
  return '~standard' in value;
}

/** ArkType's schemas are functions. */
function isSchema(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
