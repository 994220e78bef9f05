import { sliceRows, values, type ChatState, type WorldState } from '@countersign/client';

/**
 * The part of a view that can be derived from the record alone. Notices and live output aren't stored, and each view has its
 * own read position; everything else must be equal.
 */
export function comparableChat(state: ChatState): unknown {
  return {
    loading: state.loading,
    title: state.title,
    status: state.status,
    deleted: state.deleted,
    agents: state.agents,
    transcript: sliceRows(state.transcript),
    messages: byKey(values(state.messages), ({ messageId }) => messageId),
    invocations: byKey(values(state.invocations), ({ invocationId }) => invocationId),
    openInvocations: state.openInvocations,
    approvals: byKey(values(state.approvals), ({ approvalId }) => approvalId),
    queue: state.queue,
    streams: state.streams,
  };
}

export function comparableWorld(state: WorldState): unknown {
  return {
    loading: state.loading,
    world: withoutPosition(state.world),
    agents: state.agents,
    chats: state.chats.map(({ id, title, status, createdAt, waiting }) => ({ id, title, status, createdAt, waiting })),
    // Decided approvals are kept for a while to show who decided; a fresh load has none.
    approvals: state.queue.map((id) => [...values(state.approvals)].find(({ approvalId }) => approvalId === id)),
    queue: state.queue,
  };
}

function withoutPosition(world: WorldState['world']): unknown {
  if (world === undefined) return undefined;
  return { ...world, lastEventId: undefined };
}

function byKey<T>(items: Iterable<T>, key: (item: T) => string): T[] {
  return [...items].toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}
