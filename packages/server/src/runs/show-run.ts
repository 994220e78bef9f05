import { maskSecrets, wasUndone } from '@countersign/core';
import type { CallRecord, StoreReader } from '@countersign/core/ports';
import { signerSchema, type Run, type RunState } from '@countersign/protocol';
import type { KeptRun } from '@countersign/tools';
import { KEPT_MS } from './runs.js';

/** A call that failed before it began to apply, as when the server was killed. */
const NEVER_APPLIED = 'Its call failed before it applied anything.';

/** What became of a run, from its folder and from the call that may apply it. */
export async function showRun(reader: StoreReader, { record, ended, status }: KeptRun): Promise<Run> {
  const call = status?.callId === undefined ? undefined : await reader.invocation(status.callId);
  const approval = call?.approvalId === null || call === undefined ? undefined : await reader.approval(call.approvalId);
  const first = stateOf(ended !== undefined, status, call);
  const state = first === 'applied' && call !== undefined && (await wasUndone(reader, call)) ? 'undone' : first;
  const rehearsal = approval?.rehearsal;
  const requests = status?.requests ?? [];
  const request = state === 'sent-back' ? requests.at(-1) : undefined;
  const reason =
    state === 'denied'
      ? (approval?.reason ?? undefined)
      : (status?.reason ?? (state === 'failed' ? NEVER_APPLIED : undefined));
  const keptFrom = keptSince(state, status, call);
  return {
    id: record.id,
    world: record.worldId,
    program: record.program.map((word) => maskSecrets(word)),
    ...(record.agent === undefined ? {} : { agent: record.agent }),
    state,
    startedAt: new Date(record.startedAt).toISOString(),
    ...(ended === undefined ? {} : { exitCode: ended.exitCode }),
    ...(record.part === undefined ? {} : { partOf: record.part.of }),
    startedBy: signerSchema.parse(record.by).who,
    ...(request === undefined ? {} : { request }),
    ...(keptFrom === undefined ? {} : { keptUntil: new Date(keptFrom + KEPT_MS).toISOString() }),
    ...(call === undefined ? {} : { callId: call.id, chatId: call.chatId }),
    ...(approval?.status === 'pending' ? { approvalId: approval.id } : {}),
    ...(rehearsal !== null && rehearsal !== undefined && 'effect' in rehearsal ? { effect: rehearsal.effect } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

function stateOf(hasEnded: boolean, status: KeptRun['status'], call: CallRecord | undefined): RunState {
  if (!hasEnded) return 'running';
  switch (status?.state) {
    case undefined:
    case 'restarted':
      return 'ended';
    case 'waiting':
      return stateOfCall(call);
    case 'applying':
      return 'waiting';
    case 'kept':
      return status.why ?? 'failed';
    case 'applied':
    case 'unchanged':
    case 'discarded':
    case 'sent-back':
      return status.state;
  }
}

function stateOfCall(call: CallRecord | undefined): RunState {
  switch (call?.status) {
    case undefined:
      return 'ended';
    case 'denied':
      return 'denied';
    case 'failed':
    case 'succeeded':
      return 'failed';
    case 'asked':
    case 'approved':
    case 'started':
      return 'waiting';
  }
}

/** Since when nothing happens to a run by itself. Undefined while it runs, and while somebody may still decide. */
export function keptSince(
  state: RunState,
  status: KeptRun['status'],
  call: CallRecord | undefined,
): number | undefined {
  switch (state) {
    case 'running':
    case 'ended':
    case 'waiting':
      return undefined;
    case 'denied':
      return call?.settledAt ?? status?.at;
    case 'applied':
    case 'undone':
    case 'conflict':
    case 'discarded':
    case 'failed':
    case 'sent-back':
    case 'unchanged':
      return status?.state === 'waiting' ? (call?.settledAt ?? status.at) : status?.at;
  }
}
