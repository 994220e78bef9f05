import {
  type Approval,
  type ApprovalStatus,
  type ApprovalWithContext,
  describeReason,
  type Grant,
  type Message,
  type Question,
  type QueuedApproval,
  readWho,
  type AskReason,
} from '@countersign/protocol';
import { maskArguments } from '../masking/index.js';
import type {
  ApprovalRecord,
  ChatRecord,
  CallRecord,
  MessageRecord,
  QuestionRecord,
  StoreReader,
} from '../ports/index.js';
import { toolTurnId, turnId } from '../turn/ids.js';
import { GRANT_LIFETIME_MS } from '../call/gate.js';
import {
  readAllPeople,
  requestersOf,
  showNeeds,
  signersIn,
  type AllPeople,
} from '../requirements/needed-signatures.js';
import { findReviewers, reviewersIn, type Reviewer } from '../requirements/reviewers.js';
import { shownContext, shownEffect, takesEdits } from '../facts/approvals.js';
import { readAllMessages } from './read-all-messages.js';
import { readLastMessages, readMessages } from '../memory/chat-messages.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { readState, ignoreNotFound } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { folderOf } from '../worlds/refuse-shared-folder.js';
import { readWorld } from '../worlds/show-world.js';
import { readMessage, showMessages } from './show-messages.js';

const CONTEXT_MESSAGES = 10;
/** Tool results can be long, so few messages are read at a time. */
const CONTEXT_PAGE = 20;
const CONTEXT_PAGES = 10;

/** The approval queue as shown to people, oldest first (CALL12). */
export async function listApprovals(
  runtime: Runtime,
  worldId: string,
  filter: { status?: ApprovalStatus; chatId?: string } = {},
): Promise<Approval[]> {
  const { status, chatId } = filter;
  const pending =
    status === 'pending' && chatId !== undefined ? await listPending(runtime, worldId, chatId) : undefined;
  if (pending !== undefined) return pending;
  return await runtime.store.read(async (reader) => {
    const shown: Approval[] = [];
    const snapshot = await runtime.caches.snapshots.read(reader, worldId);
    const needsOf = needsReader(reader);
    for (const approval of await reader.approvals(worldId, filter)) {
      const invocation = await reader.invocation(approval.invocationId);
      if (invocation === undefined) continue;
      shown.push({ ...toApproval(runtime, snapshot, approval, invocation), ...(await needsOf(approval, invocation)) });
    }
    return shown;
  });
}

/** The pending approvals in one chat, from its state. Undefined if one of them needs certain signers, who are read from the store. */
async function listPending(runtime: Runtime, worldId: string, chatId: string): Promise<Approval[] | undefined> {
  const looking = readState(runtime, worldId, { chats: [chatId] }, ({ tx, snapshot }) => {
    if (tx.chat(chatId)?.worldId !== worldId) return [];
    const pending = tx.pendingApprovals(chatId);
    if (pending.some(({ signing }) => signing !== null)) return 'signers' as const;
    return pending.flatMap((approval) => {
      const invocation = tx.invocation(approval.invocationId);
      return invocation === undefined ? [] : [toApproval(runtime, snapshot, approval, invocation)];
    });
  });
  const listed = (await ignoreNotFound(looking)) ?? [];
  return listed === 'signers' ? undefined : listed;
}

type NeedsReader = (approval: ApprovalRecord, invocation: CallRecord) => Promise<Pick<Approval, 'needs'>>;

/**
 * Who must sign a pending approval, and who has, with the current people (SIGN1). Reads the people once for all approvals, and nothing
 * if no rule says who must sign.
 */
export function needsReader(reader: StoreReader): NeedsReader {
  let allPeople: AllPeople | undefined;
  return async (approval, invocation) => {
    const { worldId, toolName, status, signing } = approval;
    if (signing === null || status !== 'pending') return {};
    allPeople ??= await readAllPeople(reader);
    const requesters = requestersOf(await reader.turn(invocation.turnId), invocation);
    const reviewers = await readReviewers(reader, approval, signing.rules);
    const people = signersIn(worldId, allPeople, reader.now());
    return { needs: showNeeds(signing, { requesters, people, toolName, reviewers }) };
  };
}

/** The agents that rules name to review a call. */
async function readReviewers(
  reader: StoreReader,
  { worldId, agentId, messageId }: ApprovalRecord,
  rules: NonNullable<ApprovalRecord['signing']>['rules'],
): Promise<readonly Reviewer[]> {
  const reviewing = new Set<string>();
  for (const id of reviewersIn(rules)) {
    const turn = await reader.turn(turnId(messageId, id));
    if (turn !== undefined && turn.state !== 'ended') reviewing.add(id);
  }
  const agents = reviewersIn(rules).length === 0 ? [] : await reader.agents(worldId);
  return findReviewers(rules, agentId, agents, (id) => reviewing.has(id));
}

/** The current state of a chat. Undefined if it or its world was deleted. */
export async function chatAsOfNow(runtime: Runtime, worldId: string, chatId: string): Promise<ChatRecord | undefined> {
  return await ignoreNotFound(readState(runtime, worldId, { chats: [chatId] }, ({ tx }) => tx.chat(chatId)));
}

/** One approval with the last messages in its chat (CALL3). */
export async function showApproval(
  runtime: Runtime,
  worldId: string,
  approvalId: string,
): Promise<ApprovalWithContext | undefined> {
  const read = await runtime.store.read(async (reader) => {
    const approval = await reader.approval(approvalId);
    const invocation = approval === undefined ? undefined : await reader.invocation(approval.invocationId);
    if (approval === undefined || invocation === undefined || approval.worldId !== worldId) return undefined;
    const last = await lastSpoken(reader, approval.chatId);
    const context = await Promise.all(last.map((message) => readMessage(reader, message)));
    const shown = toApproval(runtime, await runtime.caches.snapshots.read(reader, worldId), approval, invocation);
    const place = approval.status === 'pending' ? await placeInQueue(reader, worldId, approval.id) : {};
    return { ...shown, ...(await needsReader(reader)(approval, invocation)), ...place, context };
  });
  return read === undefined ? undefined : { ...read, context: await showMessages(read.context) };
}

/** The last messages with words. A turn that proposes ten calls writes ten messages without any. */
async function lastSpoken(reader: StoreReader, chatId: string): Promise<readonly MessageRecord[]> {
  const chat = await reader.chat(chatId);
  if (chat === undefined) return [];
  let found: readonly MessageRecord[] = [];
  let before: { before?: number } = {};
  for (let page = 0; page < CONTEXT_PAGES && found.length < CONTEXT_MESSAGES; page += 1) {
    const read = await readLastMessages(reader, chat, { limit: CONTEXT_PAGE, ...before });
    found = [...read.filter(({ role, content }) => role !== 'tool' && content !== ''), ...found];
    const first = read[0];
    if (read.length < CONTEXT_PAGE || first === undefined) break;
    before = { before: first.seq };
  }
  return found.slice(-CONTEXT_MESSAGES);
}

type Total = Pick<QueuedApproval, 'total' | 'more'>;
type QueuePlace = Total & Pick<QueuedApproval, 'position'>;

/** Longer queues aren't counted: every card shows the count, and counting slows down as the queue grows. */
export const MAX_COUNTED = 100;

/** "1 of 3" (CALL12), or "1 of more than 100". */
async function placeInQueue(reader: StoreReader, worldId: string, approvalId: string): Promise<QueuePlace> {
  return { ...(await positionOf(reader, worldId, approvalId)), ...(await totalOf(reader, worldId)) };
}

export async function totalOf(reader: StoreReader, worldId: string): Promise<Total> {
  const counted = await reader.countPendingOf(worldId, { most: MAX_COUNTED + 1 });
  return counted > MAX_COUNTED ? { total: MAX_COUNTED, more: true } : { total: counted };
}

export async function positionOf(
  reader: StoreReader,
  worldId: string,
  approvalId: string,
): Promise<Pick<QueuePlace, 'position'>> {
  const position = await reader.countPendingOf(worldId, { upTo: approvalId, most: MAX_COUNTED + 1 });
  return position > MAX_COUNTED ? {} : { position };
}

export function toApproval(
  { background: { external } }: Pick<Runtime, 'background'>,
  snapshot: WorldSnapshot | undefined,
  approval: ApprovalRecord,
  invocation: CallRecord,
): Approval {
  const reason = JSON.parse(approval.why) as AskReason;
  const isPending = approval.status === 'pending';
  return {
    approvalId: approval.id,
    toolCallId: approval.invocationId,
    turnId: toolTurnId(invocation.turnId, invocation.iteration),
    agentId: approval.agentId,
    agentName: snapshot?.agentName(approval.agentId) ?? approval.agentId,
    chatId: approval.chatId,
    toolName: approval.toolName,
    arguments: maskArguments(invocation.arguments).value,
    message: approval.message,
    options: [...approval.options],
    callHash: approval.callHash,
    status: approval.status,
    requestedAt: new Date(approval.requestedAt).toISOString(),
    ...(approval.expiresAt === null ? {} : { expiresAt: new Date(approval.expiresAt).toISOString() }),
    ...(isPending && external.isAbandoned(invocation.id) ? { abandoned: true } : {}),
    ...(isPending && external.isDeferred(invocation.id) ? { deferred: true } : {}),
    workingDirectory: approval.workingDirectory,
    sandbox: approval.sandbox,
    ...(approval.preview === null ? {} : { preview: approval.preview }),
    ...shownEffect(approval),
    ...shownContext(approval),
    reason,
    why: describeReason(reason),
    ...(approval.session === null ? {} : { session: approval.session }),
    ...(approval.proposedRule === null ? {} : { proposedRule: approval.proposedRule }),
    ...(takesEdits(approval) ? {} : { editable: false as const }),
    ...(isPending && invocation.editedBy !== null ? { edited: true } : {}),
    ...(approval.question === null ? {} : { question: shownQuestion(approval.question) }),
  };
}

function shownQuestion({ text, choices, form, approves }: QuestionRecord): Question {
  const more = approves === undefined ? {} : { approves };
  return { text, choices: [...choices], ...(form === undefined ? {} : { form }), ...more };
}

/** The messages of a chat as shown to people, with the status of each call (WORLD1). */
export async function listMessages(
  runtime: Runtime,
  chatId: string,
  page: { after?: number; limit?: number } = {},
): Promise<Message[]> {
  const read = await runtime.store.read(async (reader) => {
    const chat = await reader.chat(chatId);
    if (chat === undefined) return [];
    const records = await readMessages(reader, chat, { after: page.after ?? 0, limit: page.limit ?? 1000 });
    return await Promise.all(records.map((record) => readMessage(reader, record)));
  });
  return await showMessages(read);
}

/** One agent's view of a chat: messages to it, and its own calls, approvals, results and answers. */
export async function agentMemoryOf(runtime: Runtime, chatId: string, agentId: string): Promise<Message[]> {
  const read = await runtime.store.read(async (reader) => {
    const known: MessageRecord[] = [];
    const chat = await reader.chat(chatId);
    if (chat === undefined) return [];
    for await (const message of readAllMessages(reader, chat)) {
      if (message.agentId === agentId || message.addressees.includes(agentId)) known.push(message);
    }
    return await Promise.all(known.map((message) => readMessage(reader, message)));
  });
  return await showMessages(read);
}

export async function listGrants(runtime: Runtime, worldId: string): Promise<Grant[]> {
  const { grants, world } = await readWorld(runtime, worldId, async (reader, snapshot) => {
    // Expired grants have no effect, so listing them would be misleading.
    const usedAfter = reader.now() - GRANT_LIFETIME_MS;
    const grants = (await reader.grantsOfWorld(worldId)).filter((grant) => grant.lastUsedAt > usedAfter);
    return { grants, world: folderOf(runtime, snapshot) };
  });
  return grants.map((grant) => ({
    grantId: grant.id,
    agentId: grant.agentId,
    chatId: grant.chatId,
    toolName: grant.toolName,
    ...(grant.folder === null || grant.folder === world ? {} : { folder: grant.folder }),
    ...(grant.pattern === null ? {} : { pattern: grant.pattern }),
    scope: 'session',
    grantedBy: readWho(grant.grantedBy),
    grantedAt: new Date(grant.grantedAt).toISOString(),
    lastUsedAt: new Date(grant.lastUsedAt).toISOString(),
  }));
}
