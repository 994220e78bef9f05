import {
  CountersignError,
  MESSAGE_FIELD,
  refuseUnknownKeys,
  toolApprovalSchema,
  type ArgumentCheck,
  type JsonSchema,
} from '@countersign/protocol';
import { readToolSchema } from './tool-schema.js';

const ASK = 'approval: { required: true }';
/** Names used by other libraries, in lowercase and without `_` and `-`. */
const INSTEAD: Readonly<Record<string, string>> = {
  needsapproval: ASK,
  requiresapproval: ASK,
  requireapproval: ASK,
  approvalrequired: ASK,
  requiresconfirmation: ASK,
  needsconfirmation: ASK,
  confirm: ASK,
  requirehumanapproval: ASK,
  interrupt: ASK,
  inputschema: 'parameters',
  schema: 'parameters',
  args: 'parameters',
  run: 'execute',
  handler: 'execute',
  readonlyhint: 'readOnly',
  idempotenthint: 'idempotent',
};

/**
 * Validates a tool's definition, because not every author uses TypeScript. Returns the JSON Schema of its parameters and the validator for its
 * arguments.
 */
export function checkToolInput(
  input: unknown,
  known: Readonly<Record<string, true>>,
): { json: JsonSchema; check: ArgumentCheck } {
  const given: Record<string, unknown> = typeof input === 'object' ? { ...input } : {};
  const { name, parameters, approval, execute } = given;
  const what = typeof name === 'string' ? `tool "${name}"` : 'tool';
  const refuse = (field: string, must: string): never => {
    throw new CountersignError('invalid', `${what}: ${field}: ${must}`, { field });
  };
  if (typeof name !== 'string') refuse('name', 'must be text');
  refuseUnknownKeys(given, known, what, INSTEAD);
  if (typeof execute !== 'function') refuse('execute', 'must be a function');
  const read = readToolSchema(parameters);
  if (!read.ok) return refuse('parameters', read.problem);
  if (approval !== undefined) {
    if (typeof approval !== 'object' || approval === null) return refuse('approval', `must be an object: ${ASK}`);
    refuseUnknownKeys(approval, toolApprovalSchema.shape, `${what}: approval`);
    if ('message' in approval && typeof approval.message === 'string') {
      const unknown = unknownField(approval.message, read.json);
      const known = Object.keys(asRecord(read.json['properties'])).join(', ') || 'none';
      if (unknown !== undefined)
        refuse('approval.message', `{${unknown}} is not an argument of this tool. It has: ${known}`);
    }
  }
  return read;
}

function unknownField(message: string, schema: JsonSchema): string | undefined {
  const fields = [...message.matchAll(MESSAGE_FIELD)].map(([, path = '']) => path);
  return fields.find((path) => !mayHave(schema, [path]) && !mayHave(schema, path.split('.')));
}

/** False only if a value of this schema never has anything at this path. */
function mayHave(schema: JsonSchema, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  const { type, properties, additionalProperties } = schema;
  if (type !== 'object') return !['string', 'number', 'integer', 'boolean', 'null'].includes(String(type));
  const known = asRecord(properties);
  if (Object.hasOwn(known, key)) return mayHave(asRecord(known[key]), rest);
  return additionalProperties !== undefined && additionalProperties !== false;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
