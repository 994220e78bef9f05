import type { Agent, Approval, Chat, NeededSignatures, WorldEvent, World } from '@countersign/protocol';
import { decide, emptyBook, forget, forgetUnloaded, request, sign } from './approvals.js';
import type { List } from '../http/client.js';
import { withNotice } from './notices.js';
import { readMessage, viewOfApproval } from './read-message.js';
import type { Reader } from './reader.js';
import { isForYou } from '../show/people/signing.js';
import type { Connection } from '../http/events.js';
import type { ApprovalView, ChatSummary, WorldState } from './state.js';
import { get, values } from './table.js';

export type WorldAction =
  /** A full load replaces everything. `position` is the stream's position before the load started. */
  | {
      type: 'loaded';
      position: number;
      world: World;
      agents: readonly Agent[];
      chats: readonly Chat[];
      /** The first page of pending approvals. */
      approvals: List<Approval>;
      me?: Reader | undefined;
    }
  /** The page requested with `after`. */
  | { type: 'later-approvals'; after: string; approvals: List<Approval> }
  | { type: 'load-failed'; why: string }
  | { type: 'event'; event: WorldEvent }
  | { type: 'connection'; connection: Connection }
  | { type: 'world'; world: World }
  | { type: 'agents'; agents: readonly Agent[] }
  /** Who must sign an approval, with the current people. */
  | { type: 'needs'; approvalId: string; needs: readonly NeededSignatures[] | undefined }
  | { type: 'chat'; chat: Chat };

/** Number of decided approvals to keep, to show who decided them. The oldest are dropped. */
const MAX_DECIDED = 100;

export function emptyWorld(worldId: string): WorldState {
  return {
    worldId,
    laterApprovals: undefined,
    loading: { kind: 'loading' },
    connection: { kind: 'connecting' },
    world: undefined,
    deleted: false,
    agents: [],
    me: undefined,
    chats: [],
    ...emptyBook(),
    pendingOperations: 0,
    notices: [],
    revisions: {},
    lastEventId: 0,
  };
}

/** Pure, like the chat reducer. Ignores messages, which chat views handle. */
export function reduceWorld(state: WorldState, action: WorldAction): WorldState {
  switch (action.type) {
    case 'loaded':
      return load(state, action);
    case 'later-approvals':
      // A full reload happened in between, so this page no longer continues the queue.
      return action.after === state.laterApprovals ? withPage(state, action.approvals) : state;
    case 'load-failed':
      return { ...state, loading: { kind: 'failed', why: action.why } };
    case 'event':
      return action.event.id <= state.lastEventId
        ? state
        : { ...onEvent(state, action.event), lastEventId: action.event.id };
    case 'connection':
      return { ...state, connection: action.connection };
    case 'world':
      return { ...state, world: action.world };
    case 'agents':
      return { ...state, agents: action.agents };
    case 'needs':
      return recount(state, sign(state, action.approvalId, action.needs, { listed: true }));
    case 'chat':
      return withChat(state, action.chat);
  }
}

function load(state: WorldState, loaded: Extract<WorldAction, { type: 'loaded' }>): WorldState {
  const { world, agents, chats, approvals, me, position } = loaded;
  const next: WorldState = {
    ...emptyWorld(state.worldId),
    connection: state.connection,
    notices: state.notices,
    // Data fetched under the old revisions may be as outdated as what this load replaces.
    revisions: Object.fromEntries(Object.entries(state.revisions).map(([entity, count]) => [entity, count + 1])),
    loading: { kind: 'ready' },
    world,
    agents,
    me,
    lastEventId: position,
    chats: chats.map((chat) => summaryOf(chat, chat.lastEventId ?? position)).toSorted(newestFirst),
  };
  return withPage(next, approvals);
}

function withPage(state: WorldState, { items, next: laterApprovals }: List<Approval>): WorldState {
  let next: WorldState = { ...state, laterApprovals };
  for (const listed of items) next = request(next, viewOfApproval(listed));
  return forgetUnloaded({ ...next, chats: counted(next.chats, next) });
}

function onEvent(state: WorldState, heard: WorldEvent): WorldState {
  switch (heard.event) {
    case 'message': {
      const meaning = readMessage(heard.data);
      if (meaning.kind === 'request') return recount(state, request(state, meaning.approval));
      if (meaning.kind === 'signature') return recount(state, sign(state, meaning.approvalId, meaning.needs));
      if (meaning.kind !== 'decision') return state;
      // Ignore decisions on approvals that were never shown, unless a page with them may be loading.
      if (get(state.approvals, meaning.approvalId) === undefined && state.laterApprovals === undefined) return state;
      return recount(state, withoutOld(decide(state, meaning.approvalId, meaning.decision)));
    }
    case 'world': {
      const { type, pendingOperations } = heard.data;
      const counted = { ...state, pendingOperations };
      if (type === 'turn-ended' || heard.chatId === undefined) return counted;
      return changeChat(counted, heard.chatId, (chat) => (heard.id <= chat.shownAt ? chat : { ...chat, status: type }));
    }
    case 'system':
      if (heard.data.type !== 'title') return withNotice(state, heard);
      return changeChat(state, heard.chatId ?? '', (chat) => ({ ...chat, title: heard.data.message }));
    case 'crud':
      return onChange(state, heard.data);
    case 'tool':
    case 'sse':
    case 'tool-output':
      return state;
  }
}

function onChange(
  state: WorldState,
  { entity, operation, id }: Extract<WorldEvent, { event: 'crud' }>['data'],
): WorldState {
  const next = { ...state, revisions: { ...state.revisions, [entity]: (state.revisions[entity] ?? 0) + 1 } };
  if (operation !== 'delete') return next;
  switch (entity) {
    case 'world':
      return { ...next, deleted: true };
    case 'chat': {
      const gone = [...values(state.approvals)].filter(({ chatId }) => chatId === id);
      return {
        ...forget(
          next,
          gone.map(({ approvalId }) => approvalId),
        ),
        chats: state.chats.filter((chat) => chat.id !== id),
      };
    }
    case 'agent':
      return { ...next, agents: state.agents.filter((agent) => agent.id !== id) };
    case 'grant':
    case 'policy':
    case 'client':
    case 'tool':
    case 'mcp-server':
    case 'approval':
    case 'schedule':
      return next;
  }
}

function withChat(state: WorldState, chat: Chat): WorldState {
  const shownAt = chat.lastEventId ?? state.lastEventId;
  const known = state.chats.find(({ id }) => id === chat.id);
  if (known === undefined) {
    return { ...state, chats: counted([...state.chats, summaryOf(chat, shownAt)].toSorted(newestFirst), state) };
  }
  // Responses may arrive out of order, and later events have a newer status.
  if (shownAt < known.shownAt) return state;
  const status = shownAt < state.lastEventId ? known.status : chat.status;
  return changeChat(state, chat.id, (before) => ({ ...before, title: chat.title, filed: chat.filed, status, shownAt }));
}

function changeChat(state: WorldState, chatId: string, change: (chat: ChatSummary) => ChatSummary): WorldState {
  const at = state.chats.findIndex(({ id }) => id === chatId);
  const before = state.chats[at];
  if (before === undefined) return state;
  const after = change(before);
  return after === before ? state : { ...state, chats: state.chats.with(at, after) };
}

function summaryOf({ id, title, status, filed, createdAt }: Chat, shownAt: number): ChatSummary {
  return { id, title, status, filed, createdAt, waiting: 0, shownAt };
}

/** Sorts by id, because ids start with a timestamp. */
function newestFirst(a: ChatSummary, b: ChatSummary): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}

function recount(before: WorldState, after: WorldState): WorldState {
  return after.approvals === before.approvals ? after : { ...after, chats: counted(after.chats, after) };
}

function counted(chats: readonly ChatSummary[], state: WorldState): readonly ChatSummary[] {
  const counts = new Map<string, number>();
  for (const id of state.queue) {
    const approval = get(state.approvals, id);
    if (approval === undefined || !isForYou(approval, state.me)) continue;
    const { chatId } = approval;
    counts.set(chatId, (counts.get(chatId) ?? 0) + 1);
  }
  return chats.map((chat) => {
    const waiting = counts.get(chat.id) ?? 0;
    return chat.waiting === waiting ? chat : { ...chat, waiting };
  });
}

/** Limits the number of decided approvals in a world that runs for weeks. */
function withoutOld(state: WorldState): WorldState {
  if (state.approvals.size - state.queue.length <= MAX_DECIDED) return state;
  const answered = [...values(state.approvals)]
    .filter((approval) => approval.decision !== undefined)
    .toSorted(byAnswer);
  return forget(
    state,
    answered.slice(0, answered.length - MAX_DECIDED / 2).map(({ approvalId }) => approvalId),
  );
}

function byAnswer(a: ApprovalView, b: ApprovalView): number {
  return (a.decision?.at ?? '') < (b.decision?.at ?? '') ? -1 : 1;
}
