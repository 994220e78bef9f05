import {
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
import type { InputOf, OutputOf, ToolSchema } from './tool-schema.js';
import type {
  Batches,
  Drafted,
  DraftContext,
  Hold,
  HoldContext,
  OpenedToSandbox,
  Predicted,
  PredictionContext,
  Rehearsal,
  RehearsalContext,
  Rehearsals,
  StandIn,
  ToolContext,
  ToolPlace,
  TypedTool,
  Undos,
} from './tool.js';

/** A tool as its author writes it. */
export interface ToolInput<S extends ToolSchema, Name extends string = string> {
  /** The name by which agents, rules and approvals refer to the tool. */
  name: Name;
  /** What the tool does, for the model. */
  description: string;
  /**
   * An object schema: a Standard Schema (zod, Valibot, ArkType) or JSON Schema. The model sees it as JSON Schema; `execute` gets the converted value.
   */
  parameters: S;
  /** The tool changes nothing, so several calls may run in parallel. Default: false. */
  readOnly?: boolean;
  /** Running a call twice has the same effect as running it once, so a call is run again after a crash. Default: false. */
  idempotent?: boolean;
  /** Whether calls need approval, and how people are asked. Default: no approval. */
  approval?: ToolApproval;
  /** The tool runs programs without a sandbox, so path rules can't be enforced. */
  unconfined?: boolean;
  /** How a call is sandboxed, for the card. Must claim only what it guarantees. */
  sandbox?(opened: OpenedToSandbox, args?: OutputOf<S>): CallSandbox;
  /** The built-in tool whose deny and ask rules apply to the call too. See `Tool.standsFor`. */
  standsFor?(args: OutputOf<S>, place: ToolPlace): StandIn | undefined;
  /** What a call touches (paths, hosts, commands), for rules. Must be a pure function. */
  subjects?(args: OutputOf<S>, place: ToolPlace): readonly Subject[];
  /** Finds what a call touches beyond its arguments, such as the target of a link. Must change nothing. */
  inspect?(args: OutputOf<S>, place: ToolPlace): Promise<readonly Subject[]>;
  /** Whether the call stays inside the working folder and the sandbox (mode `auto`). Must be a pure function. */
  contained?(args: OutputOf<S>, place: ToolPlace): boolean;
  /** What must not change between approval and start, such as the old content of a file. */
  fingerprint?(args: OutputOf<S>, place: ToolPlace): Promise<string>;
  /** Keeps others from changing what the fingerprint stands for, while a call starts and runs. See `Tool.hold`. */
  hold?(args: OutputOf<S>, context: HoldContext): Promise<Hold | undefined>;
  /** What the call would change, for the card. Must change nothing. */
  preview?(args: OutputOf<S>, place: ToolPlace): Promise<string | Preview>;
  /** Runs a call in a draft before people are asked, and keeps it until they decide. See `Rehearsals`. */
  rehearsals?: Omit<Rehearsals, 'rehearse' | 'predict'> & {
    rehearse(args: OutputOf<S>, context: RehearsalContext): Promise<Rehearsal>;
    predict?(args: OutputOf<S>, context: PredictionContext): Promise<Predicted>;
  };
  /** Runs a call in a copy of the folder, so that it can be approved together with others. See `Tool.draft`. */
  draft?(args: OutputOf<S>, context: DraftContext): Promise<Drafted>;
  /** Makes drafts for several calls. See `Batches`. */
  batches?: Batches;
  /** Reverts calls when a person asks for it. See `Undos`. */
  undos?: Undos;
  /** Turns the call into a question for people. Their answer is the result. */
  question?(args: OutputOf<S>): Question;
  /** Runs the call after the gate has allowed it. The model gets the return value, or the error. */
  execute(args: OutputOf<S>, context: ToolContext): unknown;
}

const KEYS: Record<keyof ToolInput<ToolSchema>, true> = {
  name: true,
  description: true,
  parameters: true,
  readOnly: true,
  idempotent: true,
  approval: true,
  unconfined: true,
  sandbox: true,
  standsFor: true,
  subjects: true,
  inspect: true,
  contained: true,
  fingerprint: true,
  hold: true,
  preview: true,
  rehearsals: true,
  draft: true,
  batches: true,
  undos: true,
  question: true,
  execute: true,
};

/**
 * Creates a tool that runs in this process. Its calls run without approval unless it has `approval: { required: true }`. Throws `invalid` with
 * the field name for an invalid definition, including unknown keys: a misspelled `approval` would skip the approval.
 */
export function defineTool<S extends ToolSchema, const Name extends string = string>(
  input: ToolInput<S, Name>,
): TypedTool<Name, InputOf<S>> {
  const { json: parameters, check } = checkToolInput(input, KEYS);
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
  // The runtime passes only values returned by `check`, which have the schema's type.
  const typed = (value: unknown): OutputOf<S> => value as OutputOf<S>;
  return {
    definition: { ...definition, name: input.name },
    trusted: true,
    validate: check,
    ...(input.unconfined === undefined ? {} : { unconfined: input.unconfined }),
    ...(input.sandbox === undefined
      ? {}
      : { sandbox: (opened, args) => input.sandbox?.(opened, typed(args)) ?? inProcess('unknown') }),
    ...(input.standsFor === undefined ? {} : { standsFor: (args, place) => input.standsFor?.(typed(args), place) }),
    ...(input.subjects === undefined ? {} : { subjects: (args, place) => input.subjects?.(typed(args), place) ?? [] }),
    ...(input.inspect === undefined
      ? {}
      : { inspect: async (args, place) => (await input.inspect?.(typed(args), place)) ?? [] }),
    ...(input.contained === undefined
      ? {}
      : { contained: (args, place) => input.contained?.(typed(args), place) === true }),
    ...(input.fingerprint === undefined
      ? {}
      : { fingerprint: async (args, place) => (await input.fingerprint?.(typed(args), place)) ?? '' }),
    ...(input.hold === undefined ? {} : { hold: async (args, context) => await input.hold?.(typed(args), context) }),
    ...(input.preview === undefined
      ? {}
      : { preview: async (args, place) => (await input.preview?.(typed(args), place)) ?? '' }),
    ...(input.rehearsals === undefined ? {} : { rehearsals: rehearsalsOf(input.rehearsals) }),
    ...(input.draft === undefined
      ? {}
      : { draft: async (args, context) => (await input.draft?.(typed(args), context)) ?? NOT_DRAFTED }),
    ...(input.batches === undefined ? {} : { batches: input.batches }),
    ...(input.undos === undefined ? {} : { undos: input.undos }),
    ...(input.question === undefined ? {} : { question: (args) => askOf(input, typed(args)) }),
    execute: async (args, context) => await input.execute(typed(args), context),
  };
}

const NOT_DRAFTED: Drafted = { noEffect: { reason: 'failed' } };

function askOf<S extends ToolSchema>(input: ToolInput<S>, args: OutputOf<S>): Question {
  return input.question?.(args) ?? { text: '', choices: [] };
}

function rehearsalsOf<Value>(
  rehearsals: Omit<Rehearsals, 'rehearse' | 'predict'> & {
    rehearse(args: Value, context: RehearsalContext): Promise<Rehearsal>;
    predict?(args: Value, context: PredictionContext): Promise<Predicted>;
  },
): Rehearsals {
  const predict = rehearsals.predict?.bind(rehearsals);
  return {
    // As above: the value was returned by `check`.
    rehearse: (args, context) => rehearsals.rehearse(args as Value, context),
    ...(predict === undefined ? {} : { predict: (args, context) => predict(args as Value, context) }),
    drop: (invocationId) => rehearsals.drop(invocationId),
    show: async (invocationId, effectHash, signal) => await rehearsals.show?.(invocationId, effectHash, signal),
    list: () => rehearsals.list(),
  };
}
