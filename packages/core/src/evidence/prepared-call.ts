import type { CallSandbox, Preview, Question, Subject } from '@countersign/protocol';
import type { ParsedCall } from '../call/parse.js';
import type { GateInput } from '../policy/check-tool-approval.js';
import { defaultSubjects, keysOfCall, type CallFolders, readSubjects } from '../policy/index.js';
import { errorMessage } from '../ports/error-message.js';
import type { CallKeys, ClaimedEvidence, RehearsalRecord } from '../ports/index.js';
import { toToolPlace } from '../step/place.js';
import type { CallPlace } from '../step/runtime.js';

/** What an approval covers (CALL7): if any of it changes, so does the hash, and the approval no longer applies. */
export interface SignedEvidence {
  readonly callHash: string;
  readonly workingDirectory: string;
  readonly sandbox: CallSandbox;
  /** A fingerprint of the target. */
  readonly fingerprint: string | undefined;
  /** What the call would change, masked, if its tool provides a preview. */
  readonly preview: Preview | null;
  /** The rehearsal that the hash covers, or the effect that the tool knows without one. */
  readonly rehearsal: RehearsalRecord | null;
  /** `draft`: approving applies what was rehearsed. `call`: it runs the call. */
  readonly applies: 'call' | 'draft';
}

/** Where a call is made. */
export interface CallSetting {
  /** The id of the call. */
  id: string;
  worldId: string;
  /** Undefined if no agent is involved, for example when a person tests the world's rules. */
  agentId: string | undefined;
  chatId: string;
  place: CallPlace;
  /** Whether the call was made in a turn that reviews a call (SIGN3). */
  isReview?: boolean;
}

/** A parsed call with everything that the gate judges and people see. */
export interface PreparedCall {
  id: string;
  call: ParsedCall;
  agentId: string | undefined;
  place: CallPlace;
  isReview: boolean;
  /** The keys to look up grants and earlier outcomes. */
  keys: CallKeys;
  /** The call as rules judge it, with what its tool found at the target and the paths of a rehearsed effect. */
  policyCall: GateInput['call'];
  /** Like `policyCall`, from the arguments alone. */
  uninspected: GateInput['call'];
  /** Undefined if the call wasn't inspected, or couldn't be. It then can't be approved. */
  signed: SignedEvidence | undefined;
  /** Only for people: no rule judges it, and no approval covers it. */
  claimed: ClaimedEvidence | null;
  /** Why the call can't run, although its arguments are valid. */
  problem?: string | undefined;
  /** The question, if the call asks one. */
  question?: Question | undefined;
}

/** Called before the step: computing subjects takes time, and the store must know what to look up. */
export function toPrepared(
  call: ParsedCall,
  { id, agentId, chatId, place, isReview = false }: CallSetting,
  found: readonly Subject[] = [],
): PreparedCall {
  const uninspected = toPolicyCall(call, place);
  const policyCall = found.length === 0 ? uninspected : withSubjects(uninspected, found);
  const { toolName, argumentsText } = call;
  const keys = { chatId, agentId: agentId ?? '', toolName, argumentsText, keys: keysOfCall(policyCall.subjects) };
  return { id, call, agentId, place, isReview, keys, policyCall, uninspected, signed: undefined, claimed: null };
}

function withSubjects(call: GateInput['call'], seen: readonly Subject[]): GateInput['call'] {
  const { standsFor, subjects } = call;
  const found = { ...call, subjects: [...subjects, ...seen] };
  if (standsFor === undefined) return found;
  return { ...found, standsFor: { ...standsFor, subjects: [...standsFor.subjects, ...seen] } };
}

/** A call in the form that rules match against. */
export function toPolicyCall(call: ParsedCall, place: CallPlace): GateInput['call'] {
  const { workingDirectory, realDirectory = workingDirectory, isFolderUnknown } = place;
  return {
    tool: call.toolName,
    arguments: call.arguments,
    subjects: subjectsOf(call, place),
    subjectsFrom: call.tool?.subjects === undefined ? 'arguments' : 'tool',
    place: policyPlace(place),
    folder: isFolderUnknown === true ? 'unknown' : realDirectory,
    ...standInOf(call, place),
    ...(call.tool?.byServer === true ? { onlyByEffect: true } : {}),
  };
}

function policyPlace({ workingDirectory, worldDirectory, home }: CallPlace): CallFolders {
  if (worldDirectory === undefined) return { workingDirectory, home };
  return { workingDirectory: worldDirectory, home, programDirectory: workingDirectory };
}

/** If the tool's `standsFor` throws, `subjects` did too, and no rule allows the call. */
function standInOf({ tool, arguments: args }: ParsedCall, place: CallPlace): Pick<GateInput['call'], 'standsFor'> {
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
function subjectsOf(call: ParsedCall, place: CallPlace): readonly Subject[] {
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
