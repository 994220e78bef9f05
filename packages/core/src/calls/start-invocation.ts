import type { InvocationRecord, TurnRecord } from '../ports/index.js';
import type { Gate } from '../approval/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { newId } from '../turn/ids.js';
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
import { situationAfter } from '../step/turn-state.js';
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
    // A world that was moved meanwhile has another folder, which nobody has looked at.
    if (step.snapshot.world.rev !== snapshot.world.rev) return undefined;
    // Replaced, or gone with its client, since it was looked at: what starts now is what is offered now.
    if (runtime.tools(turn.worldId).get(invocation.toolName) !== call.tool) return undefined;
    if (!now.ok) {
      if (step.tx.stepTurn(turn, {})) {
        settleInvocation(runtime, step, invocation, { kind: 'refused', error: now.error });
      }
      return undefined;
    }
    const isSigned = invocation.callHash !== null && invocation.callHash === now.signed.callHash;
    const gate = gateCall(step.tx, step.snapshot, now.judged, { decision: isSigned ? 'approved' : undefined });
    return act(runtime, step, turn, invocation, gate, now);
  });
}

type Surroundings = { ok: true; judged: JudgedCall; signed: SignedCall } | { ok: false; error: string };

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
  const seen = invocation.status === 'asked' ? 'what was shown' : 'what was approved';
  const why = invocation.callHash === null ? gate.why : `${seen} has changed since; ${gate.why}`;
  askApproval(runtime, step, {
    approvalId,
    invocation: asked,
    tool: call.tool,
    gate: { ...gate, why },
    signed,
  });
  if (waits) noteActivity(runtime, step, turn.chatId);
  return true;
}
