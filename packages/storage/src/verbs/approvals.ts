import type { ApprovalRecord, StoreReader } from '@countersign/core/ports';
import type { ApprovalOption } from '@countersign/protocol';
import type { Connection } from '../connection.js';
import type { approvals, RowOf } from '../schema.js';
import type { ApprovalRow, ApprovalStatements } from '../queries/approvals.js';
import { readSandbox } from './read-sandbox.js';

type ApprovalVerbs = Pick<
  StoreReader,
  | 'approval'
  | 'approvals'
  | 'approvalsAfter'
  | 'countPendingOf'
  | 'expiringApprovals'
  | 'countPendingApprovals'
  | 'pendingEverywhere'
  | 'queueMarks'
>;

export function approvalVerbs(on: Connection, s: ApprovalStatements): ApprovalVerbs {
  const approval = on.first(s.approval, toApproval);
  const approvalsOfWorld = on.all(s.approvalsOfWorld, toApproval);
  const approvalsOfChat = on.all(s.approvalsOfChat, toApproval);
  const pendingOfWorld = on.all(s.pendingOfWorld, toApproval);
  const pendingOfChat = on.all(s.pendingOfChat, toApproval);
  const approvalsAfter = on.all(s.approvalsAfter, toApproval);
  const pendingAfter = on.all(s.pendingAfter, toApproval);
  const pendingOfChatAfter = on.all(s.pendingOfChatAfter, toApproval);
  const countPendingOf = on.first(s.countPendingOf, ([count]) => count);
  const expiring = on.all(s.expiring, toApproval);
  const countPending = on.first(s.countPending, ([count]) => count);
  const pendingEverywhere = on.all(s.pendingEverywhere, ([id, worldId]) => ({ id, worldId }));
  const queueMarks = on.all(s.queueMarks, ([worldId, mark]) => ({ worldId, mark }));

  return {
    approval: async (id) => approval({ id }),
    async approvals(worldId, { status, chatId }) {
      if (status === 'pending') {
        return chatId === undefined ? pendingOfWorld({ worldId }) : pendingOfChat({ worldId, chatId });
      }
      const records = await (chatId === undefined
        ? approvalsOfWorld({ worldId })
        : approvalsOfChat({ worldId, chatId }));
      return status === undefined ? records : records.filter((record) => record.status === status);
    },
    async approvalsAfter(worldId, { status, chatId = '', after = '', limit }) {
      if (status !== 'pending') return approvalsAfter({ worldId, status, chatId, after, limit });
      return chatId === ''
        ? pendingAfter({ worldId, after, limit })
        : pendingOfChatAfter({ worldId, chatId, after, limit });
    },
    countPendingOf: async (worldId, { upTo = '', most }) => (await countPendingOf({ worldId, upTo, most })) ?? 0,
    expiringApprovals: async () => expiring({}),
    countPendingApprovals: async () => (await countPending({})) ?? 0,
    pendingEverywhere: async (after = '') => pendingEverywhere({ after }),
    queueMarks: async () => queueMarks({}),
  };
}

export function toApprovalRow(record: ApprovalRecord): RowOf<typeof approvals> {
  return {
    ...record,
    options: JSON.stringify(record.options),
    session: record.session === null ? null : JSON.stringify(record.session),
    sandbox: JSON.stringify(record.sandbox),
    preview: record.preview?.text ?? null,
    previewTruncated: record.preview?.truncated === true ? 1 : 0,
    rehearsal: record.rehearsal === null ? null : JSON.stringify(record.rehearsal),
    claimed: record.claimed === null ? null : JSON.stringify(record.claimed),
    question: record.question === null ? null : JSON.stringify(record.question),
    signing: signingText(record.signing),
  };
}

/** The approximate size of an approval in a cache, in characters. */
export function approvalLength({ message, preview, rehearsal, claimed }: ApprovalRecord): number {
  let length = message.length + (preview?.text.length ?? 0);
  const effect = rehearsal !== null && 'effect' in rehearsal ? rehearsal.effect : claimed?.prediction;
  if (effect === undefined) return length;
  const { output, files } = effect;
  length += output.length;
  for (const { path, diff } of files) length += path.length + (diff?.length ?? 0);
  return length;
}

/** The stored form of the signatures that a call needs and has. */
export function readSigning(text: string | null): ApprovalRecord['signing'] {
  return text === null ? null : (JSON.parse(text) as ApprovalRecord['signing']);
}

export function signingText(signing: ApprovalRecord['signing']): string | null {
  return signing === null ? null : JSON.stringify(signing);
}

export function toApproval([
  id,
  worldId,
  chatId,
  agentId,
  invocationId,
  messageId,
  toolName,
  callHash,
  message,
  options,
  why,
  rule,
  session,
  proposedRule,
  workingDirectory,
  sandbox,
  preview,
  previewTruncated,
  rehearsal,
  claimed,
  applies,
  question,
  signing,
  status,
  decision,
  scope,
  reason,
  decisionDigest,
  decidedBy,
  requestedAt,
  expiresAt,
  decidedAt,
]: ApprovalRow): ApprovalRecord {
  return {
    id,
    worldId,
    chatId,
    agentId,
    invocationId,
    messageId,
    toolName,
    callHash,
    message,
    options: JSON.parse(options) as ApprovalOption[],
    why,
    rule,
    session: session === null ? null : (JSON.parse(session) as ApprovalRecord['session']),
    proposedRule,
    workingDirectory,
    sandbox: readSandbox(sandbox),
    preview: preview === null ? null : { text: preview, truncated: previewTruncated !== 0 },
    rehearsal: rehearsal === null ? null : (JSON.parse(rehearsal) as ApprovalRecord['rehearsal']),
    claimed: claimed === null ? null : (JSON.parse(claimed) as ApprovalRecord['claimed']),
    applies: applies as ApprovalRecord['applies'],
    question: question === null ? null : (JSON.parse(question) as ApprovalRecord['question']),
    signing: readSigning(signing),
    status: status as ApprovalRecord['status'],
    decision: decision as ApprovalRecord['decision'],
    scope: scope as ApprovalRecord['scope'],
    reason,
    decisionDigest,
    decidedBy,
    requestedAt,
    expiresAt,
    decidedAt,
  };
}
