import type { ToolDecision } from '@countersign/protocol';
import type { ApprovalRecord, InvocationRecord, StepNeeds } from '../ports/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { maskArguments, reveal } from '../masking/index.js';
import { gateNeeds } from '../calls/gate-call.js';
import { judgeCall, readCall, type JudgedCall, type ReadCall, bringTool } from '../calls/read-call.js';
import { signCall, type SignedCall } from '../calls/sign-call.js';
import { readSnapshot } from '../step/commit.js';
import type { Place, Runtime } from '../step/runtime.js';
import { wordsOf } from '../ports/words-of.js';

/** What an approval would sign now (A7). `ok: false`: why it can't be signed. */
export type CallToSign =
  | {
      ok: true;
      /** The call as it would run: as it was shown, or with edited arguments. */
      call: ReadCall;
      judged: JudgedCall;
      signed: SignedCall;
      place: Place;
      /** The world's `rev` when the call was read. */
      rev: number;
      /** The stored arguments when this was read. If they differ now, the decision is for another version. */
      against: string;
      /** The call as it was shown. If its hash differs from the approval's, it has changed since. */
      shown: { judged: JudgedCall; signed: SignedCall };
    }
  | { ok: false; detail: string };

/** Reads and signs the call before the step, because files may have to be read. Undefined if there is nothing to sign. */
export async function readCallToSign(
  runtime: Runtime,
  worldId: string,
  found: { invocation: InvocationRecord; snapshot?: WorldSnapshot },
  sent: ToolDecision,
): Promise<CallToSign | undefined> {
  const { invocation } = found;
  if (sent.decision !== 'approve' || invocation.worldId !== worldId) return undefined;
  const snapshot = found.snapshot ?? (await readSnapshot(runtime, worldId));
  if (snapshot === undefined) return undefined;
  const missing = await bringTool(runtime, worldId, invocation.toolName);
  if (missing !== undefined) return { ok: false, detail: missing };
  const tool = runtime.tools(worldId).get(invocation.toolName);
  try {
    const place = runtime.findPlace(snapshot);
    let text = invocation.arguments;
    if (sent.arguments !== undefined) {
      const revealed = reveal(sent.arguments, maskArguments(invocation.arguments).secrets);
      if (!revealed.ok) return { ok: false, detail: `arguments: ${revealed.unknown} is an unknown placeholder` };
      text = JSON.stringify(revealed.value);
    }
    const call = readCall(tool, invocation.toolName, text);
    if (sent.arguments !== undefined && !call.arguments.ok)
      return { ok: false, detail: `arguments: ${call.arguments.error}` };
    const signed = await signCall(runtime, call, { ...invocation, place });
    const judged = judgeCall(call, { ...invocation, place, seen: signed.seen });
    let shown = { judged, signed };
    if (text !== invocation.arguments) {
      const before = readCall(tool, invocation.toolName, invocation.arguments);
      const signedBefore = await signCall(runtime, before, { ...invocation, place });
      shown = { judged: judgeCall(before, { ...invocation, place, seen: signedBefore.seen }), signed: signedBefore };
    }
    return {
      ok: true,
      call,
      judged,
      signed,
      place,
      rev: snapshot.world.rev,
      against: invocation.arguments,
      shown,
    };
  } catch (error) {
    return { ok: false, detail: `could not prepare the call for approval: ${wordsOf(error)}` };
  }
}

/** Whether its folder, its tool or the file it would overwrite has changed since the approval was requested. */
export function hasChanged(toSign: Extract<CallToSign, { ok: true }>, approval: ApprovalRecord): boolean {
  return toSign.shown.signed.callHash !== approval.callHash;
}

/** What a step must load to decide the call. */
export function needsToSign(toSign: CallToSign | undefined): Partial<StepNeeds> {
  if (toSign?.ok !== true) return {};
  const { judged, shown } = toSign;
  return gateNeeds(judged === shown.judged ? [judged] : [judged, shown.judged]);
}
