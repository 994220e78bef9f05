import { measureJson, type ToolCall } from '@countersign/protocol';
import { maskArguments, refusePlaceholder } from '../masking/index.js';
import { canonicalJson } from '../policy/index.js';
import type { CallRecord, RegisteredTool } from '../ports/index.js';
import { textOf, errorMessage } from '../ports/error-message.js';
import { capText } from '../results/index.js';
import type { Runtime } from '../step/runtime.js';

/** A call as seen by the gate and its tool, with arguments parsed and validated once. */
export interface ParsedCall {
  toolName: string;
  tool: RegisteredTool | undefined;
  /** Canonical JSON if the text parses. This text is hashed, stored, shown and run (CALL7). */
  argumentsText: string;
  arguments: { ok: true; value: unknown } | { ok: false; error: string };
}

/** What the arguments of a response's calls may still have together. */
export interface ArgumentsLeft {
  bytes: number;
  values: number;
}

export function parseCall(
  tool: RegisteredTool | undefined,
  toolName: string,
  argumentsText: string,
  left: ArgumentsLeft = argumentsLimit(),
): ParsedCall {
  const parsed = parseArguments(argumentsText, left);
  // The call never runs; its text is stored so that people and the model see what went wrong.
  if (!parsed.ok) return { toolName, tool, argumentsText: capText(argumentsText), arguments: parsed };
  const checked = tool === undefined ? ({ ok: true, value: parsed.value } as const) : validate(tool, parsed.value);
  return { toolName, tool, argumentsText: parsed.text, arguments: checked };
}

/** If a validator throws or returns nothing, that is a tool error and must not break the turn. */
function validate(tool: RegisteredTool, value: Record<string, unknown>): ParsedCall['arguments'] {
  try {
    const verdict: unknown = tool.validate(value);
    if (typeof verdict !== 'object' || verdict === null) throw new Error("the tool's validator returned no result");
    const { ok, value: checked, error }: Record<string, unknown> = { ...verdict };
    if (ok === true) return { ok, value: checked };
    // Neither true nor false, for example a promise. Unchecked arguments must not run.
    if (ok !== false) throw new Error("the tool's validator returned no result");
    return { ok, error: textOf(error) || 'invalid arguments' };
  } catch (error) {
    return { ok: false, error: `could not validate the arguments: ${errorMessage(error)}` };
  }
}

/** Prepares a tool before its call is judged, for example by starting its server. Returns an error message if that fails. */
export async function refreshTool(
  { sources }: Runtime,
  worldId: string,
  toolName: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    for (const source of sources) await source.refresh(worldId, toolName, signal);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/**
 * Prepares the tools that match these patterns before a model sees them. Resolves to a message for each missing tool; returns undefined if
 * there is nothing to wait for.
 */
export function prepareTools(
  { sources }: Runtime,
  worldId: string,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> | undefined {
  const waits = sources.flatMap((source) => source.prepare(worldId, patterns, signal) ?? []);
  return waits.length === 0 ? undefined : Promise.all(waits).then((missing) => missing.flat());
}

/** An invocation's call, with the tool that is currently registered under its name. */
export function callOf(runtime: Runtime, invocation: CallRecord): ParsedCall {
  const tool = runtime.tools(invocation.worldId).get(invocation.toolName);
  return parseCall(tool, invocation.toolName, invocation.arguments);
}

/** More than any model writes in one response. Parsing, storing and showing more would block the process. */
const LARGEST_BYTES = 1024 * 1024;
const MAX_VALUES = 5000;
const MAX_DEPTH = 64;

export function argumentsLimit(): ArgumentsLeft {
  return { bytes: LARGEST_BYTES, values: MAX_VALUES };
}

type ParsedArguments =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly text: string }
  | { readonly ok: false; readonly error: string };

/**
 * Parses a model's arguments once: `text` is stored, hashed and shown, and `value` is parsed from exactly that text. Only an empty text is treated as
 * `{}`, because some vendors send it for calls without arguments; treating broken JSON as `{}` would run the tool with wrong arguments.
 */
function parseArguments(text: string, left: ArgumentsLeft): ParsedArguments {
  if (text === '') return { ok: true, value: {}, text: '{}' };
  const trouble = takeFrom(left, text);
  if (trouble !== undefined) return failure(trouble);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return failure(`The arguments are not valid JSON${whereIn(error)}. Call the tool again with one JSON object.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return failure(`The arguments must be one JSON object, not ${nameOf(parsed)}. Call the tool again with an object.`);
  }
  let canonical: string;
  try {
    canonical = canonicalJson(parsed);
  } catch {
    return failure('The arguments contain a number that is too large. Send it as a string, or send a smaller number.');
  }
  const value = canonical === text ? parsed : (JSON.parse(canonical) as unknown);
  return { ok: true, value: value as Record<string, unknown>, text: canonical };
}

/** Before the text is parsed. Returns why it may not be. */
function takeFrom(left: ArgumentsLeft, text: string): string | undefined {
  left.bytes -= text.length > left.bytes ? text.length : Buffer.byteLength(text);
  if (left.bytes < 0)
    return 'The arguments of your response are larger than 1 MB. Send less, or split it into several responses.';
  const { values, depth } = measureJson(text);
  if (depth > MAX_DEPTH)
    return `The arguments are nested more than ${MAX_DEPTH} levels deep. Call the tool with a flatter object.`;
  left.values -= values;
  if (left.values < 0)
    return `The arguments of your response have more than ${MAX_VALUES} values. Send less, or split it into several responses.`;
  return undefined;
}

/** Returns only the position: V8's message quotes the text, so a secret could reach the logs unmasked. */
function whereIn(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` (at position ${position})`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function failure(error: string): ParsedArguments {
  return { ok: false, error };
}

/** The maximum number of calls per response. More would flood the queue and the transcript (TURN1). */
export const MAX_CALLS = 64;
/** Rejects calls beyond the per-response limit, with an error for the model. */
export function refuseExcess(call: ParsedCall, position: number, calls: number): ParsedCall {
  if (position < MAX_CALLS) return call;
  const error = `Nothing ran. A response may contain at most ${MAX_CALLS} tool calls, but this one had ${calls}. Make the remaining calls in your next responses.`;
  return { ...call, arguments: { ok: false, error } };
}

const UNREADABLE =
  "The arguments contain more than 20,000 control characters, invisible characters or long runs of whitespace, so people can't read them. " +
  'Nothing ran. Use escape sequences, or split the text into smaller parts.';

/** Rejects a mask in the arguments of a model or a program: the tool would use it as the value. Only people can send one back (SAFE6). */
export function refuseMasked(call: ParsedCall): ParsedCall {
  if (!call.arguments.ok) return call;
  const unreadable = maskArguments(call.argumentsText).isWhole ? undefined : UNREADABLE;
  const error = refusePlaceholder(call.argumentsText) ?? unreadable;
  return error === undefined ? call : { ...call, arguments: { ok: false, error } };
}

/** A call as the message of a model or program shows it. */
export function toToolCall(id: string, { toolName, argumentsText }: ParsedCall): ToolCall {
  return { id, type: 'function', function: { name: toolName, arguments: argumentsText } };
}
