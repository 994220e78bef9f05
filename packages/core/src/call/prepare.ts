import type { Question } from '@countersign/protocol';
import { setImmediate } from 'node:timers/promises';
import { predictCall, findPredictor } from '../evidence/predict-call.js';
import { inspectCall } from '../evidence/inspect-call.js';
import { toPrepared, type CallSetting as AnyCallSetting, type PreparedCall } from '../evidence/prepared-call.js';
import { canRehearse, rehearseCall } from '../evidence/rehearse-call.js';
import { policiesOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import type { Gate } from '../policy/check-tool-approval.js';
import { mayBeAllowedByEffect } from '../policy/index.js';
import { errorMessage } from '../ports/error-message.js';
import type { RehearsalRecord } from '../ports/index.js';
import { readState } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { gateCall, gateNeeds } from './gate.js';
import { hasRoom } from './limit-waiting.js';
import type { ParsedCall } from './parse.js';

/** An agent's call that is to be prepared. */
export interface CallSetting extends AnyCallSetting {
  agentId: string;
  /** The last question about it. */
  approvalId?: string | null;
  /** Whether people have been asked about this call. It is then rehearsed even if a rule allows it, because a yes applies what they saw. */
  wasAsked: boolean;
  signal: AbortSignal;
}

/** Prepares a call that is about to be proposed. Never rejects: a call that can't be prepared can't run, and says why. */
export async function prepareProposal(
  runtime: Runtime,
  call: ParsedCall,
  { problem, ...setting }: Omit<CallSetting, 'wasAsked'> & { problem: string | undefined },
): Promise<PreparedCall> {
  if (problem !== undefined) return withQuestion({ ...toPrepared(call, setting), problem });
  try {
    return withQuestion(await prepareCall(runtime, call, { ...setting, wasAsked: false }));
  } catch (error) {
    const why = `could not determine what this call would change: ${errorMessage(error)}`;
    return withQuestion({ ...toPrepared(call, setting), problem: why });
  }
}

export function withQuestion(
  prepared: PreparedCall,
  asking: { question?(args: unknown): Question } | undefined = prepared.call.tool?.claims,
): PreparedCall {
  const { arguments: args } = prepared.call;
  if (asking?.question === undefined || !args.ok) return prepared;
  try {
    return { ...prepared, question: asking.question(args.value) };
  } catch (error) {
    return { ...prepared, problem: `the question is invalid: ${errorMessage(error)}` };
  }
}

/**
 * Prepares a call in its current state (CALL7). If it needs approval or rules about effects decide, and its tool can rehearse it, it is rehearsed, and
 * its hash covers the effect (CHANGE6, RULE10). The effect of a call that another program runs is only predicted (CHANGE9). Calls that other rules deny or
 * allow are never rehearsed. Rejects like `inspectCall`.
 */
export async function prepareCall(runtime: Runtime, call: ParsedCall, about: CallSetting): Promise<PreparedCall> {
  const { agentId, worldId, wasAsked } = about;
  const prepared = await inspectCall(runtime, call, about);
  await letOthersRun(call);
  // Predicted once, when the call is made: nothing that is signed or applied depends on it.
  const predictor = wasAsked ? undefined : findPredictor(runtime, worldId, call);
  if (!canRehearse(call) && predictor === undefined) return prepared;
  const needs = { chats: [], pendingOf: agentId, ...gateNeeds([prepared]) };
  const state = await readState(runtime, worldId, needs, ({ tx, snapshot }) => {
    const gate = gateCall(tx, snapshot, prepared);
    const mayRun = (): boolean => mayBeAllowedByEffect(policiesOf(snapshot, agentId), prepared.policyCall);
    return isNeeded(gate, wasAsked, () => hasRoom(tx, agentId), mayRun) ? { gate, snapshot } : undefined;
  });
  if (state === undefined) return prepared;
  const shown = await shownWithoutEffect(runtime, call, about);
  if (shown !== undefined) return withRecord(prepared, shown);
  if (predictor === undefined) return await rehearseCall(runtime, prepared, state, about);
  if (state.gate.kind !== 'ask') return prepared;
  const found = await predictCall(runtime, predictor, prepared, { ...about, snapshot: state.snapshot });
  return 'isClaim' in found ? { ...prepared, claimed: { ...prepared.claimed, ...found } } : withRecord(prepared, found);
}

/** Reading, inspecting and judging a long call each take up to 20 ms, and together they would block everyone for twice the limit. */
export async function letOthersRun({ argumentsText }: Pick<ParsedCall, 'argumentsText'>): Promise<void> {
  if (argumentsText.length > LONG) await setImmediate();
}
const LONG = 8 * 1024;

function withRecord(prepared: PreparedCall, rehearsal: RehearsalRecord): PreparedCall {
  return prepared.signed === undefined ? prepared : { ...prepared, signed: { ...prepared.signed, rehearsal } };
}

/** What people saw of exactly this call, if other agents kept the rehearsals busy. Approving it must not wait for another attempt (CHANGE8.7). */
async function shownWithoutEffect(
  { store }: Runtime,
  { argumentsText }: ParsedCall,
  { wasAsked, approvalId, id }: CallSetting,
): Promise<RehearsalRecord | undefined> {
  if (!wasAsked || approvalId === undefined || approvalId === null) return undefined;
  const [approval, call] = await store.read((reader) =>
    Promise.all([reader.approval(approvalId), reader.invocation(id)]),
  );
  const record = approval?.rehearsal;
  const isBusy = record !== null && record !== undefined && 'noEffect' in record && record.noEffect.reason === 'busy';
  return isBusy && call?.arguments === argumentsText ? record : undefined;
}

/** Whether to rehearse a call that the gate judged without an effect. `mayRun`: a rule about effects may allow it without asking anyone. */
function isNeeded(gate: Gate, wasAsked: boolean, hasRoom: () => boolean, mayRun: () => boolean): boolean {
  switch (gate.kind) {
    case 'run':
      return wasAsked;
    case 'ask':
      return wasAsked || hasRoom() || mayRun();
    case 'refuse':
      return gate.reason.code === 'unattended' && !wasAsked && mayRun();
  }
}

/** False if the world or a tool changed since the calls were parsed. Each call is then parsed again before it starts. */
export function isAsSeen(
  runtime: Runtime,
  step: Step,
  seen: WorldSnapshot,
  prepared: readonly PreparedCall[],
): boolean {
  if (step.snapshot.world.rev !== seen.world.rev) return false;
  const tools = runtime.tools(seen.world.id);
  return prepared.every(({ call }) => tools.get(call.toolName) === call.tool);
}
