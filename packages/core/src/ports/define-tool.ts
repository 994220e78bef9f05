import {
  checkWith,
  inProcess,
  parseInput,
  toolDefinitionSchema,
  type CallSandbox,
  type Preview,
  type Question,
  type Subject,
  type ToolApproval,
} from '@countersign/protocol';
import { checkToolInput } from './check-tool-input.js';
import type { OpenedToSandbox, ToolContext, ToolPlace, TypedTool } from './tool.js';

type Schema = Parameters<typeof checkWith>[0];
type ValueOf<S extends Schema> = S['_zod']['output'];
type GivenTo<S extends Schema> = S['_zod']['input'];

/** A tool as its author writes it. */
export interface ToolInput<S extends Schema, Name extends string = string> {
  name: Name;
  description: string;
  /** A zod object. The model sees it as JSON Schema; `execute` gets the parsed value. */
  parameters: S;
  readOnly?: boolean;
  idempotent?: boolean;
  approval?: ToolApproval;
  unconfined?: boolean;
  sandbox?(opened: OpenedToSandbox): CallSandbox;
  subjects?(args: ValueOf<S>, place: ToolPlace): readonly Subject[];
  look?(args: ValueOf<S>, place: ToolPlace): Promise<readonly Subject[]>;
  contained?(args: ValueOf<S>, place: ToolPlace): boolean;
  fingerprint?(args: ValueOf<S>, place: ToolPlace): Promise<string>;
  preview?(args: ValueOf<S>, place: ToolPlace): Promise<string | Preview>;
  question?(args: ValueOf<S>): Question;
  execute(args: ValueOf<S>, context: ToolContext): unknown;
}

const KEYS: Record<keyof ToolInput<Schema>, true> = {
  name: true,
  description: true,
  parameters: true,
  readOnly: true,
  idempotent: true,
  approval: true,
  unconfined: true,
  sandbox: true,
  subjects: true,
  look: true,
  contained: true,
  fingerprint: true,
  preview: true,
  question: true,
  execute: true,
};

/**
 * Creates a tool that runs in this process. Its calls run without approval unless it has `approval: { required: true }`. Throws `invalid` with
 * the field name for an invalid definition, including unknown keys: a misspelled `approval` would skip the approval.
 */
export function defineTool<S extends Schema, const Name extends string = string>(
  input: ToolInput<S, Name>,
): TypedTool<Name, GivenTo<S>> {
  const parameters = checkToolInput(input, KEYS);
  const definition = parseInput(
    toolDefinitionSchema,
    {
      name: input.name,
      description: input.description,
      parameters,
      location: 'server',
      ...(input.readOnly === undefined ? {} : { readOnly: input.readOnly }),
      ...(input.idempotent === undefined ? {} : { idempotent: input.idempotent }),
      ...(input.approval === undefined ? {} : { approval: input.approval }),
    },
    `tool "${input.name}"`,
  );
  const check = checkWith(input.parameters);
  // The runtime passes only values returned by `check`, which have the schema's type.
  const typed = (value: unknown): ValueOf<S> => value;
  return {
    definition: { ...definition, name: input.name },
    trusted: true,
    validate: check,
    ...(input.unconfined === undefined ? {} : { unconfined: input.unconfined }),
    ...(input.sandbox === undefined ? {} : { sandbox: (opened) => input.sandbox?.(opened) ?? inProcess('unknown') }),
    ...(input.subjects === undefined ? {} : { subjects: (args, place) => input.subjects?.(typed(args), place) ?? [] }),
    ...(input.look === undefined
      ? {}
      : { look: async (args, place) => (await input.look?.(typed(args), place)) ?? [] }),
    ...(input.contained === undefined
      ? {}
      : { contained: (args, place) => input.contained?.(typed(args), place) === true }),
    ...(input.fingerprint === undefined
      ? {}
      : { fingerprint: async (args, place) => (await input.fingerprint?.(typed(args), place)) ?? '' }),
    ...(input.preview === undefined
      ? {}
      : { preview: async (args, place) => (await input.preview?.(typed(args), place)) ?? '' }),
    ...(input.question === undefined ? {} : { question: (args) => askOf(input, typed(args)) }),
    execute: async (args, context) => await input.execute(typed(args), context),
  };
}

function askOf<S extends Schema>(input: ToolInput<S>, args: ValueOf<S>): Question {
  return input.question?.(args) ?? { text: '', choices: [] };
}
