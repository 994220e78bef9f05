import type { Subject } from '@countersign/protocol';
import type { ParsedCall } from '../call/parse.js';
import type { GateInput } from '../policy/check-tool-approval.js';
import { defaultSubjects, keysOfCall, type CallFolders, readSubjects } from '../policy/index.js';
import { errorMessage } from '../ports/error-message.js';
import type { CallKeys } from '../ports/index.js';
import { toToolPlace } from '../step/place.js';
import type { Place } from '../step/runtime.js';

/** The context in which a call is judged. */
interface CallSetting {
  /** Undefined if no agent is involved, for example when a person tests the world's rules. */
  agentId: string | undefined;
  chatId: string;
  place: Place;
  /** Subjects that the tool reported when it last inspected the target. */
  seen: readonly Subject[];
  /** Whether the call was made in a turn that reviews a call (A50). */
  isReview?: boolean;
}

/** A call ready for the gate, with the keys to look up. */
export interface JudgedCall {
  call: ParsedCall;
  agentId: string | undefined;
  place: Place;
  policyCall: GateInput['call'];
  /** Like `policyCall`, without the subjects that the tool found at the target. */
  withoutFound: GateInput['call'];
  keys: CallKeys;
  isReview?: boolean;
}

/** Called before the step: computing subjects takes time, and the store must know what to look up. */
export function judgeCall(call: ParsedCall, { agentId, chatId, place, seen, isReview }: CallSetting): JudgedCall {
  const withoutFound = toPolicyCall(call, place);
  const policyCall = seen.length === 0 ? withoutFound : withSubjects(withoutFound, seen);
  const { toolName, argumentsText } = call;
  const keys = { chatId, agentId: agentId ?? '', toolName, argumentsText, keys: keysOfCall(policyCall.subjects) };
  return { call, agentId, place, policyCall, withoutFound, keys, ...(isReview === undefined ? {} : { isReview }) };
}

function withSubjects(call: GateInput['call'], seen: readonly Subject[]): GateInput['call'] {
  const { standsFor, subjects } = call;
  const found = { ...call, subjects: [...subjects, ...seen] };
  if (standsFor === undefined) return found;
  return { ...found, standsFor: { ...standsFor, subjects: [...standsFor.subjects, ...seen] } };
}

/** A call in the form that rules match against. */
export function toPolicyCall(call: ParsedCall, place: Place): GateInput['call'] {
  const { workingDirectory, realDirectory = workingDirectory, isFolderUnknown } = place;
  return {
    tool: call.toolName,
    arguments: call.arguments,
    subjects: subjectsOf(call, place),
    subjectsFrom: call.tool?.subjects === undefined ? 'arguments' : 'tool',
    place: policyPlace(place),
    folder: isFolderUnknown === true ? 'unknown' : realDirectory,
    ...standInOf(call, place),
  };
}

function policyPlace({ workingDirectory, worldDirectory, home }: Place): CallFolders {
  if (worldDirectory === undefined) return { workingDirectory, home };
  return { workingDirectory: worldDirectory, home, programDirectory: workingDirectory };
}

/** If the tool's `standsFor` throws, `subjects` did too, and no rule allows the call. */
function standInOf({ tool, arguments: args }: ParsedCall, place: Place): Pick<GateInput['call'], 'standsFor'> {
  if (tool?.standsFor === undefined || !args.ok) return {};
  try {
    const found = tool.standsFor(args.value, toToolPlace(place));
    if (found === undefined) return {};
    const { tool: name, arguments: value, subjects } = found;
    const own = { tool: name, arguments: { ok: true, value }, subjects, place: policyPlace(place) };
    return { standsFor: { ...own, subjectsFrom: 'tool' } };
  } catch {
    return {};
  }
}

/** If a tool's `subjects` throws or returns an invalid value, no rule can allow the call without approval. */
function subjectsOf(call: ParsedCall, place: Place): readonly Subject[] {
  if (!call.arguments.ok) return [];
  if (call.tool?.subjects === undefined) return defaultSubjects(call.arguments.value);
  try {
    const subjects = readSubjects(call.tool.subjects(call.arguments.value, toToolPlace(place)));
    if (subjects === undefined) throw new Error('it returned no list of subjects');
    return subjects;
  } catch (error) {
    return [{ kind: 'dynamic', why: { code: 'subjects-failed', problem: errorMessage(error) } }];
  }
}
