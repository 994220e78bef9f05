import {
  callSandboxSchema,
  inProcess,
  previewSchema,
  type CallSandbox,
  type Preview,
  type Subject,
} from '@countersign/protocol';
import type { StepTransaction } from '../facts/step-transaction.js';
import type { CallKeys, InvocationRecord, StepNeeds, Tool, ToolPlace } from '../ports/index.js';
import {
  callHash,
  checkToolApproval,
  type GateGrant,
  type GateInput,
  parseArguments,
  toolDigest,
  type Gate,
} from '../approval/index.js';
import { maskCallText } from '../masking/index.js';
import { defaultSubjects, keysOfCall, NO_RULES, readSubjects } from '../policy/index.js';
import { capText } from '../results/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { isUnattended } from './unattended.js';
import { describeDifference } from './mcp-difference.js';
import type { Place, Runtime } from '../step/runtime.js';
import { withinTime } from '../ports/until-aborted.js';
import { textOf, wordsOf } from '../ports/words-of.js';

/** A grant lapses when it was not used for this long (A5). */
export const GRANT_LIFETIME_MS = 12 * 60 * 60 * 1000;

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

/** What a step needs to put these calls before the gate. */
export function gateNeeds(calls: readonly JudgedCall[]): Required<Pick<StepNeeds, 'calls' | 'mcpTools' | 'asker'>> {
  const pinned = calls.filter(({ call }) => call.tool?.pin !== undefined);
  return { calls: calls.map(({ keys }) => keys), mcpTools: pinned.map(({ call }) => call.toolName), asker: true };
}

/** What the gate looks up in its step. */
export type GateReads = Pick<StepTransaction, 'now' | 'grants' | 'outcomeUnknown' | 'mcpTool' | 'hasAsker'>;

/** What a call is judged with beside what is stored. */
interface GateMore {
  decision?: 'approved' | undefined;
  /** A grant that is not stored: what it would cover is shown to the person who is about to give it. */
  supposed?: GateGrant | undefined;
}

/** Puts a call before the one gate (A2), with everything it needs read in the caller's step. */
export function gateCall(
  tx: GateReads,
  snapshot: WorldSnapshot,
  { call, agentId, place, policyCall, keys }: JudgedCall,
  { decision, supposed }: GateMore = {},
): Gate {
  const grants = agentId === undefined ? [] : tx.grants(keys, tx.now() - GRANT_LIFETIME_MS);
  const changed = changeOf(tx, call.tool);
  return checkToolApproval({
    call: policyCall,
    // What was trusted was what a person accepted.
    tool: changed === undefined || call.tool === undefined ? call.tool : { ...call.tool, trusted: false },
    ...(changed === undefined ? {} : { changed }),
    agent: agentOf(snapshot, agentId),
    world: { mode: snapshot.world.settings.mode, policy: snapshot.policy },
    admin: snapshot.adminPolicy,
    grants: [
      ...grants.map((grant) => ({
        id: grant.id,
        ...(grant.pattern === null ? {} : { pattern: grant.pattern }),
        ...(grant.answeredRule === null ? {} : { answeredRule: grant.answeredRule }),
      })),
      ...(supposed === undefined ? [] : [supposed]),
    ],
    decision,
    contained: isContained(call, place) && place.grants?.anyHost !== true,
    outcomeUnknown: keys.chatId !== '' && tx.outcomeUnknown(keys),
    unattended: isUnattended(tx, snapshot),
  });
}

/** What a server says of its tool now, compared with what is on record as accepted (A1). */
function changeOf(tx: GateReads, tool: Tool | undefined): string | undefined {
  if (tool?.pin === undefined) return undefined;
  const known = tx.mcpTool(tool.definition.name);
  if (known === undefined) return 'nobody has accepted it';
  if (known.acceptedDigest === tool.pin) return undefined;
  return describeDifference(known) ?? 'it is not what is on record';
}

function agentOf(snapshot: WorldSnapshot, agentId: string | undefined): GateInput['agent'] {
  if (agentId === undefined) return { tools: ['*'], policy: NO_RULES };
  return { tools: snapshot.agent(agentId)?.definition.tools ?? [], policy: snapshot.agentPolicy(agentId) };
}

/** What a tool from outside says of itself does not count (A1), nor what one says that fails over it. */
function isContained({ tool, arguments: args }: ReadCall, { workingDirectory }: ToolPlace): boolean {
  if (tool?.contained === undefined || !tool.trusted || !args.ok) return false;
  try {
    const told: unknown = tool.contained(args.value, { workingDirectory });
    // A promise, say, is no yes.
    return told === true;
  } catch {
    return false;
  }
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

/** Stands for text of a tool that can't be shown. */
const UNTOLD: readonly Subject[] = [{ kind: 'dynamic', why: { code: 'no-subjects' } }];

const digests = new WeakMap<Tool, string>();

/** A call with its signature, and what a person is shown beside it. */
export interface SignedCall {
  callHash: string;
  workingDirectory: string;
  sandbox: CallSandbox;
  /** What its tool found there when it was signed. */
  fingerprint: string | undefined;
  /** What it would change, masked, if its tool can tell. */
  preview: Preview | null;
  /** What the tool found where the call would act. */
  seen: readonly Subject[];
}

/** A disk that does not answer, or a tool that never tells, must not hold up a turn for ever. */
const LOOK_LIMIT_MS = 30_000;

interface Looked {
  fingerprint: string | undefined;
  preview: unknown;
  seen: readonly Subject[] | undefined;
}
const nothingSeen: Looked = { fingerprint: undefined, preview: undefined, seen: undefined };

/** Undefined for a tool that does not look. */
function lookWith(tool: Tool, value: unknown, place: ToolPlace): (() => Promise<Looked>) | undefined {
  if (tool.fingerprint === undefined && tool.preview === undefined && tool.look === undefined) return undefined;
  return async () => ({
    fingerprint: await tool.fingerprint?.(value, place),
    preview: await tool.preview?.(value, place),
    seen: await tool.look?.(value, place),
  });
}

/** For whom and where a call is signed. */
interface Signing {
  agentId: string;
  chatId: string;
  place: Place;
}

/** The signature of exactly this call, here and now (A7). Rejects when what it depends on can't be read. */
export async function signCall(runtime: Runtime, call: ReadCall, about: Signing): Promise<SignedCall> {
  const { tool, arguments: args } = call;
  const { workingDirectory } = about.place;
  const looking = tool !== undefined && args.ok ? lookWith(tool, args.value, { workingDirectory }) : undefined;
  const looked = looking === undefined ? nothingSeen : await withinTime(runtime.clock, LOOK_LIMIT_MS, looking);
  return sealed(runtime, call, about, looked);
}

function sealed(runtime: Runtime, call: ReadCall, about: Signing, looked: Looked): SignedCall {
  const { tool } = call;
  const { workingDirectory } = about.place;
  const { fingerprint, preview, seen } = looked;
  const sandbox = sandboxOf(tool, about.place);
  let digest = '';
  if (tool !== undefined) {
    digest = digests.get(tool) ?? toolDigest(tool.definition);
    digests.set(tool, digest);
  }
  const hash = callHash(runtime.store.hashKey, {
    agentId: about.agentId,
    chatId: about.chatId,
    tool: digest,
    toolName: call.toolName,
    argumentsText: call.argumentsText,
    workingDirectory,
    sandbox,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
  return {
    callHash: hash,
    workingDirectory,
    sandbox,
    fingerprint,
    preview: preview === undefined ? null : showPreview(preview),
    seen: seen === undefined ? [] : (readSubjects(seen) ?? UNTOLD),
  };
}

/** A diff longer than this nobody reads on a card. */
const PREVIEW_LIMIT_BYTES = 64 * 1024;

/** Cut roughly first, or a preview of megabytes would be searched for secrets to its end; what a rough cut may halve, the second takes out. */
function showPreview(preview: unknown): Preview {
  const told = previewSchema.safeParse(preview);
  const all = told.success ? told.data.text : textOf(preview);
  const roughly = capText(all, 4 * PREVIEW_LIMIT_BYTES);
  const masked = maskCallText(roughly);
  const text = capText(masked, PREVIEW_LIMIT_BYTES);
  return { text, truncated: (told.success && told.data.truncated) || roughly !== all || text !== masked };
}

const NOTHING_OPENED = { folders: [], hosts: [], anyHost: false, privateHosts: [] };

const UNKNOWN_SANDBOX = inProcess('unknown');

/** What a tool does not tell, or fails to tell, is not claimed (A21). */
export function sandboxOf(tool: Tool | undefined, place: Place): CallSandbox {
  const fallback = place.sandbox ?? UNKNOWN_SANDBOX;
  if (tool?.sandbox === undefined) return fallback;
  try {
    return callSandboxSchema.parse(tool.sandbox(place.grants ?? NOTHING_OPENED));
  } catch {
    return UNKNOWN_SANDBOX;
  }
}

/** The call an invocation stands for, with the tool as it is registered now. */
export function callOf(runtime: Runtime, invocation: InvocationRecord): ReadCall {
  const tool = runtime.tools(invocation.worldId).get(invocation.toolName);
  return readCall(tool, invocation.toolName, invocation.arguments);
}
