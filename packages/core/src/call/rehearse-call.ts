import type { Gate } from '../policy/check-tool-approval.js';
import { mayBeAllowedByEffect, namesPath } from '../policy/index.js';
import { CountersignError } from '@countersign/protocol';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { EffectPaths, RehearsalContext, RehearsalRecord, Rehearsals } from '../ports/index.js';
import { readState } from '../step/commit.js';
import { dropRehearsal } from '../step/drop-rehearsal.js';
import type { Place, Runtime } from '../step/runtime.js';
import { gateCall, gateNeeds } from './gate.js';
import { hasRoom } from './ask.js';
import { judgeCall, type JudgedCall } from '../evidence/subjects.js';
import type { ParsedCall } from './parse.js';
import { REHEARSAL_LIMIT_MS } from '../evidence/limit-time.js';
import { findPredictor, predictCall } from '../evidence/predict-call.js';
import { rehearseInQueue, withoutEffect } from '../evidence/rehearse-in-queue.js';
import { policiesOf, rulesAbout } from '../evidence/rules-about.js';
import { newId } from '../turn/ids.js';
import { showEffect } from '../evidence/show-effect.js';
import { coverEffect, signCall, type SignedCall } from '../evidence/sign-call.js';

/** The call to sign, and where it would run. */
export interface CallSetting {
  worldId: string;
  chatId: string;
  agentId: string;
  /** The id of the call. */
  id: string;
  /** The last question about it. */
  approvalId?: string | null;
  place: Place;
  isReview?: boolean;
  /** Whether people have been asked about this call. It is then rehearsed even if a rule allows it, because a yes applies what they saw. */
  wasAsked: boolean;
  signal: AbortSignal;
}

/** A call as the gate and a signature see it. */
export interface JudgedAndSigned {
  judged: JudgedCall;
  signed: SignedCall;
}

/**
 * Signs a call in its current state (A7). If it needs approval or rules about effects decide, and its tool can rehearse it, it is rehearsed first, and
 * the signature covers the effect (A52, A54). The effect of a call that another program runs is only predicted (A60). Calls that other rules deny or
 * allow are never rehearsed. Rejects like `signCall`.
 */
export async function signAndRehearse(
  runtime: Runtime,
  call: ParsedCall,
  about: CallSetting,
): Promise<JudgedAndSigned> {
  const { agentId, chatId, place, isReview } = about;
  const signed = await signCall(runtime, call, about);
  const setting = { agentId, chatId, place, seen: signed.seen, ...(isReview === undefined ? {} : { isReview }) };
  const judged = judgeCall(call, setting);
  const { tool } = call;
  // Predicted once, when the call is made: nothing that is signed or applied depends on it.
  const predictor = about.wasAsked ? undefined : findPredictor(runtime, about.worldId, call);
  if (tool === undefined || (!canRehearse(call) && predictor === undefined)) return { judged, signed };
  const needs = { chats: [], pendingOf: agentId, ...gateNeeds([judged]) };
  const state = await readState(runtime, about.worldId, needs, ({ tx, snapshot }) => {
    const gate = gateCall(tx, snapshot, judged);
    const mayRun = (): boolean => mayBeAllowedByEffect(policiesOf(snapshot, agentId), judged.policyCall);
    return isNeeded(gate, about.wasAsked, () => hasRoom(tx, agentId), mayRun) ? { gate, snapshot } : undefined;
  });
  if (state === undefined) return { judged, signed };
  const shown = await shownWithoutEffect(runtime, call, about);
  if (shown !== undefined) return { judged, signed: { ...signed, rehearsal: shown } };
  if (predictor !== undefined) {
    if (state.gate.kind !== 'ask') return { judged, signed };
    const rehearsal = await predictCall(runtime, predictor, judged, { ...about, snapshot: state.snapshot });
    return { judged, signed: { ...signed, rehearsal } };
  }
  const { record, paths } = await rehearse(runtime, tool?.claims?.rehearsals, judged, state, about);
  return { judged: withEffect(judged, paths), signed: coverEffect(runtime, call, about, signed, record) };
}

/** What people saw of exactly this call, if other agents kept the rehearsals busy. Approving it must not wait for another attempt (A53.4). */
async function shownWithoutEffect(
  { store }: Runtime,
  { argumentsText }: ParsedCall,
  { wasAsked, approvalId, id }: CallSetting,
): Promise<RehearsalRecord | undefined> {
  if (!wasAsked || approvalId === undefined || approvalId === null) return undefined;
  const [approval, invocation] = await store.read((reader) =>
    Promise.all([reader.approval(approvalId), reader.invocation(id)]),
  );
  const record = approval?.rehearsal;
  const isBusy = record !== null && record !== undefined && 'noEffect' in record && record.noEffect.reason === 'busy';
  return isBusy && invocation?.arguments === argumentsText ? record : undefined;
}

/** Rehearses a call that nobody made, for a check of the rules, and deletes the draft. Rejects with `invalid` if its tool can't rehearse it. */
export async function rehearseToCheck(
  runtime: Runtime,
  judged: JudgedCall,
  state: { gate: Gate; snapshot: WorldSnapshot },
  about: Omit<CallSetting, 'id' | 'wasAsked'>,
): Promise<{ judged: JudgedCall; record: RehearsalRecord }> {
  const { tool, toolName } = judged.call;
  if (tool?.external === true) {
    const why = `Rules about effects can't allow calls to ${toolName}, so there is nothing to rehearse: its program runs them itself.`;
    throw new CountersignError('invalid', why, { field: 'rehearse' });
  }
  if (tool === undefined || !canRehearse(judged.call))
    throw new CountersignError('invalid', `Calls to ${toolName} can't be rehearsed.`, { field: 'rehearse' });
  const id = newId('call');
  try {
    const { record, paths } = await rehearse(runtime, tool?.claims?.rehearsals, judged, state, {
      ...about,
      id,
      wasAsked: false,
    });
    return { judged: withEffect(judged, paths), record };
  } finally {
    dropRehearsal(runtime, tool, id);
  }
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

/** The call as rules about effects judge it. */
function withEffect(judged: JudgedCall, effect: EffectPaths | undefined): JudgedCall {
  return effect === undefined ? judged : { ...judged, policyCall: { ...judged.policyCall, effect } };
}

/** Whether the tool can rehearse this call. */
function canRehearse({ tool, arguments: args }: ParsedCall): boolean {
  return tool?.claims?.rehearsals !== undefined && tool.claims.question === undefined && args.ok;
}

/** What people see of a rehearsal, and what rules about effects judge. `paths` are complete and unmasked. */
interface Rehearsed {
  record: RehearsalRecord;
  paths?: EffectPaths;
}

async function rehearse(
  runtime: Runtime,
  rehearsals: Rehearsals | undefined,
  { call, withoutFound }: JudgedCall,
  { gate, snapshot }: { gate: Gate; snapshot: WorldSnapshot },
  about: CallSetting,
): Promise<Rehearsed> {
  if (rehearsals === undefined || !call.arguments.ok) throw new Error("a call that can't run can't be rehearsed");
  if (snapshot.world.settings.rehearse === 'off') return { record: { noEffect: { reason: 'off' } } };
  const { worldId, chatId, agentId, id: invocationId, place, signal } = about;
  const { value } = call.arguments;
  const { withheld, protectedPaths } = rulesAbout(snapshot, agentId, withoutFound);
  const policies = policiesOf(snapshot, agentId);
  const isUnseen =
    snapshot.world.settings.mode === 'auto' &&
    !about.wasAsked &&
    isAboutEffect(gate) &&
    !mayBeAllowedByEffect(policies, withoutFound);
  const contextOf = (limit: AbortSignal): RehearsalContext => ({
    worldId,
    chatId,
    agentId,
    invocationId,
    workingDirectory: place.workingDirectory,
    ...(withheld === undefined ? {} : { withheld }),
    get protectedPaths() {
      return protectedPaths();
    },
    // Only a rule about effects may still require approval, so the limits of a run that nobody sees apply (A36).
    ...(isUnseen ? { mayCreate: namesPath(policies, place) } : {}),
    ...(place.grants === undefined ? {} : { sandboxGrants: place.grants }),
    signal: limit,
  });
  const ran = await rehearseInQueue(runtime, {
    rehearsals,
    call: { worldId, agentId, invocationId, toolName: call.toolName },
    // Agents that propose much must not hold up a decision.
    queue: about.wasAsked ? 'skip' : 'wait',
    limitMs: REHEARSAL_LIMIT_MS,
    signal,
    run: (limit) => rehearsals.rehearse(value, contextOf(limit)),
  });
  if ('record' in ran) return ran;
  const { found, ms } = ran;
  if (found.fingerprint === undefined) return { record: withoutEffect(found.noEffect, ms) };
  const effect = showEffect(found.effect, runtime.ownSecrets());
  const paths = readPaths(found.paths);
  return { record: { ms, effect }, ...(paths === undefined ? {} : { paths }) };
}

/** Undefined if the tool returned something else. The effect then counts as unknown. */
function readPaths(found: unknown): EffectPaths | undefined {
  if (typeof found !== 'object' || found === null) return undefined;
  const paths = found as EffectPaths;
  const { added, changed, removed, outward, leftOut } = paths;
  const lists: readonly unknown[] = [added, changed, removed, outward, leftOut];
  const isList = (list: unknown): boolean => Array.isArray(list) && list.every((path) => typeof path === 'string');
  return lists.every(isList) ? paths : undefined;
}

function isAboutEffect(gate: Gate): boolean {
  return gate.kind === 'ask' && gate.reason.code === 'effect-unknown';
}
