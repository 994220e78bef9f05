import type { Subject } from '@countersign/protocol';
import { parseArguments, type GateInput } from '../approval/index.js';
import { defaultSubjects, keysOfCall, readSubjects } from '../policy/index.js';
import type { CallKeys, InvocationRecord, Tool, ToolPlace } from '../ports/index.js';
import { textOf, wordsOf } from '../ports/words-of.js';
import { capText } from '../results/index.js';
import type { Place, Runtime } from '../step/runtime.js';

/** A call as the gate and its tool see it: arguments read and checked once. */
export interface ReadCall {
  toolName: string;
  tool: Tool | undefined;
  /** Canonical where it could be read: the text that is hashed, stored, shown and run (A7). */
  argumentsText: string;
  arguments: { ok: true; value: unknown } | { ok: false; error: string };
}

export function readCall(tool: Tool | undefined, toolName: string, argumentsText: string): ReadCall {
  const parsed = parseArguments(argumentsText);
  // It never runs: what is kept of it is for people and the model to see what went wrong.
  if (!parsed.ok) return { toolName, tool, argumentsText: capText(argumentsText), arguments: parsed };
  const checked = tool === undefined ? ({ ok: true, value: parsed.value } as const) : validate(tool, parsed.value);
  return { toolName, tool, argumentsText: parsed.text, arguments: checked };
}

/** A validator that throws, or gives no verdict, is a broken tool, not a broken turn. */
function validate(tool: Tool, value: Record<string, unknown>): ReadCall['arguments'] {
  try {
    const verdict: unknown = tool.validate(value);
    if (typeof verdict !== 'object' || verdict === null) throw new Error('its tool gave no verdict');
    const { ok, value: checked, error }: Record<string, unknown> = { ...verdict };
    if (ok === true) return { ok, value: checked };
    // Not a no either: an asynchronous check, say. What nobody has checked does not run.
    if (ok !== false) throw new Error('its tool gave no verdict');
    return { ok, error: textOf(error) || 'the arguments do not fit' };
  } catch (error) {
    return { ok: false, error: `the arguments could not be checked: ${wordsOf(error)}` };
  }
}

/** Where and for whom a call is put before the gate. */
export interface CallSetting {
  /** Undefined: for nobody in particular, as when a person asks what the world's rules say. */
  agentId: string | undefined;
  chatId: string;
  place: Place;
  /** What was found where it would act, when it was last looked at. */
  seen: readonly Subject[];
}

/** A call that is ready for the gate: what rules judge it by, and what has to be looked up for it. */
export interface JudgedCall {
  call: ReadCall;
  agentId: string | undefined;
  place: Place;
  policyCall: GateInput['call'];
  /** The same without what was found where it would act. */
  told: GateInput['call'];
  keys: CallKeys;
}

/** Before the step: reading what a call touches out of its arguments takes time, and the store has to know what to look up. */
export function judgeCall(call: ReadCall, { agentId, chatId, place, seen }: CallSetting): JudgedCall {
  const told = toPolicyCall(call, place);
  const policyCall = seen.length === 0 ? told : { ...told, subjects: [...told.subjects, ...seen] };
  const { toolName, argumentsText } = call;
  const keys = { chatId, agentId: agentId ?? '', toolName, argumentsText, keys: keysOfCall(policyCall.subjects) };
  return { call, agentId, place, policyCall, told, keys };
}

/** The call an invocation stands for, with the tool as it is registered now. */
export function callOf(runtime: Runtime, invocation: InvocationRecord): ReadCall {
  const tool = runtime.tools(invocation.worldId).get(invocation.toolName);
  return readCall(tool, invocation.toolName, invocation.arguments);
}

/** A call as rules judge it. */
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
