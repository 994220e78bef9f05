import type { ToolEvent, Who } from '@countersign/protocol';
import type { CallFacts } from './read-message.js';
import type { ApprovalView, CallEnd, ChatState, Invocation, InvocationStatus } from './state.js';
import { get, set } from './table.js';

/**
 * Facts about a call only accumulate, and its status is derived from them. Their order, repetition and source (message page or event) therefore
 * don't matter.
 */
type Facts = Partial<Omit<Invocation, 'invocationId' | 'status' | 'editedArguments'>>;

type CallState = Pick<ChatState, 'invocations' | 'openInvocations' | 'approvals'>;

/** Adds a call from the message that made it. */
export function learnCall<S extends CallState>(state: S, messageId: string, agentId: string, call: CallFacts): S {
  const { invocationId, toolName, arguments: proposed, startedAt, end } = call;
  const isNew = get(state.invocations, invocationId)?.messageId !== messageId;
  return learn(state, invocationId, {
    ...(isNew ? { messageId, agentId, toolName, arguments: proposed } : {}),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(end === undefined ? {} : { end: { as: end, toldBy: 'summary' } }),
  });
}

/** Adds a call's approval, pending or decided. */
export function learnApproval<S extends CallState>(state: S, approval: ApprovalView): S {
  const known = get(state.invocations, approval.invocationId);
  const ids = known?.approvalIds ?? [];
  const { approvalId, agentId, toolName } = approval;
  return learn(state, approval.invocationId, {
    agentId,
    toolName,
    approvalIds: ids.includes(approvalId) ? ids : inOrder(state, [...ids, approvalId]),
    // Used only until the call's message is loaded, because that has the model's original arguments.
    ...(known?.arguments === undefined ? { arguments: approval.arguments } : {}),
  });
}

/** Adds the result that the model gets. */
export function learnResult<S extends CallState>(
  state: S,
  { invocationId, agentId, end, at }: { invocationId: string; agentId: string; end: CallEnd; at: string },
): S {
  return learn(state, invocationId, { agentId, end: { as: end, toldBy: 'message' }, settledAt: at });
}

/** Adds that a person undid the call. */
export function learnUndo<S extends CallState>(
  state: S,
  { invocationId, by, at }: { invocationId: string; by: Who; at: string },
): S {
  const known = get(state.invocations, invocationId)?.undone;
  return learn(state, invocationId, { undone: known?.at === at ? known : { by, at } });
}

/** Applies a lifecycle event (TURN2). The texts of approvals and decisions are in their messages, which arrive earlier. */
export function learnEvent<S extends CallState>(state: S, event: ToolEvent): S {
  const { invocation_id: id, agent_id: agentId, tool_name: toolName } = event;
  const who = { agentId, toolName };
  const ended = (as: CallEnd): S => learn(state, id, { ...who, end: { as, toldBy: 'event' } });
  switch (event.type) {
    case 'TOOL_REHEARSED':
    case 'TOOL_APPROVAL_REQUESTED':
    case 'TOOL_APPROVED':
    case 'TOOL_UNDONE':
      return learn(state, id, who);
    case 'TOOL_EXECUTION_STARTED':
      return learn(state, id, { ...who, startedAt: event.started_at ?? '' });
    case 'TOOL_EXECUTION_SUCCEEDED':
      return ended({
        kind: 'succeeded',
        result: event.result,
        ...(event.outcome === undefined ? {} : { outcome: event.outcome }),
        ...(event.attachments === undefined ? {} : { attachments: event.attachments }),
      });
    case 'TOOL_EXECUTION_FAILED':
      return ended({
        kind: 'failed',
        error: event.error,
        ...(event.outcome === undefined ? {} : { outcome: event.outcome }),
      });
    case 'TOOL_DENIED':
      return ended({ kind: 'denied', reason: event.reason });
  }
}

function learn<S extends CallState>(state: S, invocationId: string, told: Facts): S {
  const known = get(state.invocations, invocationId);
  const before = known ?? unheardOf(invocationId);
  const facts = { ...before, ...withoutWeaker(before, told) };
  const asked = facts.approvalIds.map((id) => get(state.approvals, id)).filter((approval) => approval !== undefined);
  const edited = asked.findLast(({ decision }) => decision?.editedArguments !== undefined)?.decision?.editedArguments;
  const after = {
    ...facts,
    ...(edited === undefined ? {} : { editedArguments: edited }),
    status: statusOf(facts, asked.at(-1), edited !== undefined),
  };
  if (known !== undefined && isSame(known, after)) return state;
  return {
    ...state,
    invocations: set(state.invocations, invocationId, after),
    openInvocations: open(state.openInvocations, after),
  };
}

function unheardOf(invocationId: string): Invocation {
  return {
    invocationId,
    status: { kind: 'proposed' },
    toolName: '',
    agentId: '',
    arguments: undefined,
    approvalIds: [],
  };
}

/** Precedence: a message overrides an event, and both override the summary in the call's own message, which may be outdated. */
const WORTH = { summary: 0, event: 1, message: 2 };

function withoutWeaker(before: Invocation, { end, settledAt, startedAt, agentId, ...told }: Facts): Facts {
  const isNews = end !== undefined && (before.end === undefined || WORTH[end.toldBy] > WORTH[before.end.toldBy]);
  return {
    ...told,
    ...(isNews ? { end } : {}),
    ...(isNews && settledAt !== undefined ? { settledAt } : {}),
    // A known start time takes precedence over a start without a time.
    ...(startedAt === undefined || (before.startedAt ?? '') !== '' ? {} : { startedAt }),
    ...(agentId === undefined || before.agentId !== '' ? {} : { agentId }),
  };
}

/** Order matters: an ended call stays ended despite open approvals, and a running call may ask a question. */
function statusOf(
  { end, startedAt }: Pick<Invocation, 'end' | 'startedAt'>,
  last: ApprovalView | undefined,
  isEdited: boolean,
): InvocationStatus {
  if (end !== undefined) {
    const { as } = end;
    if (as.kind === 'denied' && last?.decision?.outcome === 'expired') return { kind: 'expired', reason: as.reason };
    return 'result' in as && isEdited ? { ...as, result: resultAlone(as.result) } : as;
  }
  if (startedAt !== undefined) return { kind: 'running' };
  if (last === undefined) return { kind: 'proposed' };
  if (last.decision === undefined) return { kind: 'asked', approvalId: last.approvalId };
  return last.decision.outcome === 'approved' ? { kind: 'approved' } : { kind: 'proposed' };
}

/** The result for the model also includes the arguments that actually ran (CALL7); views show the two separately. */
function resultAlone(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('edited_by_person' in result)) return result;
  return 'result' in result ? result.result : null;
}

function open(ids: readonly string[], { invocationId, end }: Invocation): readonly string[] {
  const listed = ids.includes(invocationId);
  if (end !== undefined) return listed ? ids.filter((id) => id !== invocationId) : ids;
  // Sorted, so that the order doesn't depend on arrival.
  return listed ? ids : [...ids, invocationId].toSorted();
}

/** In chronological order, because ids start with a timestamp. A call needs approval again only after its last approval is closed. */
function inOrder(state: CallState, ids: readonly string[]): readonly string[] {
  const key = (id: string): string => `${get(state.approvals, id)?.requestedAt ?? ''} ${id}`;
  return ids.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** It is enough to compare the kind of status and the approval: the rest follows from other fields. */
function isSame(a: Invocation, b: Invocation): boolean {
  const keys = ['toolName', 'agentId', 'arguments', 'editedArguments', 'messageId', 'approvalIds'] as const;
  if (keys.some((key) => a[key] !== b[key])) return false;
  if (a.startedAt !== b.startedAt || a.settledAt !== b.settledAt) return false;
  if (a.end !== b.end || a.undone !== b.undone) return false;
  if (a.status.kind === 'asked' && b.status.kind === 'asked') return a.status.approvalId === b.status.approvalId;
  return a.status.kind === b.status.kind;
}
