import { defineTool, type ToolContext, type ToolSchema, type TypedTool } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { isObject } from '../options/check-input.js';

/** The parts of an AI SDK tool that we use (`tool({ … })` from the package `ai`, version 6 or 7). */
export interface AiSdkTool {
  /** Absent or `function` for tools that run in your program. */
  readonly type?: string | undefined;
  /** What the tool does, for the model. */
  readonly description?: unknown;
  /** The schema of its arguments. */
  readonly inputSchema: unknown;
  /** If false, calls run without approval. With any other value, including a function, calls need approval unless a rule allows them. */
  readonly needsApproval?: unknown;
  /** Runs the tool, after approval. */
  // oxlint-disable-next-line typescript/no-explicit-any -- accepts tools with any input type
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
}

/** In version 6, a tool is a union, and only one of its members has `execute`: the others must not widen the type to `unknown`. */
type InputOfMember<T> = T extends { readonly execute?: infer Execute }
  ? [NonNullable<Execute>] extends [never]
    ? never
    : NonNullable<Execute> extends (input: infer Input, ...rest: never[]) => unknown
      ? Input
      : never
  : never;
type InputOfAi<T> = [InputOfMember<T>] extends [never] ? unknown : InputOfMember<T>;

/** The same tools with their names and argument types. */
export type FromAiSdk<T> = { [Name in keyof T & string]: TypedTool<Name, InputOfAi<T[Name]>> }[keyof T & string];

/**
 * Converts AI SDK tools. Every call needs approval, unless the tool has `needsApproval: false` or a rule allows it. Throws `invalid` for tools
 * that the vendor runs and for tools without `execute`.
 */
export function fromAiSdk<const T extends Readonly<Record<string, AiSdkTool>>>(tools: T): FromAiSdk<T>[] {
  if (!isObject(tools) || Array.isArray(tools))
    throw wrong('tools', 'must be an object that maps names to AI SDK tools');
  return Object.entries(tools).map(([name, tool]) => convert(name, tool));
}

function convert(name: string, tool: AiSdkTool): TypedTool {
  if (!isObject(tool)) throw wrong(name, 'must be an AI SDK tool');
  const { type = 'function', description, needsApproval, execute } = tool;
  if (type !== 'function' && type !== 'dynamic')
    throw wrong(name, 'is run by its vendor, so its calls cannot wait for approval');
  if (typeof execute !== 'function') throw wrong(name, 'has no execute function');
  const { parameters, validate } = schemaOf(name, tool.inputSchema);
  return defineTool({
    name,
    description: typeof description === 'string' ? description : '',
    parameters,
    approval: { required: needsApproval !== false },
    execute: async (input, context) => await last(execute.call(tool, await validate(input), optionsOf(context))),
  });
}

/** The conversation isn't passed on: a tool gets only what a person approved. */
function optionsOf({ invocationId, signal }: ToolContext): Record<string, unknown> {
  return { toolCallId: invocationId, messages: [], abortSignal: signal, context: {} };
}

/** A tool may yield preliminary results; the last one counts. */
async function last(result: unknown): Promise<unknown> {
  const value: unknown = await result;
  if (!isObject(value) || !(Symbol.asyncIterator in value)) return value;
  let latest: unknown;
  for await (const each of value as AsyncIterable<unknown>) latest = each;
  return latest;
}

interface AiSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

/**
 * Schemas from other libraries are used unchanged. A schema from `jsonSchema()` or `zodSchema()` includes its own JSON Schema and its own validation,
 * which may be asynchronous and runs before `execute`.
 */
function schemaOf(name: string, given: unknown): { parameters: ToolSchema; validate: (input: unknown) => unknown } {
  const schema: unknown = typeof given === 'function' && !('~standard' in given) ? (given as () => unknown)() : given;
  if (!isAiSchema(schema)) return { parameters: schema as ToolSchema, validate: (input) => input };
  const { jsonSchema, validate } = schema;
  if (!isObject(jsonSchema) || 'then' in jsonSchema) {
    throw wrong(name, 'loads its schema asynchronously. Pass a zod schema, or jsonSchema() with an object');
  }
  return {
    parameters: { type: 'object', ...jsonSchema },
    validate: async (input) => (validate === undefined ? input : valueOf(await validate(input))),
  };
}

function isAiSchema(value: unknown): value is AiSchema {
  return isObject(value) && 'jsonSchema' in value && !('~standard' in value);
}

function valueOf(result: unknown): unknown {
  if (isObject(result) && 'success' in result && result.success === true && 'value' in result) return result.value;
  throw isObject(result) && 'error' in result && result.error instanceof Error
    ? result.error
    : new Error('the arguments are invalid');
}

function wrong(field: string, problem: string): CountersignError {
  return new CountersignError('invalid', `fromAiSdk: ${field}: ${problem}`, { field });
}
