import {
  CountersignError,
  parseInput,
  signerSchema,
  whyNotUndone,
  type Signer,
  type UndoableCall,
  type UndoPreview,
  type Who,
} from '@countersign/protocol';
import { requesterOf } from '../requirements/needed-signatures.js';
import { placeOfCall } from '../step/place.js';
import { mayNeedSigners } from '../call/gate.js';
import { callOf } from '../call/parse.js';
import { toPrepared } from '../evidence/prepared-call.js';
import { showEffect } from '../evidence/show-effect.js';
import { maskArguments, maskCallText } from '../masking/index.js';
import { judgeWritten } from '../policy/index.js';
import { errorMessage } from '../ports/error-message.js';
import type { CallRecord, StoreReader, Undos, UndoState } from '../ports/index.js';
import { policiesOf, type WorldSnapshot } from '../memory/world-snapshot.js';
import { undoId } from '../turn/ids.js';
import { chatIn, commit, noWorld, readSnapshot } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { cannotAsk } from './find-call.js';

/** A settled call, and what can undo it. */
interface FoundUndo {
  call: CallRecord;
  requester: Who | undefined;
  /** Undefined if its tool can't undo calls. */
  undos: Undos | undefined;
  /** Why one person may not undo it under the rules of this world now. */
  refusal: (snapshot: WorldSnapshot, kept: UndoState) => UndoPreview | undefined;
  snapshot: WorldSnapshot;
}

/** The calls of a world that can be undone on this machine, newest first. */
export async function listUndoable(runtime: Runtime, worldId: string): Promise<UndoableCall[]> {
  const found = new Map<string, number>();
  for (const { claims } of runtime.tools(worldId).values()) {
    const undos = claims?.undos;
    if (undos === undefined) continue;
    for (const { invocationId, until } of await undos.list()) found.set(invocationId, until);
  }
  const calls = await runtime.store.read(async (reader) => {
    if ((await reader.world(worldId)) === undefined) throw noWorld(worldId);
    const all = await Promise.all([...found.keys()].map((id) => reader.invocation(id)));
    return all.filter((call) => call !== undefined);
  });
  return calls
    .flatMap(({ id, worldId: of, chatId, agentId, toolName, arguments: text, settledAt }): UndoableCall[] => {
      if (of !== worldId || settledAt === null) return [];
      const undoUntil = new Date(found.get(id) ?? 0).toISOString();
      const about = { chatId, agentId, toolName, arguments: maskArguments(text).value };
      return [{ toolCallId: id, ...about, settledAt: new Date(settledAt).toISOString(), undoUntil }];
    })
    .toSorted((a, b) => (a.settledAt < b.settledAt ? 1 : -1));
}

/** Whether a person has undone a call. The transcript says so. */
export async function wasUndone(reader: StoreReader, { id, turnId }: CallRecord): Promise<boolean> {
  return (await reader.messagesOfTurn(turnId)).some(({ toolCallId }) => toolCallId === undoId(id));
}

/** What undoing a call would do now. Changes nothing. */
export async function previewUndo(runtime: Runtime, worldId: string, callId: string): Promise<UndoPreview> {
  return (await previewFound(runtime, await findUndo(runtime, worldId, callId))).preview;
}

async function previewFound(
  runtime: Runtime,
  { call, undos, refusal, snapshot }: FoundUndo,
): Promise<{ preview: UndoPreview; kept: UndoState }> {
  const kept: UndoState = undos === undefined ? { kind: 'gone' } : await undos.preview(call.id);
  const others = await findOthers(runtime, call, kept);
  const refusals = [refusal, ...others.map((other) => other.refusal)].map((refuse) => refuse(snapshot, kept));
  return { preview: refusals.find((one) => one !== undefined) ?? show(runtime, kept), kept };
}

/** The calls that were approved together with this one, and are undone with it (CHANGE11.6). */
async function findOthers(runtime: Runtime, { id, worldId }: CallRecord, kept: UndoState): Promise<FoundUndo[]> {
  if (kept.kind !== 'ready') return [];
  const others = (kept.callIds ?? []).filter((other) => other !== id);
  return await Promise.all(others.map((other) => findUndo(runtime, worldId, other)));
}

/** Whether the world has another folder now. Rules of another world may protect the old one. */
function isElsewhere(runtime: Runtime, snapshot: WorldSnapshot, kept: UndoState): boolean {
  if (kept.kind !== 'ready' || kept.workingDirectory === undefined) return false;
  try {
    return runtime.findPlace(snapshot).workingDirectory !== kept.workingDirectory;
  } catch {
    return true;
  }
}

/**
 * Reverts what a call has changed, if undoing it still has the effect that the person saw. Their signature is recorded first. Throws `conflict` if
 * nothing was reverted. Agents can't undo anything.
 */
export async function undoCall(
  runtime: Runtime,
  worldId: string,
  callId: string,
  { effectHash }: { effectHash: string },
  signer: Signer,
): Promise<UndoPreview> {
  const by = parseInput(signerSchema, signer, 'signer');
  if (by.who.kind === 'agent' || by.who.kind === 'system') throw refused('Only people can undo calls.');
  const found = await findUndo(runtime, worldId, callId);
  const { call, undos } = found;
  const { preview, kept } = await previewFound(runtime, found);
  if (undos === undefined || preview.state !== 'ready') throw refused(whyNotUndone(preview));
  if (preview.effect.effectHash !== effectHash) throw refused(CHANGED);
  const all = [found, ...(await findOthers(runtime, call, kept))];
  const write = async (state: 'signed' | 'done' | 'failed', why?: string): Promise<void> => {
    const needs = { chats: [call.chatId], clients: by.client === undefined ? [] : [by.client] };
    await commit(runtime, 'undo-call', worldId, needs, (step) => {
      chatIn(step.tx.chat(call.chatId), worldId, call.chatId);
      if (cannotAsk(step, by)) throw refused("This client registered with approvals: false, so it can't undo calls.");
      // A rule may have been added since the preview, or the world's folder changed.
      for (const one of all) {
        const { requester } = one;
        const refusedNow = state === 'signed' ? one.refusal(step.snapshot, kept) : undefined;
        if (refusedNow !== undefined) throw refused(whyNotUndone(refusedNow));
        const more = { ...(why === undefined ? {} : { why }), ...(requester === undefined ? {} : { requester }) };
        step.tx.write({ kind: 'call-undo', state, call: one.call, effectHash, by, ...more });
      }
      // The model's view of an ended turn is cached, and now also says that the call was undone.
      step.afterCommit(() => runtime.caches.memory.forgetChat(call.chatId));
    });
  };
  await write('signed');
  const undone = await undos.undo(callId, effectHash).catch(async (error: unknown) => {
    await write('failed', errorMessage(error));
    throw error;
  });
  if (undone === 'done') {
    await write('done');
    return { state: 'undone' };
  }
  const now = show(runtime, undone);
  const why = now.state === 'ready' ? CHANGED : whyNotUndone(now);
  await write('failed', why);
  throw refused(why);
}

const GONE: UndoPreview = { state: 'gone' };
const NEEDS_SIGNERS: UndoPreview = { state: 'needs-signers' };
const CHANGED = 'Undoing this call would do something else now. Look at it again. Nothing was changed.';

function refused(detail: string): CountersignError {
  return new CountersignError('conflict', detail);
}

async function findUndo(runtime: Runtime, worldId: string, callId: string): Promise<FoundUndo> {
  const { call, requester, hasSigners } = await runtime.store.read(
    async (reader) => await findSettledCall(reader, worldId, callId),
  );
  const snapshot = await readSnapshot(runtime, worldId);
  if (snapshot === undefined) throw noWorld(worldId);
  const tool = call.settledAt === null ? undefined : runtime.tools(worldId).get(call.toolName);
  const place = await placeOfCall(runtime, snapshot, call).catch(() => undefined);
  const prepared = place === undefined ? undefined : toPrepared(callOf(runtime, call), { ...call, place });
  return {
    call,
    requester,
    snapshot,
    refusal(current, kept) {
      if (kept.kind !== 'ready') return undefined;
      if (isElsewhere(runtime, current, kept)) return GONE;
      if (hasSigners || mayNeedSigners(current, call.agentId, prepared)) return NEEDS_SIGNERS;
      // A call that can't be judged is still one that writes files in the world's folder.
      const { policyCall = { tool: call.toolName, subjects: [], place: runtime.findPlace(current) } } = prepared ?? {};
      const state = judgeWritten(policiesOf(current, call.agentId), policyCall, kept.paths);
      return state === undefined ? undefined : { state };
    },
    undos: tool?.claims?.undos,
  };
}

/** Also for a call in another world, so that its existence isn't revealed. */
async function findSettledCall(
  reader: StoreReader,
  worldId: string,
  callId: string,
): Promise<Pick<FoundUndo, 'call' | 'requester'> & { hasSigners: boolean }> {
  if ((await reader.world(worldId)) === undefined) throw noWorld(worldId);
  const call = await reader.invocation(callId);
  if (call?.worldId !== worldId) throw new CountersignError('not-found', `there is no call "${callId}" in this world`);
  const approval = call.approvalId === null ? undefined : await reader.approval(call.approvalId);
  const requester = requesterOf(await reader.turn(call.turnId));
  return { call, requester, hasSigners: approval !== undefined && approval.signing !== null };
}

function show(runtime: Runtime, found: UndoState): UndoPreview {
  switch (found.kind) {
    case 'ready':
      return { state: 'ready', effect: showEffect(found.effect, runtime.ownSecrets()) };
    case 'conflict':
      return { state: 'conflict', paths: found.paths.map((path) => maskCallText(path)) };
    case 'undone':
    case 'gone':
      return { state: found.kind };
  }
}
