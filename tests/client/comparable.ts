import { sliceRows, values, type ChatState, type WorldState } from '@countersign/client';

/**
 * What of a view follows from the record alone. Notices and output are heard and not stored, and how far a view has read is its own
 * affair: all else must be the same, however it came about.
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
    // Answered ones are kept for a while to tell who answered them; a fresh load has none.
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
