import type { JsonSchema } from '@countersign/protocol';

/** The parts of a zod 3 schema that we read, because zod 3 can't generate JSON Schema itself. */
interface Zod3 {
  readonly _def: Readonly<Record<string, unknown>> & { readonly typeName: string };
  readonly description?: string;
}

export function isZod3(value: unknown): value is Zod3 {
  const def: unknown = isRecord(value) ? value['_def'] : undefined;
  return isRecord(def) && typeof def['typeName'] === 'string' && def['typeName'].startsWith('Zod');
}

/**
 * The JSON Schema of the values that a zod 3 schema accepts. Limits such as a maximum length are omitted; zod still checks them. Throws for
 * other types.
 */
export function zod3JsonSchema(schema: unknown): JsonSchema {
  if (!isZod3(schema)) throw new Error('not a zod 3 schema');
  const written = write(schema);
  return schema.description === undefined ? written : { ...written, description: schema.description };
}

function write({ _def: def }: Zod3): JsonSchema {
  switch (def.typeName) {
    case 'ZodString':
      return { type: 'string' };
    case 'ZodNumber':
      return {
        type: listOf(def['checks']).some((check) => isRecord(check) && check['kind'] === 'int') ? 'integer' : 'number',
      };
    case 'ZodBoolean':
      return { type: 'boolean' };
    case 'ZodNull':
      return { type: 'null' };
    case 'ZodAny':
    case 'ZodUnknown':
      return {};
    case 'ZodLiteral':
      return { const: def['value'] };
    case 'ZodEnum':
      return { enum: listOf(def['values']) };
    case 'ZodArray':
      return { type: 'array', items: zod3JsonSchema(def['type']) };
    case 'ZodRecord':
      return { type: 'object', additionalProperties: zod3JsonSchema(def['valueType']) };
    case 'ZodUnion':
    case 'ZodDiscriminatedUnion':
      return { anyOf: listOf(def['options']).map(zod3JsonSchema) };
    case 'ZodNullable':
      return { anyOf: [zod3JsonSchema(def['innerType']), { type: 'null' }] };
    case 'ZodOptional':
    case 'ZodDefault':
    case 'ZodReadonly':
    case 'ZodCatch':
      return zod3JsonSchema(def['innerType']);
    case 'ZodBranded':
      return zod3JsonSchema(def['type']);
    case 'ZodEffects':
      return zod3JsonSchema(def['schema']);
    case 'ZodPipeline':
      return zod3JsonSchema(def['in']);
    case 'ZodObject':
      return writeObject(def);
    default:
      throw new Error(`JSON Schema can't be derived from a ${def.typeName}`);
  }
}

function writeObject({ shape, unknownKeys, catchall }: Zod3['_def']): JsonSchema {
  const found: unknown = typeof shape === 'function' ? (shape as () => unknown)() : shape;
  const members = Object.entries(isRecord(found) ? found : {});
  const required = members.filter(([, member]) => !mayBeMissing(member)).map(([name]) => name);
  const isOpen = unknownKeys === 'passthrough' || (isZod3(catchall) && catchall._def.typeName !== 'ZodNever');
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, zod3JsonSchema(member)])),
    ...(required.length === 0 ? {} : { required }),
    ...(unknownKeys === 'strict' ? { additionalProperties: false } : {}),
    ...(isOpen ? { additionalProperties: {} } : {}),
  };
}

function mayBeMissing(schema: unknown): boolean {
  if (!isZod3(schema)) return false;
  const { typeName, innerType, schema: inner } = schema._def;
  if (typeName === 'ZodOptional' || typeName === 'ZodDefault' || typeName === 'ZodCatch') return true;
  if (typeName === 'ZodNullable' || typeName === 'ZodReadonly') return mayBeMissing(innerType);
  return typeName === 'ZodEffects' && mayBeMissing(inner);
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value instanceof Map ? [...value.values()] : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
