import {
  CountersignError,
  parseInput,
  signerSchema,
  type BatchDecision,
  type Signer,
  type ToolDecision,
  type ToolResultOutcome,
} from '@countersign/protocol';
import {
  decideCall,
  judgeDecision,
  recordDecision,
  recorded,
  recordSignature,
  refuseSignature,
  type DecisionInput,
  type JudgedDecision,
} from '../call/decide.js';
import { gateNeeds } from '../call/gate.js';
import { startApproved } from '../call/start.js';
import { findCall, needsOf, recordRefusal, refused, reloadCall, type FoundCall } from '../decisions/find-call.js';
import { judgeBatchSignature } from '../decisions/judge-signature.js';
import { writeRehearsal } from '../call/ask.js';
import { showEffect } from '../evidence/show-effect.js';
import { ToolFailure, type Hold } from '../ports/index.js';
import type { VerifiedReceipt } from '../requirements/check-receipt.js';
import { signaturesOf, signersOf } from '../requirements/needed-signatures.js';
import { commit, retry, retryStale } from '../step/commit.js';
import { resumeTurn } from '../step/move-turn.js';
import type { Runtime, StartedCall, Step } from '../step/runtime.js';
import { dropBatch, findBatch, isStill, signedBatch, type KeptBatch } from './create-batch.js';
import { allRequesters, conflict, inBatch, readWaitingCalls, refuseDenied } from './prepare-calls.js';
import { runTogether, type Together } from './run-together.js';

/** If a call isn't run by then, it never will be. */
const START_LIMIT_MS = 30_000;

/** What a decision about a batch needs besides what each call needs. */
interface Given {
  readonly batch: KeptBatch;
  readonly sent: BatchDecision;
  readonly signer: Signer;
  /** Already verified, except that it is about this batch. */
  readonly receipt: VerifiedReceipt | undefined;
}

/**
 * Handles a person's decision on a batch (CHANGE11.4): one step decides all calls and starts them, and what they change is applied as a whole or not at
 * all. Refused if a call, a rule or the folder has changed since it was shown.
 */
export async function decideBatch(
  runtime: Runtime,
  worldId: string,
  batchId: string,
  sent: BatchDecision,
  signer: Signer,
  receipt?: VerifiedReceipt,
): Promise<ToolResultOutcome> {
  const by = parseInput(signerSchema, signer, 'signer');
  if (by.who.kind === 'agent') return refused('not-allowed', 'only people can decide a batch');
  const batch = await findBatch(runtime, worldId, batchId);
  if (batch === undefined) return refused('unknown', GONE);
  if (sent.batchHash !== batch.hash) return refused('changed', CHANGED);
  const outcome = await retryStale(() => decideOnce(runtime, { batch, sent, signer: by, receipt }));
  if (outcome.kind === 'recorded' && outcome.state === 'denied') await batch.sealed.discard();
  return outcome;
}

const GONE = 'This batch is no longer kept on this server. Review the calls together again';
const CHANGED = 'A call, a rule or the folder changed after the batch was shown. Review the calls together again';

async function decideOnce(runtime: Runtime, given: Given): Promise<ToolResultOutcome> {
  const { batch, sent } = given;
  const { worldId } = batch;
  const all = [...batch.calls, ...(batch.last === undefined ? [] : [batch.last])];
  const found = await Promise.all(all.map(({ approvalId }) => findCall(runtime, worldId, approvalId)));
  const waits = found.slice(0, batch.calls.length).filter((one) => one?.approval?.status === 'pending');
  if (sent.decision === 'deny' || waits.length === 0)
    return await decideInStep(runtime, given, { found, decidable: [] });
  const waiting = await readWaitingCalls(
    runtime,
    worldId,
    all.map(({ approvalId }) => approvalId),
  ).catch((error: unknown) => {
    if (error instanceof CountersignError && error.code !== 'store-unavailable') return undefined;
    throw error;
  });
  const isSame = waiting !== undefined && (await isStill(runtime, batch, waiting));
  if (isSame) {
    await refuseDenied(runtime, worldId, waiting.calls);
    await runtime.confirmPeople(waiting.calls.flatMap(({ approval }) => signersOf(approval)));
  }
  const hold = isSame ? await batch.sealed.hold() : undefined;
  if (waiting === undefined || hold === undefined) {
    // Someone else has just approved it: it runs as they signed it.
    if (batch.isStarted) retry();
    await dropBatch(runtime, batch.id);
    return refused('changed', CHANGED, 'asked');
  }
  const { rev } = waiting.snapshot.world;
  const decidable = batch.calls.map(({ paths }, index) => {
    const one = waiting.calls[index];
    if (one === undefined) throw conflict(CHANGED);
    const call = inBatch(runtime, one, batch.hash, paths);
    return { ok: true as const, call, shown: call, rev, against: one.invocation.arguments };
  });
  return await decideInStep(runtime, given, { found: waiting.calls, decidable, hold });
}

async function decideInStep(
  runtime: Runtime,
  given: Given,
  {
    found,
    decidable,
    hold,
  }: {
    found: readonly (FoundCall | undefined)[];
    decidable: readonly Extract<NonNullable<DecisionInput['decidable']>, { ok: true }>[];
    hold?: Hold;
  },
): Promise<ToolResultOutcome> {
  const { batch, sent, signer, receipt } = given;
  const { worldId } = batch;
  const together = hold === undefined ? undefined : makeTogether(runtime, given, hold);
  const one: ToolDecision = {
    tool_call_id: batch.id,
    decision: sent.decision,
    ...(sent.reason === undefined ? {} : { reason: sent.reason }),
  };
  const [first] = found;
  const needs = { ...needsOf(first, signer), people: true, ...gateNeeds(decidable.map(({ call }) => call)) };
  let hasStarted = false;
  try {
    return await commit(runtime, 'decision', worldId, needs, (step) => {
      if (hasStarted) batch.isStarted = false;
      hasStarted = false;
      const name = { id: batch.id, hash: batch.hash };
      // Also who requested them is read again: it may have changed while the folder was locked.
      const now = found.map((before) => (before === undefined ? undefined : reloadCall(step, before)));
      const inputs: DecisionInput[] = now.flatMap((call, index) => {
        if (call === undefined) return [];
        const isLast = index >= batch.calls.length;
        if (isLast && sent.decision === 'approve') return [];
        const about = { found: call, sent: one, agentId: undefined, worldId, signer, receipt };
        return [{ ...about, batch: name, decidable: decidable[index] }];
      });
      if (inputs.length < batch.calls.length) return refused('unknown', GONE);
      const outcome = decideAll(runtime, step, inputs, { batch, together, requesters: now });
      if (outcome.kind === 'refused') recordRefusal(step, worldId, inputs[0]?.found, outcome, signer);
      hasStarted = outcome.kind === 'recorded' && outcome.state === 'approved';
      if (hasStarted) batch.isStarted = true;
      return outcome;
    });
  } finally {
    if (!hasStarted) await hold?.release();
    else if (together !== undefined) runtime.clock.after(START_LIMIT_MS, () => together.cancel(), { background: true });
  }
}

function decideAll(
  runtime: Runtime,
  step: Step,
  inputs: readonly DecisionInput[],
  given: { batch: KeptBatch; together: Together | undefined; requesters: readonly (FoundCall | undefined)[] },
): ToolResultOutcome {
  const { batch, together } = given;
  const judged: { input: DecisionInput; verdict: JudgedDecision }[] = [];
  let repeated: ToolResultOutcome | undefined;
  for (const input of inputs) {
    const verdict = judgeDecision(runtime, step, input);
    if (verdict.kind === 'judged') judged.push({ input, verdict });
    else if (verdict.kind === 'repeated') repeated = verdict;
    else return verdict;
  }
  const [first] = judged;
  if (first === undefined) return repeated ?? refused('unknown', GONE);
  if (repeated !== undefined) return refused('settled', 'some of the calls were decided already');
  if (first.verdict.decision.kind === 'deny') {
    for (const { input, verdict } of judged) recordDecision(runtime, step, input, verdict, undefined);
    return recorded(first.input);
  }
  if (together === undefined) return refused('changed', CHANGED, 'asked');
  const signature = judgeAll(step, judged, given);
  if (signature !== undefined && !('needs' in signature)) return refuseSignature(first.input, signature);
  if (signature?.kind === 'more-needed') {
    let outcome: ToolResultOutcome = recorded(first.input);
    for (const { input, verdict } of judged)
      if (verdict.rules.length > 0) outcome = recordSignature(step, input, verdict.approval, signature);
    return outcome;
  }
  for (const [index, { input, verdict }] of judged.entries()) {
    const drafted = batch.calls[index];
    if (drafted !== undefined) {
      const effect = showEffect(drafted.effect, runtime.ownSecrets());
      writeRehearsal(step, input.found.invocation, { signed: asRehearsed(input, effect), claimed: null });
    }
    recordDecision(runtime, step, input, verdict, verdict.rules.length > 0 ? signature : undefined);
  }
  startAll(runtime, step, judged, given);
  return recorded(first.input);
}

function asRehearsed({ decidable }: DecisionInput, effect: KeptBatch['effect']) {
  const signed = decidable?.ok === true ? decidable.call.signed : undefined;
  return signed === undefined ? undefined : { ...signed, rehearsal: { ms: 0, effect } };
}

/** One signature for all calls. Undefined if no rule says who must sign. */
function judgeAll(
  step: Step,
  judged: readonly { input: DecisionInput; verdict: JudgedDecision }[],
  { batch, requesters: found }: { batch: KeptBatch; requesters: readonly (FoundCall | undefined)[] },
) {
  const rules = new Map(judged.flatMap(({ verdict }) => verdict.rules.map((rule) => [rule.rule, rule] as const)));
  const [first] = judged;
  if (rules.size === 0 || first === undefined) return undefined;
  const signing = judged.find(({ verdict }) => verdict.rules.length > 0)?.verdict.approval.signing ?? null;
  const { signer, receipt } = first.input;
  const calls = judged.map(({ input: { found: one }, verdict }) => ({ ...one, approval: verdict.approval }));
  return judgeBatchSignature(
    step,
    {
      rules: [...rules.values()],
      signed: signing === null ? [] : signaturesOf(signing, batch.hash),
      requesters: allRequesters(found.filter((one) => one !== undefined)),
      toolNames: judged.map(({ verdict }) => verdict.approval.toolName),
    },
    { signer, receipt, expected: (salt) => signedBatch(batch, calls, salt) },
  );
}

/** Starts all calls in the step that approved them. Throws if one can't start here: then nothing was decided. */
function startAll(
  runtime: Runtime,
  step: Step,
  judged: readonly { input: DecisionInput; verdict: JudgedDecision }[],
  { batch, together }: { batch: KeptBatch; together: Together | undefined },
): void {
  const turns = new Map<string, StartedCall[]>();
  for (const { input } of judged) {
    const { id } = input.found.turn;
    if (turns.has(id)) continue;
    const isBusy = step.tx
      .openCalls(input.found.turn)
      .some(({ status, runBy }) => status === 'started' && runBy === 'here');
    if (isBusy || !resumeTurn(runtime, step, id)) throw conflict(BUSY);
    turns.set(id, []);
  }
  for (const [index, { input }] of judged.entries()) {
    const { decidable, found } = input;
    const started =
      decidable?.ok === true
        ? startApproved(runtime, step, found.invocation.id, decidable.call, decidable.rev, { isTogether: true })
        : undefined;
    const member = together?.member();
    if (started === undefined || member === undefined) throw conflict(BUSY);
    started.hold = member.hold;
    started.applyTogether = async () => {
      await member.apply();
      return batch.calls[index]?.result;
    };
    turns.get(found.turn.id)?.push(started);
  }
  for (const [turnId, started] of turns) runtime.dispatch.wake(step, turnId, started);
}

const FROZEN = 'nothing was applied: this server did not respond in time';
const BUSY = 'Another call is running, or the rules have just changed. Nothing was decided. Try again in a moment.';

/** Applies the change once all calls have begun. The call that couldn't be rehearsed is decided after that, like any call. */
function makeTogether(runtime: Runtime, { batch, sent, signer }: Given, hold: Hold): Together {
  const callIds = batch.calls.map(({ callId }) => callId);
  const decideLast = async (): Promise<void> => {
    if (batch.last === undefined || sent.approveLast !== true) return;
    const { approvalId, callHash } = batch.last;
    const decision = { tool_call_id: approvalId, callHash, decision: 'approve', scope: 'once' } as const;
    await decideCall(runtime, batch.worldId, undefined, decision, signer);
  };
  let isApplied = false;
  return runTogether(
    callIds.length,
    async () => {
      // If the process froze since the start step, another process may have settled these calls as unknown.
      if (!runtime.process.mayAct()) throw new ToolFailure(FROZEN);
      await batch.sealed.apply(callIds, hold);
      isApplied = true;
    },
    async () => {
      await hold.release();
      await batch.sealed.discard();
      if (!isApplied) batch.isStarted = false;
      // Not awaited: the other calls have ended. If it fails, the call still waits for a decision.
      if (isApplied)
        void decideLast().catch((error: unknown) =>
          runtime.report(error, 'failed to approve the last call of a batch'),
        );
    },
  );
}
