import type { Subject } from '@countersign/protocol';
import { parseArguments, type GateInput } from '../approval/index.js';
import { defaultSubjects, keysOfCall, readSubjects } from '../policy/index.js';
import type { CallKeys, InvocationRecord, Tool, ToolPlace } from '../ports/index.js';
import { textOf, wordsOf } from '../ports/words-of.js';
import { capText } from '../results/index.js';
import type { Place, Runtime } from '../step/runtime.js';

/** A call as the gate and its tool see it, with arguments parsed and validated once. */
export interface ReadCall {
  toolName: string;
  tool: Tool | undefined;
  /** Canonical JSON if it parses. This text is hashed, stored, shown and run (A7). */
  argumentsText: string;
  arguments: { ok: true; value: unknown } | { ok: false; error: string };
}

export function readCall(tool: Tool | undefined, toolName: string, argumentsText: string): ReadCall {
  const parsed = parseArguments(argumentsText);
  // It never runs; the text is kept so that people and the model see what went wrong.
  if (!parsed.ok) return { toolName, tool, argumentsText: capText(argumentsText), arguments: parsed };
  const checked = tool === undefined ? ({ ok: true, value: parsed.value } as const) : validate(tool, parsed.value);
  return { toolName, tool, argumentsText: parsed.text, arguments: checked };
}

/** A validator that throws or returns nothing is a tool error and must not break the turn. */
function validate(tool: Tool, value: Record<string, unknown>): ReadCall['arguments'] {
  try {
    const verdict: unknown = tool.validate(value);
    if (typeof verdict !== 'object' || verdict === null) throw new Error("the tool's validator returned no result");
    const { ok, value: checked, error }: Record<string, unknown> = { ...verdict };
    if (ok === true) return { ok, value: checked };
    // Neither true nor false, such as a promise from an async validator: unchecked arguments must not run.
    if (ok !== false) throw new Error("the tool's validator returned no result");
    return { ok, error: textOf(error) || 'invalid arguments' };
  } catch (error) {
    return { ok: false, error: `could not validate the arguments: ${wordsOf(error)}` };
  }
}

/** Prepares a tool before its call is judged, for example by starting its server. Returns an error message if that fails. */
export async function bringTool(
  { sources }: Runtime,
  worldId: string,
  toolName: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  try {
    for (const source of sources) await source.bring(worldId, toolName, signal);
    return undefined;
  } catch (error) {
    return wordsOf(error);
  }
}

/**
 * Prepares the tools that match these patterns before a model sees them. Resolves to a message for each missing one; undefined if
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

/** Where and for whom a call is judged. */
export interface CallSetting {
  /** Undefined if no agent is involved, as when a person checks the world's rules. */
  agentId: string | undefined;
  chatId: string;
  place: Place;
  /** What the tool found at the target when it last looked. */
  seen: readonly Subject[];
}

/** A call ready for the gate: what rules match against, and what must be looked up for it. */
export interface JudgedCall {
  call: ReadCall;
  agentId: string | undefined;
  place: Place;
  policyCall: GateInput['call'];
  /** The same without the subjects that the tool found at the target. */
  withoutFound: GateInput['call'];
  keys: CallKeys;
}

/** Runs before the step: computing subjects takes time, and the store must know what to look up. */
export function judgeCall(call: ReadCall, { agentId, chatId, place, seen }: CallSetting): JudgedCall {
  const withoutFound = toPolicyCall(call, place);
  const policyCall =
    seen.length === 0 ? withoutFound : { ...withoutFound, subjects: [...withoutFound.subjects, ...seen] };
  const { toolName, argumentsText } = call;
  const keys = { chatId, agentId: agentId ?? '', toolName, argumentsText, keys: keysOfCall(policyCall.subjects) };
  return { call, agentId, place, policyCall, withoutFound, keys };
}

/** The call of an invocation, with the currently registered tool. */
export function callOf(runtime: Runtime, invocation: InvocationRecord): ReadCall {
  const tool = runtime.tools(invocation.worldId).get(invocation.toolName);
  return readCall(tool, invocation.toolName, invocation.arguments);
}

/** A call in the form that rules match against. */
export function toPolicyCall(call: ReadCall, place: Place): GateInput['call'] {
  return {
    tool: call.toolName,
    arguments: call.arguments,
    subjects: subjectsOf(call, place),
    subjectsFrom: call.tool?.subjects === undefined ? 'arguments' : 'tool',
    place,
  };
}

/** If a tool's `subjects` throws or returns something else, no rule can allow the call without approval. */
function subjectsOf(call: ReadCall, { workingDirectory }: ToolPlace): readonly Subject[] {
  if (!call.arguments.ok) return [];
  if (call.tool?.subjects === undefined) return defaultSubjects(call.arguments.value);
  try {
    const subjects = readSubjects(call.tool.subjects(call.arguments.value, { workingDirectory }));
    if (subjects === undefined) throw new Error('it returned no list of subjects');
    return subjects;
  } catch (error) {
    return [{ kind: 'dynamic', why: { code: 'subjects-failed', problem: wordsOf(error) } }];
  }
}
