import type { InvocationRecord, TurnRecord } from '../ports/index.js';
import type { Gate } from '../approval/index.js';
import { maskSecrets } from '../masking/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { newId } from '../turn/ids.js';
import { askApproval } from './ask-approval.js';
import { callOf, gateCall, signCall, type ReadCall, type SignedCall } from './gate-call.js';
import { refuseCall } from './refuse-call.js';
import { commit, type Place, type Runtime, type Step, type Started } from '../step/runtime.js';
import { cutOff, settleInvocation } from './settle-invocation.js';
import { sealOriginal } from './seal-original.js';
import { auditOf, emitToolEvent } from '../step/tool-events.js';
import { bringTool } from '../step/tool-sources.js';
import { noteActivity } from '../step/turn-lifecycle.js';
import { situationAfter, type Situation } from '../step/turn-state.js';
import { wordsOf } from '../ports/words-of.js';

/**
 * The last moment before the side effect: owner, signature and rules are checked again in the very transaction that marks the
 * call as started (A2, A7). Whoever gets a value here is the only one who ever will (A8).
 * Undefined: something else was written (asked anew, refused), or the turn was lost; look again.
 */
export async function startInvocation(
  runtime: Runtime,
  turn: TurnRecord,
  { snapshot, invocations }: Situation,
  invocationId: string,
  signal: AbortSignal,
): Promise<Started | undefined> {
  const before = await runtime.store.read((reader) => reader.invocation(invocationId));
  if (before?.status !== 'approved') return undefined;
  const missing = await bringTool(runtime, turn.worldId, before.toolName, signal);
  if (signal.aborted) return undefined;
  const call = callOf(runtime, before);
  const now: Surroundings =
    missing === undefined ? await lookAround(runtime, snapshot, before, call) : { ok: false, error: missing };
  return await commit(runtime, 'start-invocation', turn.worldId, async (step) => {
    const invocation = await step.tx.invocation(before.id);
    // Changed between the look and the transaction: the loop looks again.
    if (invocation?.status !== 'approved' || invocation.arguments !== before.arguments) return undefined;
    // A world that was moved meanwhile has another folder, which nobody has looked at.
    if (step.snapshot.world.rev !== snapshot.world.rev) return undefined;
    // Replaced, or gone with its client, since it was looked at: what starts now is what is offered now.
    if (runtime.tools(turn.worldId).get(invocation.toolName) !== call.tool) return undefined;
    if (!now.ok) {
      if (await step.tx.stepTurn(turn, {})) {
        await settleInvocation(runtime, step, invocation, { kind: 'refused', error: now.error });
      }
      return undefined;
    }
    const signed = invocation.callHash !== null && invocation.callHash === now.signed.callHash;
    const gate = await gateCall(step.tx, step.snapshot, call, {
      agentId: turn.agentId,
      chatId: turn.chatId,
      place: now.place,
      decision: signed ? 'approved' : undefined,
      seen: now.signed.seen,
    });
    const started = await act(runtime, step, turn, invocation, call, gate, now);
    return started === undefined ? undefined : { ...started, hasSiblings: invocations.length > 1 };
  });
}

/**
 * Starts an approved call in a step that holds its turn already, where a step of its own would write nothing else. Everything is
 * checked as there; whatever speaks against it is left to that step. Undefined: nothing was written.
 */
export async function startInStep(
  runtime: Runtime,
  step: Step,
  { agentId, chatId, worldId, epoch }: TurnRecord,
  invocation: InvocationRecord,
  call: ReadCall,
  { place, signed }: { place: Place; signed: SignedCall },
): Promise<Omit<Started, 'hasSiblings'> | undefined> {
  if (invocation.status !== 'approved' || invocation.startedAt !== null) return undefined;
  if (invocation.location !== 'server' || !runtime.mayAct()) return undefined;
  const { tool } = call;
  if (tool === undefined || !call.arguments.ok || runtime.tools(worldId).get(call.toolName) !== tool) return undefined;
  const decision = invocation.callHash !== null && invocation.callHash === signed.callHash ? 'approved' : undefined;
  const { seen } = signed;
  const gate = await gateCall(step.tx, step.snapshot, call, { agentId, chatId, place, decision, seen });
  if (gate.kind !== 'run') return undefined;
  const change = { status: 'started' as const, startedEpoch: epoch, startedAt: step.tx.now() };
  if (!(await step.tx.changeInvocation(invocation.id, 'approved', change))) return undefined;
  const begun = { ...invocation, ...change };
  await recordStart(runtime, step, begun, gate);
  const { fingerprint } = signed;
  const { because } = gate;
  return { invocation: begun, tool, value: call.arguments.value, place, because, fingerprint, snapshot: step.snapshot };
}

type Surroundings = { ok: true; place: Place; signed: SignedCall } | { ok: false; error: string };

async function lookAround(
  runtime: Runtime,
  snapshot: WorldSnapshot,
  invocation: InvocationRecord,
  call: ReadCall,
): Promise<Surroundings> {
  try {
    const place = await runtime.findPlace(snapshot);
    return { ok: true, place, signed: await signCall(runtime, call, { ...invocation, place }) };
  } catch (error) {
    return { ok: false, error: `what this call would touch could not be read: ${wordsOf(error)}` };
  }
}

async function act(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  invocation: InvocationRecord,
  call: ReadCall,
  gate: Gate,
  now: Extract<Surroundings, { ok: true }>,
): Promise<Omit<Started, 'hasSiblings'> | undefined> {
  // A call of a dead process that may run again was started in the eyes of everybody: it can only end, not be asked (T4).
  const rerun = invocation.startedAt !== null;
  if (rerun && gate.kind !== 'run') {
    if (await step.tx.stepTurn(turn, {})) {
      await settleInvocation(runtime, step, invocation, cutOff('interrupted'));
    }
    return undefined;
  }
  switch (gate.kind) {
    case 'run': {
      if (call.tool === undefined || !call.arguments.ok)
        throw new Error('the gate let a call through that can not run');
      if (!(await step.tx.stepTurn(turn, {}))) return undefined;
      const startedAt = step.tx.now();
      const change = { status: 'started' as const, startedEpoch: turn.epoch, startedAt };
      if (!(await step.tx.changeInvocation(invocation.id, 'approved', change))) return undefined;
      await recordStart(runtime, step, { ...invocation, ...change }, gate, rerun);
      return {
        invocation: { ...invocation, ...change },
        tool: call.tool,
        value: call.arguments.value,
        place: now.place,
        because: gate.because,
        fingerprint: now.signed.fingerprint,
        snapshot: step.snapshot,
      };
    }
    case 'ask':
      await askAnew(runtime, step, turn, invocation, call, gate, now.signed);
      return undefined;
    case 'refuse':
      if (await step.tx.stepTurn(turn, {})) await refuseCall(runtime, step, invocation, gate);
      return undefined;
  }
}

/** What is said and kept of a start, in the transaction that makes it true. A second run of an idempotent call is no second start (T4). */
export async function recordStart(
  runtime: Pick<Runtime, 'store'>,
  step: Step,
  invocation: InvocationRecord,
  gate: Extract<Gate, { kind: 'run' }>,
  rerun = false,
): Promise<void> {
  if (gate.grantId !== undefined) await step.tx.touchGrant(gate.grantId);
  const about = auditOf(invocation);
  if (!rerun) {
    const begun = invocation.startedAt === null ? {} : { started_at: new Date(invocation.startedAt).toISOString() };
    emitToolEvent(step, invocation, { type: 'TOOL_EXECUTION_STARTED', arguments: about.arguments, ...begun });
  }
  step.tx.record({
    kind: 'run',
    ...about,
    original: sealOriginal(runtime.store.hashKey, invocation, invocation.arguments),
    why: gate.because,
    ...(gate.rule === undefined ? {} : { rule: maskSecrets(gate.rule) }),
  });
}

/** The call, its folder, what it would overwrite or the rules changed since it was shown or approved: a yes was for something else. */
export async function askAnew(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  invocation: InvocationRecord,
  call: ReadCall,
  gate: Extract<Gate, { kind: 'ask' }>,
  signed: SignedCall,
): Promise<boolean> {
  const { callHash } = signed;
  if (call.tool === undefined) throw new Error('a tool that is not there can not be asked for');
  const approvalId = newId('approval');
  const asked: InvocationRecord = { ...invocation, status: 'asked', approvalId, callHash };
  const after = await situationAfter(step.tx, turn, step.snapshot, { invocationId: asked.id, status: 'asked' });
  const waits = after.turn.state === 'waiting';
  if (!(await step.tx.stepTurn(turn, waits ? { state: 'waiting' } : {}))) return false;
  const change = { status: 'asked' as const, approvalId, callHash };
  if (!(await step.tx.changeInvocation(invocation.id, invocation.status, change))) return false;
  const seen = invocation.status === 'asked' ? 'what was shown' : 'what was approved';
  const why = invocation.callHash === null ? gate.why : `${seen} has changed since; ${gate.why}`;
  await askApproval(runtime, step, {
    approvalId,
    invocation: asked,
    tool: call.tool,
    gate: { ...gate, why },
    signed,
  });
  if (waits) await noteActivity(runtime, step, turn.chatId);
  return true;
}
