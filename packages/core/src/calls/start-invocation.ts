import type { InvocationRecord, TurnRecord } from '../ports/index.js';
import type { Gate } from '../approval/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { newId } from '../turn/ids.js';
import { nextStep } from '../turn/next-step.js';
import { askApproval } from './ask-approval.js';
import {
  callOf,
  gateCall,
  gateNeeds,
  judgeCall,
  signCall,
  type JudgedCall,
  type ReadCall,
  type SignedCall,
} from './gate-call.js';
import { startCall } from './mark-started.js';
import { refuseCall } from './refuse-call.js';
import { commit, type Runtime, type Step, type Started } from '../step/runtime.js';
import { cutOff, settleInvocation } from './settle-invocation.js';
import { bringTool } from '../step/tool-sources.js';
import { noteActivity } from '../step/turn-lifecycle.js';
import { readSituation, situationAfter } from '../step/turn-state.js';
import { wordsOf } from '../ports/words-of.js';

/**
 * The last moment before the side effect: owner, signature and rules are checked again in the very step that marks the
 * call as started (A2, A7). Whoever gets a value here is the only one who ever will (A8).
 * Undefined: something else was written (asked again, refused), or the turn was lost; look again.
 */
export async function startInvocation(
  runtime: Runtime,
  turn: TurnRecord,
  snapshot: WorldSnapshot,
  before: InvocationRecord,
  signal: AbortSignal,
): Promise<Started | undefined> {
  const missing = await bringTool(runtime, turn.worldId, before.toolName, signal);
  if (signal.aborted) return undefined;
  const call = callOf(runtime, before);
  const now: Surroundings =
    missing === undefined ? await lookAround(runtime, snapshot, before, call) : { ok: false, error: missing };
  const needs = { chats: [turn.chatId], ...(now.ok ? gateNeeds([now.judged]) : {}) };
  return await commit(runtime, 'start-invocation', turn.worldId, needs, (step) => {
    const invocation = step.tx.invocation(before.id);
    // Changed between the look and the step: the loop looks again.
    if (invocation?.status !== 'approved' || invocation.arguments !== before.arguments) return undefined;
    if (!isAsLooked(runtime, step, snapshot.world.rev, call)) return undefined;
    if (!now.ok) {
      if (step.tx.stepTurn(turn, {})) {
        settleInvocation(runtime, step, invocation, { kind: 'refused', error: now.error });
      }
      return undefined;
    }
    return act(runtime, step, turn, invocation, gateApproved(step, invocation, now), now);
  });
}

/**
 * The same in the step that approves a call, if the call is due and this process runs its turn. Undefined: it is not, or something is in
 * the way, and the loop finds out what.
 */
export function startApproved(
  runtime: Runtime,
  step: Step,
  id: string,
  now: Looked & { rev: number },
): Started | undefined {
  const { tx, snapshot } = step;
  const invocation = tx.invocation(id);
  const turn = invocation?.status === 'approved' ? tx.turn(invocation.turnId) : undefined;
  if (invocation?.location !== 'server' || turn === undefined) return undefined;
  if (turn.owner !== runtime.owner || !runtime.mayAct() || !runtime.scheduler.takesWork()) return undefined;
  const due = nextStep(readSituation(tx, turn, snapshot));
  if (due.kind !== 'start' || !due.invocationIds.includes(id)) return undefined;
  if (!isAsLooked(runtime, step, now.rev, now.judged.call)) return undefined;
  const gate = gateApproved(step, invocation, now);
  return gate.kind === 'run' ? startCall(runtime, step, turn, invocation, now, gate) : undefined;
}

/** The call as it would run here and now. */
interface Looked {
  judged: JudgedCall;
  signed: SignedCall;
}

/** False: the world was moved since, to a folder that nobody has looked at, or its tool was replaced or has gone with its client. */
function isAsLooked(runtime: Runtime, step: Step, rev: number, { toolName, tool }: ReadCall): boolean {
  return step.snapshot.world.rev === rev && runtime.tools(step.snapshot.world.id).get(toolName) === tool;
}

/** A signature counts only for the call it was made for (A7). */
function gateApproved(step: Step, { callHash }: InvocationRecord, { judged, signed }: Looked): Gate {
  const isSigned = callHash !== null && callHash === signed.callHash;
  return gateCall(step.tx, step.snapshot, judged, { decision: isSigned ? 'approved' : undefined });
}

type Surroundings = ({ ok: true } & Looked) | { ok: false; error: string };

async function lookAround(
  runtime: Runtime,
  snapshot: WorldSnapshot,
  invocation: InvocationRecord,
  call: ReadCall,
): Promise<Surroundings> {
  try {
    const place = runtime.findPlace(snapshot);
    const signed = await signCall(runtime, call, { ...invocation, place });
    return { ok: true, judged: judgeCall(call, { ...invocation, place, seen: signed.seen }), signed };
  } catch (error) {
    return { ok: false, error: `what this call would touch could not be read: ${wordsOf(error)}` };
  }
}

function act(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  invocation: InvocationRecord,
  gate: Gate,
  now: Extract<Surroundings, { ok: true }>,
): Started | undefined {
  // A call of a dead process that may run again was started in the eyes of everybody: it can only end, not be asked (T4).
  if (invocation.startedAt !== null && gate.kind !== 'run') {
    if (step.tx.stepTurn(turn, {})) {
      settleInvocation(runtime, step, invocation, cutOff('interrupted'));
    }
    return undefined;
  }
  switch (gate.kind) {
    case 'run':
      return step.tx.stepTurn(turn, {}) ? startCall(runtime, step, turn, invocation, now, gate) : undefined;
    case 'ask':
      askAgain(runtime, step, turn, invocation, now.judged.call, gate, now.signed);
      return undefined;
    case 'refuse':
      if (step.tx.stepTurn(turn, {})) refuseCall(runtime, step, invocation, gate);
      return undefined;
  }
}

/** The call, its folder, what it would overwrite or the rules changed since it was shown or approved: a yes was for something else. */
export function askAgain(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  invocation: InvocationRecord,
  call: ReadCall,
  gate: Extract<Gate, { kind: 'ask' }>,
  signed: SignedCall,
): boolean {
  const { callHash } = signed;
  if (call.tool === undefined) throw new Error('a tool that is not there can not be asked for');
  const approvalId = newId('approval');
  const asked: InvocationRecord = { ...invocation, status: 'asked', approvalId, callHash };
  const after = situationAfter(step.tx, turn, step.snapshot, { invocationId: asked.id, status: 'asked' });
  const waits = after.turn.state === 'waiting';
  if (!step.tx.stepTurn(turn, waits ? { state: 'waiting' } : {})) return false;
  const change = { status: 'asked' as const, approvalId, callHash };
  if (!step.tx.changeInvocation(invocation.id, invocation.status, change)) return false;
  const changedSince = invocation.status === 'asked' ? ('shown' as const) : ('approved' as const);
  const reason = invocation.callHash === null ? gate.reason : { ...gate.reason, changedSince };
  askApproval(runtime, step, {
    approvalId,
    invocation: asked,
    tool: call.tool,
    gate: { ...gate, reason },
    signed,
  });
  if (waits) noteActivity(runtime, step, turn.chatId);
  return true;
}
