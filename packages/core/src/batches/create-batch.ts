import { createHash, randomBytes } from 'node:crypto';
import {
  describeNoEffect,
  type CallBatch,
  type Effect,
  type NewBatch,
  type SignedDecision,
  type Signer,
} from '@countersign/protocol';
import { rehearseInQueue } from '../evidence/rehearse-in-queue.js';
import { rulesAbout } from '../evidence/rules-about.js';
import { showEffect, showWhole } from '../evidence/show-effect.js';
import { auditOf } from '../facts/calls.js';
import { maskArguments, maskCallText, maskSecrets } from '../masking/index.js';
import { errorMessage } from '../ports/error-message.js';
import { ToolFailure, type DraftContext, type Drafted, type EffectPaths, type SealedBatch } from '../ports/index.js';
import { batchToSign } from '../requirements/decision-to-sign.js';
import { readAllPeople, showNeeds, signersIn } from '../requirements/needed-signatures.js';
import { createOwnSecretStream } from '../results/index.js';
import { createStop } from '../ports/until-aborted.js';
import type { Runtime } from '../step/runtime.js';
import {
  allRequesters,
  allSigningRules,
  conflict,
  describeCalls,
  hashBatch,
  readWaitingCalls,
  refuseDenied,
  type WaitingCall,
  type WaitingCalls,
} from './prepare-calls.js';

/** A call that was rehearsed as part of a batch. `result`: what the model gets if the batch is approved. */
interface DraftedCall {
  readonly approvalId: string;
  readonly callId: string;
  readonly effect: Effect;
  readonly paths: EffectPaths | undefined;
  readonly result: unknown;
}

/** A batch that waits for a decision. It doesn't survive this process: nothing else is lost with it. */
export interface KeptBatch {
  readonly id: string;
  readonly worldId: string;
  readonly hash: string;
  readonly calls: readonly DraftedCall[];
  /** The call that couldn't be rehearsed, and why. */
  readonly last: { readonly approvalId: string; readonly callHash: string; readonly why: string } | undefined;
  readonly sealed: SealedBatch;
  readonly effect: Effect;
  /** It was approved, and its calls have started: they apply it, and delete its draft. */
  isStarted: boolean;
}

const REHEARSAL_MS = 30_000;
/** Each has a draft on the disk. */
const MOST_KEPT = 20;
const MOST_BETWEEN = 1_000;

/** `making` rejects if there is no batch. */
interface Kept {
  readonly worldId: string;
  /** The ids of those who review it. */
  readonly by: Set<string>;
  readonly making: Promise<KeptBatch>;
}

const kept = new WeakMap<Runtime, Map<string, Kept>>();

/** Oldest first. */
function batchesOf(runtime: Runtime): Map<string, Kept> {
  const found = kept.get(runtime) ?? new Map<string, Kept>();
  kept.set(runtime, found);
  return found;
}

export async function findBatch(runtime: Runtime, worldId: string, id: string): Promise<KeptBatch | undefined> {
  const found = batchesOf(runtime).get(id);
  return found?.worldId === worldId ? await found.making.catch(() => undefined) : undefined;
}

/** Forgets a batch, and deletes its draft. */
export async function dropBatch(runtime: Runtime, id: string): Promise<void> {
  const found = batchesOf(runtime).get(id);
  batchesOf(runtime).delete(id);
  await found?.making.then(discard).catch(() => undefined);
}

async function discard({ isStarted, sealed }: KeptBatch): Promise<void> {
  if (!isStarted) await sealed.discard();
}

/** Deletes the drafts of batches that can't be approved any more, because this call has ended. */
export function discardBatchesOf(runtime: Runtime, endedCallId: string): void {
  for (const { making } of batchesOf(runtime).values()) {
    const discarded = making.then(async (batch) => {
      if (batch.calls.some(({ callId }) => callId === endedCallId)) await discard(batch);
    });
    discarded.catch(() => undefined);
  }
}

/**
 * Rehearses waiting calls of one chat one after another in a copy of the folder (CHANGE11), and keeps what they change together. Applies nothing. The same
 * calls have the same batch while none of it has changed.
 */
export async function createBatch(
  runtime: Runtime,
  worldId: string,
  { approvals }: NewBatch,
  { who }: Signer,
): Promise<CallBatch> {
  const waiting = await readWaitingCalls(runtime, worldId, approvals);
  await refuseDenied(runtime, worldId, waiting.calls);
  const ids = waiting.calls.map(({ approval }) => approval.id);
  const id = `batch_${createHash('sha256')
    .update(JSON.stringify([worldId, ids]))
    .digest('hex')
    .slice(0, 32)}`;
  const known = await findBatch(runtime, worldId, id);
  if (known !== undefined && !(await isStill(runtime, known, waiting))) await dropBatch(runtime, id);
  const all = batchesOf(runtime);
  const found = all.get(id) ?? { worldId, by: new Set(), making: rehearseCalls(runtime, id, worldId, waiting) };
  found.by.add(who.id);
  all.set(id, found);
  found.making.catch(() => all.get(id) === found && all.delete(id));
  makeRoom(runtime);
  return await showBatch(runtime, await found.making, waiting);
}

/** Drops the oldest batches of the person who reviews the most, unless others review them, too. */
function makeRoom(runtime: Runtime): void {
  const all = batchesOf(runtime);
  while (all.size > MOST_KEPT) {
    const people = [...all.values()].flatMap(({ by }) => [...by]);
    const countOf = (id: string): number => people.filter((other) => other === id).length;
    const [most = ''] = people.toSorted((one, other) => countOf(other) - countOf(one));
    const oldest = [...all].find(([, { by }]) => by.delete(most));
    if (oldest?.[1].by.size === 0) void dropBatch(runtime, oldest[0]);
  }
}

/** Whether deciding it would still mean the same: the calls, the rules and the files that it changes. */
export async function isStill(runtime: Runtime, batch: KeptBatch, waiting: WaitingCalls): Promise<boolean> {
  const results = batch.calls.map(({ result }) => result);
  if (hashBatch(runtime, describeCalls(runtime, waiting), results, batch.effect.effectHash) !== batch.hash)
    return false;
  const hold = await batch.sealed.hold();
  await hold?.release();
  return hold !== undefined;
}

async function rehearseCalls(runtime: Runtime, id: string, worldId: string, waiting: WaitingCalls): Promise<KeptBatch> {
  const { calls } = waiting;
  const { batches, rehearsals } = findDrafting(runtime, worldId);
  const [first] = calls;
  if (first === undefined) throw conflict('There are no calls.');
  if (waiting.snapshot.world.settings.rehearse === 'off') throw conflict(describeNoEffect({ reason: 'off' }));
  const { agentId } = first.invocation;
  const drafted: DraftedCall[] = [];
  let last: KeptBatch['last'];
  const runAll = async (copy: string, signal: AbortSignal): Promise<void> => {
    for (const [index, call] of calls.entries()) {
      const found = await draftOne(waiting, call, copy, signal);
      const which = `Call ${index + 1} (${call.approval.toolName})`;
      if ('failed' in found)
        throw conflict(`${which} failed, so the batch ends there: ${showText(runtime, found.failed)}`);
      if ('noEffect' in found) {
        const why = describeNoEffect(found.noEffect);
        if (index < calls.length - 1)
          throw conflict(`${which} can't be rehearsed, and only the last call may be: ${why}`);
        last = { approvalId: call.approval.id, callHash: call.approval.callHash, why };
        return;
      }
      const { effect, paths, result } = found;
      const { approval, invocation } = call;
      drafted.push({ approvalId: approval.id, callId: invocation.id, effect, paths, result });
    }
  };
  const ran = await rehearseInQueue(runtime, {
    rehearsals,
    call: { worldId, agentId, invocationId: id, toolName: 'batch' },
    queue: 'wait',
    limitMs: REHEARSAL_MS,
    signal: createStop().signal,
    run: (signal) =>
      batches
        .seal(first.prepared.place.workingDirectory, signal, (copy) => runAll(copy, signal))
        .catch((error: unknown) => (signal.aborted ? Promise.reject(error as Error) : { error })),
  });
  if ('noEffect' in ran) throw conflict(`The calls were not rehearsed. ${describeNoEffect(ran.noEffect)}`);
  const sealed = ran.found;
  if ('error' in sealed) {
    const { error } = sealed;
    throw error instanceof ToolFailure ? conflict(showText(runtime, errorMessage(error))) : error;
  }
  try {
    if (drafted.length < 2 && last !== undefined)
      throw conflict('Only one of the calls can be rehearsed. Decide them one by one.');
    const judged = drafted.map(({ paths }, index) => ({ paths, prepared: calls[index]?.prepared ?? first.prepared }));
    await refuseDenied(runtime, worldId, judged);
    await refuseDenied(
      runtime,
      worldId,
      judged.map(({ prepared }) => ({ prepared, paths: sealed.paths })),
    );
    const results = drafted.map(({ result }) => result);
    const hash = hashBatch(runtime, describeCalls(runtime, waiting), results, sealed.effect.effectHash);
    const effect = await showWhole(await sealed.show(createStop().signal), runtime.ownSecrets());
    return { id, worldId, hash, calls: drafted, last, sealed, effect, isStarted: false };
  } catch (error) {
    await sealed.discard();
    throw error;
  }
}

/** Runs a call in the copy, under the rules that apply to it alone. */
async function draftOne(
  { snapshot }: WaitingCalls,
  { prepared, invocation }: WaitingCall,
  copy: string,
  signal: AbortSignal,
): Promise<Drafted> {
  const { call, place, uninspected } = prepared;
  const { tool } = call;
  if (tool?.claims?.draft === undefined || !call.arguments.ok) return { noEffect: { reason: 'failed' } };
  const { worldId, chatId, agentId, id: invocationId } = invocation;
  const { withheld, protectedPaths } = rulesAbout(snapshot, agentId, uninspected);
  const context: DraftContext = {
    ...{ worldId, chatId, agentId, invocationId, copy, signal },
    workingDirectory: place.workingDirectory,
    ...(withheld === undefined ? {} : { withheld }),
    get protectedPaths() {
      return protectedPaths();
    },
    ...(place.grants === undefined ? {} : { sandboxGrants: place.grants }),
  };
  try {
    return await tool.claims.draft(call.arguments.value, context);
  } catch (error) {
    signal.throwIfAborted();
    return { failed: errorMessage(error) };
  }
}

function findDrafting(runtime: Runtime, worldId: string) {
  for (const { claims } of runtime.tools(worldId).values())
    if (claims?.batches !== undefined && claims.rehearsals !== undefined)
      return { batches: claims.batches, rehearsals: claims.rehearsals };
  throw conflict(
    'Calls can only be reviewed together where commands run in a sandbox with drafts. Decide them one by one.',
  );
}

async function showBatch(runtime: Runtime, batch: KeptBatch, waiting: WaitingCalls): Promise<CallBatch> {
  const { id, hash, calls, last, effect, sealed } = batch;
  const shown = new Map(
    waiting.calls.map(({ approval, invocation }) => [
      approval.id,
      {
        approvalId: approval.id,
        toolCallId: invocation.id,
        agentId: invocation.agentId,
        toolName: invocation.toolName,
        arguments: maskArguments(invocation.arguments).value,
      },
    ]),
  );
  const show = (approvalId: string) => {
    const found = shown.get(approvalId);
    if (found === undefined) throw new Error('the batch has another call');
    return found;
  };
  const needs = await showBatchNeeds(runtime, batch, waiting);
  return {
    id,
    batchHash: hash,
    calls: calls.map((call) => ({
      ...show(call.approvalId),
      effect: showEffect(call.effect, runtime.ownSecrets()),
    })),
    effect,
    between: findBetween(calls, sealed).map((path) => maskCallText(path)),
    ...(last === undefined ? {} : { last: { ...show(last.approvalId), why: last.why } }),
    ...(needs.length === 0 ? {} : { needs }),
  };
}

/** What a passkey signs to approve a batch, as it is shown now (SIGN2). */
export async function readBatchToSign(
  runtime: Runtime,
  worldId: string,
  id: string,
  batchHash: string,
): Promise<Omit<SignedDecision, 'nonce'>> {
  const batch = await findBatch(runtime, worldId, id);
  if (batch?.hash !== batchHash) throw conflict('The batch has changed. Review the calls together again.');
  const { calls } = await readWaitingCalls(
    runtime,
    worldId,
    batch.calls.map(({ approvalId }) => approvalId),
  );
  return signedBatch(batch, calls, randomBytes(32).toString('hex'));
}

/** What a passkey signs to approve these calls as this batch. */
export function signedBatch(
  { id, hash, effect: { effectHash } }: KeptBatch,
  calls: readonly Pick<WaitingCall, 'approval' | 'invocation'>[],
  salt: string,
): Omit<SignedDecision, 'nonce'> {
  const shown = calls.map(({ approval, invocation }) => ({ ...auditOf(invocation), callHash: approval.callHash }));
  return batchToSign({ id, hash, effectHash }, shown, salt);
}

async function showBatchNeeds(runtime: Runtime, { hash, worldId, calls }: KeptBatch, waiting: WaitingCalls) {
  const members = waiting.calls.filter(({ approval }) => calls.some(({ approvalId }) => approvalId === approval.id));
  const rules = allSigningRules(waiting.snapshot, members);
  if (rules.length === 0) return [];
  const people = await runtime.store.read(async (reader) =>
    signersIn(worldId, await readAllPeople(reader), reader.now()),
  );
  const signing = members.find(({ approval }) => approval.signing !== null)?.approval.signing;
  const signed = (signing?.signed ?? [])
    .filter(({ batch }) => batch === hash)
    .map((signature) => {
      const { batch: _, ...plain } = signature;
      return plain;
    });
  const toolName = members[0]?.approval.toolName ?? '';
  return showNeeds({ rules, signed }, { requesters: allRequesters(waiting.calls), people, toolName });
}

/** Paths that a call wrote and that the whole batch leaves as they were. */
function findBetween(calls: readonly DraftedCall[], { paths, effect }: SealedBatch): string[] {
  const listed = (all: EffectPaths | undefined, { files }: Effect): string[] =>
    all === undefined ? files.map(({ path }) => path) : [...all.added, ...all.changed, ...all.removed];
  const total = new Set(listed(paths, effect));
  const touched = new Set(calls.flatMap((call) => listed(call.paths, call.effect)));
  return [...touched]
    .filter((path) => !total.has(path) && path !== '.')
    .toSorted()
    .slice(0, MOST_BETWEEN);
}

/** Text of a tool or a command, for people. */
function showText(runtime: Runtime, text: string): string {
  const own = createOwnSecretStream(runtime.ownSecrets());
  return maskSecrets(own.push(text) + own.end());
}
