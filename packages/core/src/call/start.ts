import { CountersignError } from '@countersign/protocol';
import type { Gate } from '../policy/check-tool-approval.js';
import { isSigned, judgeSignatures, requestersOf, signaturesOf, signersOf } from '../requirements/needed-signatures.js';
import { maskArguments } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { SigningRule } from '../policy/index.js';
import type { ApprovalRecord, Hold, CallRecord, TurnRecord } from '../ports/index.js';
import { errorMessage } from '../ports/error-message.js';
import { untilAborted } from '../ports/until-aborted.js';
import { commit } from '../step/commit.js';
import { resumeTurn, readSituation } from '../step/move-turn.js';
import type { Runtime, StartedCall, Step } from '../step/runtime.js';
import { refreshTool, callOf, type ParsedCall } from './parse.js';
import { askAgain, writeRehearsal } from './ask.js';
import { prepareCall, withQuestion } from './prepare.js';
import { nextStep } from '../turn/next-step.js';
import { gateCall, gateNeeds, gateProposal, reviewersFor, saysWhoSigns, signingRulesOf } from './gate.js';
import { placeOfCall } from '../step/place.js';
import { sealOriginal } from '../facts/seal-original.js';
import { asUnknown, refuseCall, settleCall } from './settle.js';
import { sealJudged } from '../evidence/judged-call.js';
import { approvedHash } from '../evidence/hash-call.js';
import type { PreparedCall } from '../evidence/prepared-call.js';

/** Marks a call that the gate allows as started, and records why. Only the caller runs it, after the commit (CALL8). */
export function markStarted(
  { store }: Pick<Runtime, 'store'>,
  step: Step,
  { epoch }: Pick<TurnRecord, 'epoch'>,
  before: CallRecord,
  prepared: PreparedCall,
  gate: Extract<Gate, { kind: 'run' }>,
): StartedCall {
  const { call, place, uninspected } = prepared;
  if (call.tool === undefined || !call.arguments.ok) throw new Error("the gate allowed a call that can't run");
  const { id: callId, chatId, arguments: text } = before;
  // If the record shows the arguments unmasked, no sealed copy is needed (LOG2).
  const original = maskArguments(text).isOriginal ? {} : { original: sealOriginal(store.hashKey, before, text) };
  if (gate.byEffect === true && gate.because !== 'decision') writeRehearsal(step, before, prepared);
  // A call that a person decided was judged when it was asked.
  const judged = gate.because === 'decision' ? {} : sealJudged(store.hashKey, before, gate.judged);
  step.tx.write({ kind: 'call-started', chatId, callId, epoch, gate, ...original, ...judged });
  return {
    record: step.tx.invocation(callId) ?? before,
    tool: call.tool,
    value: call.arguments.value,
    place,
    policyCall: uninspected,
    gate,
    fingerprint: fingerprintFor(prepared, gate),
    snapshot: step.snapshot,
  };
}

/**
 * A yes applies what was rehearsed, and so does a call that rules about effects have judged (RULE10). Other calls that a rule or grant allows run
 * instead, because nobody has seen what the last rehearsal found (CHANGE6).
 */
function fingerprintFor(
  { signed }: PreparedCall,
  { because, byEffect }: Extract<Gate, { kind: 'run' }>,
): string | undefined {
  const isDraft = signed?.applies === 'draft';
  if (byEffect === true && !isDraft) throw new Error('the gate judged an effect that nobody can apply');
  return isDraft && because !== 'decision' && byEffect !== true ? undefined : signed?.fingerprint;
}

/**
 * The last check before the side effect: owner, order, signature and rules are checked again in the step that marks the call as started
 * (CALL2, CALL7). Undefined if the call needs approval again, was refused, or must be read again.
 */
export async function startCall(
  runtime: Runtime,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
  before: CallRecord,
  signal: AbortSignal,
): Promise<StartedCall | undefined> {
  const missing = await refreshTool(runtime, turn.worldId, before.toolName, signal);
  if (signal.aborted) return undefined;
  const call = callOf(runtime, before);
  const about = { call, isReview: turn.review !== null, signal };
  const { ready, hold } =
    missing === undefined ? await readyAndHold(runtime, snapshot, before, about) : { ready: missing };
  let started: StartedCall | undefined;
  try {
    if (signal.aborted) return undefined;
    started = await startReady(runtime, turn, snapshot, before, { call, ready });
    // A call that runs, instead of applying what was signed, may take minutes.
    if (started?.fingerprint !== undefined && hold !== undefined) started.hold = hold;
    return started;
  } finally {
    if (started?.hold === undefined) await hold?.release();
  }
}

/** The step that starts a call. */
async function startReady(
  runtime: Runtime,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
  before: CallRecord,
  { call, ready }: { call: ParsedCall; ready: PreparedCall | string },
): Promise<StartedCall | undefined> {
  const approval = await readSignatures(runtime, snapshot, before);
  const people = approval === undefined ? {} : { people: true };
  const needs = { chats: [turn.chatId], ...people, ...(typeof ready === 'string' ? {} : gateNeeds([ready])) };
  return await commit(runtime, 'start-invocation', turn.worldId, needs, (step) => {
    const due = dueCall(runtime, step, before.id, { rev: snapshot.world.rev, call });
    if (due === undefined || step.tx.current(turn) === undefined || due.invocation.arguments !== before.arguments) {
      return undefined;
    }
    if (typeof ready === 'string') {
      settleCall(runtime, step, due.invocation, { kind: 'refused', error: ready });
      return undefined;
    }
    const isStillSigned = (rules: readonly SigningRule[]): boolean => areSignaturesValid(step, due, approval, rules);
    const gate = gateApproved(runtime, step, due.invocation, ready, isStillSigned);
    if (gate.kind === 'run') return markStarted(runtime, step, due.turn, due.invocation, ready, gate);
    const isUnsigned = approval?.signing?.rules.some((rule) => !isStillSigned([rule])) === true;
    refuse(runtime, step, due.invocation, ready, { gate, changedSince: isUnsigned ? 'signed' : 'approved' });
    return undefined;
  });
}

/**
 * Starts a call in the step that approves it, if it is due and this process runs its turn. Otherwise returns undefined, and the loop handles
 * the call. `isTogether`: others are approved with it, what they change is held, and all of them start in this step.
 */
export function startApproved(
  runtime: Runtime,
  step: Step,
  id: string,
  ready: PreparedCall,
  rev: number,
  { isTogether = false } = {},
): StartedCall | undefined {
  const due = dueCall(runtime, step, id, { rev, call: ready.call, isTogether });
  if (due?.turn.owner !== runtime.process.owner || due.invocation.runBy !== 'here') return undefined;
  if (isHeld(ready) && !isTogether) return undefined;
  if (!runtime.process.mayAct() || !runtime.scheduler.takesWork()) return undefined;
  // The step that approves the call has just judged its signatures.
  const gate = gateApproved(runtime, step, due.invocation, ready, () => true);
  return gate.kind === 'run' ? markStarted(runtime, step, due.turn, due.invocation, ready, gate) : undefined;
}

/**
 * Undefined if another call is due first, the world now uses a folder that hasn't been inspected, or the tool was replaced or its client has
 * disconnected.
 */
function dueCall(
  runtime: Runtime,
  { tx, snapshot }: Step,
  id: string,
  seen: { rev: number; call: ParsedCall; isTogether?: boolean },
): { turn: TurnRecord; invocation: CallRecord } | undefined {
  const invocation = tx.invocation(id);
  const turn = invocation?.status === 'approved' ? tx.turn(invocation.turnId) : undefined;
  if (invocation === undefined || turn === undefined) return undefined;
  if (invocation.runBy !== 'program' && seen.isTogether !== true) {
    const next = nextStep(readSituation(tx, turn, snapshot));
    if (next.kind !== 'start' || !next.invocationIds.includes(id)) return undefined;
  }
  const { rev, id: worldId } = snapshot.world;
  const isAsSeen = rev === seen.rev && runtime.tools(worldId).get(seen.call.toolName) === seen.call.tool;
  return isAsSeen ? { turn, invocation } : undefined;
}

/**
 * An approval is valid only for the call that it was given for (CALL7), under the rules that said who must sign, and while the signatures that they
 * require count (SIGN1).
 */
function gateApproved(
  { store }: Pick<Runtime, 'store'>,
  step: Step,
  { callHash }: CallRecord,
  prepared: PreparedCall,
  isSignedBy: (rules: readonly SigningRule[]) => boolean,
): Gate {
  const rules = signingRulesOf(step.snapshot, prepared);
  const isSame = callHash !== null && callHash === approvedHash(store.hashKey, prepared.signed?.callHash ?? '', rules);
  const isApproved = isSame && (rules.length === 0 || isSignedBy(rules));
  // An answer that no longer counts must be given again: no rule takes its place.
  if (!isApproved && prepared.question !== undefined) return gateProposal(step, prepared);
  return gateCall(step.tx, step.snapshot, prepared, { decision: isApproved ? 'approved' : undefined });
}

/** The approval of a call whose signers a rule names. It is settled, so it can't change until the step. */
async function readSignatures(
  runtime: Runtime,
  snapshot: WorldSnapshot,
  { approvalId, agentId }: CallRecord,
): Promise<ApprovalRecord | undefined> {
  if (approvalId === null || !saysWhoSigns(snapshot, agentId)) return undefined;
  const approval = await runtime.store.read((reader) => reader.approval(approvalId));
  if (approval === undefined || approval.signing === null) return undefined;
  await runtime.confirmPeople(signersOf(approval));
  return approval;
}

/** Whether the signatures of an approved call still count, with the people of this step (SIGN1.4). */
function areSignaturesValid(
  step: Step,
  { turn, invocation }: { turn: TurnRecord; invocation: CallRecord },
  approval: ApprovalRecord | undefined,
  rules: readonly SigningRule[],
): boolean {
  const people = step.tx.signers();
  if (people === undefined || approval === undefined || approval.signing === null) return false;
  const reviewers = reviewersFor(step, approval, rules);
  const signed = signaturesOf(approval.signing);
  const { toolName } = approval;
  return isSigned(
    judgeSignatures({ rules, signed, requesters: requestersOf(turn, invocation), people, toolName, reviewers }),
  );
}

/** Whether only the loop starts the call, because others must be kept from what it is about to change, before the step that starts it. */
export function isHeld({ call, signed }: PreparedCall): boolean {
  return call.tool?.hold !== undefined && signed?.fingerprint !== undefined;
}

/** Each more means that somebody changed the same files after the call was read. */
const MAX_READS = 3;

/**
 * Reads the call, and keeps others from changing what it is about to change. What changed before is found here, and the step then asks people again
 * (CALL7.2). If it changes all the time, the call starts without a hold, and its tool changes nothing (CHANGE2).
 */
async function readyAndHold(
  runtime: Runtime,
  snapshot: WorldSnapshot,
  invocation: CallRecord,
  about: { call: ParsedCall; isReview: boolean; signal: AbortSignal },
): Promise<{ ready: PreparedCall | string; hold?: Hold }> {
  for (let reads = 1; ; reads += 1) {
    const ready = await readyCall(runtime, snapshot, invocation, about);
    if (typeof ready === 'string' || !isHeld(ready) || about.signal.aborted) return { ready };
    try {
      const hold = await holdCall(invocation, ready, about.signal);
      if (hold !== undefined) return { ready, hold };
    } catch (error) {
      return { ready: errorMessage(error) };
    }
    if (reads === MAX_READS) return { ready };
  }
}

async function holdCall(
  { id: invocationId }: CallRecord,
  { call, place, signed }: PreparedCall,
  signal: AbortSignal,
): Promise<Hold | undefined> {
  const fingerprint = signed?.fingerprint;
  if (!call.arguments.ok || fingerprint === undefined) return undefined;
  const { workingDirectory } = place;
  const held = call.tool?.hold?.(call.arguments.value, { workingDirectory, invocationId, fingerprint });
  try {
    return await untilAborted(async () => await held, signal);
  } catch (error) {
    // If it is locked after the chat was stopped, nobody would release it.
    void held?.then((late) => late?.release()).catch(() => undefined);
    throw error;
  }
}

/** Returns an error message if the call can't be prepared. */
async function readyCall(
  runtime: Runtime,
  snapshot: WorldSnapshot,
  invocation: CallRecord,
  { call, isReview, signal }: { call: ParsedCall; isReview: boolean; signal: AbortSignal },
): Promise<PreparedCall | string> {
  try {
    const place = await placeOfCall(runtime, snapshot, invocation);
    const wasAsked = invocation.callHash !== null;
    const ready = await prepareCall(runtime, call, { ...invocation, place, isReview, wasAsked, signal });
    return invocation.runBy === 'program' && call.tool?.asks !== undefined
      ? withQuestion(ready, call.tool.asks)
      : ready;
  } catch (error) {
    return `could not determine what this call would touch: ${errorMessage(error)}`;
  }
}

function refuse(
  runtime: Runtime,
  step: Step,
  invocation: CallRecord,
  prepared: PreparedCall,
  { gate, changedSince }: { gate: Exclude<Gate, { kind: 'run' }>; changedSince: 'approved' | 'signed' },
): void {
  // A call that a dead process started can only be settled; it never needs approval again (TURN4).
  if (invocation.startedAt !== null) settleCall(runtime, step, invocation, asUnknown('interrupted'));
  else if (gate.kind === 'refuse') {
    writeRehearsal(step, invocation, prepared);
    refuseCall(runtime, step, invocation, gate);
  } else {
    askAgain(runtime, step, invocation, prepared, gate, changedSince);
    resumeTurn(runtime, step, invocation.turnId);
  }
}

/**
 * Must be called first in a step for a running tool. Throws if the call no longer runs here: after a stop or a takeover, nothing may be written
 * for it.
 */
export function assertRunning({ tx }: Step, { id, turnId, startedEpoch }: CallRecord): void {
  if (tx.turn(turnId)?.epoch === startedEpoch && tx.invocation(id)?.status === 'started') return;
  throw new CountersignError('conflict', 'the call has ended');
}
