import type { ApprovalView, ChatState, Invocation } from '../../state/state.js';
import { get, values } from '../../state/table.js';
import { changeEntries, hasFiles, type ChangeEntry } from './change-entries.js';

/** A call that changed files. */
export interface ChangingCall {
  readonly call: Invocation;
  readonly approval: ApprovalView | undefined;
  /** If people signed exactly what was applied: the approval that shows it. */
  readonly signed: ApprovalView | undefined;
  /** Otherwise, what the call itself says. Empty if nothing says which files it changed. */
  readonly entries: readonly ChangeEntry[];
  /** Whether it may have changed only a part of that, or nothing. */
  readonly isUnsure: boolean;
}

/** The calls of a chat that changed files, newest first, as far as they are loaded. `kept`: those that can be undone, so they did change something. */
export function chatChanges(
  { invocations, approvals }: Pick<ChatState, 'invocations' | 'approvals'>,
  kept: ReadonlySet<string>,
): ChangingCall[] {
  return [...values(invocations)]
    .flatMap((call) => changeOf(call, get(approvals, call.approvalIds.at(-1) ?? ''), kept))
    .toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1));
}

function changeOf(call: Invocation, approval: ApprovalView | undefined, kept: ReadonlySet<string>): ChangingCall[] {
  const { status, toolName, editedArguments, invocationId, undone } = call;
  const isCertain = kept.has(invocationId) || undone !== undefined;
  const hasEnded = status.kind === 'succeeded' || (status.kind === 'failed' && !didNothing(status));
  if (!hasEnded && !isCertain) return [];
  const { decision } = approval ?? {};
  // A call that a grant or rule released ran again, and one that was edited is not what the approval shows.
  const isSigned =
    decision?.outcome === 'approved' && decision.released === undefined && decision.editedArguments === undefined;
  const signed = isSigned && approval?.effect !== undefined && hasFiles(approval) ? approval : undefined;
  const own = { toolName, arguments: editedArguments ?? call.arguments };
  const entries = signed === undefined ? (changeEntries(own) ?? []) : [];
  if (signed === undefined && entries.length === 0 && !isCertain) return [];
  return [{ call, approval, signed, entries, isUnsure: status.kind === 'failed' && !isCertain }];
}

/** Whether nothing of the call was applied, or run. */
function didNothing({ outcome }: Extract<Invocation['status'], { kind: 'failed' }>): boolean {
  return outcome === 'conflict' || outcome === 'not-claimed';
}

function timeOf({ call }: ChangingCall): string {
  return `${call.settledAt ?? ''} ${call.invocationId}`;
}
