import type { ChatState, WorldState } from './state/state.js';

export interface OpenChatOptions {
  /** Messages per page. */
  pageSize?: number;
}

/** The state of a view, compatible with React's `useSyncExternalStore`. */
export interface Store<State> {
  readonly getState: () => State;
  /** Calls the listener after each change. The returned function unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Ends the stream. The last state remains readable. */
  readonly close: () => void;
}

export interface ChatStore extends Store<ChatState> {
  /** Loads the page before the first loaded line. Resolves when it has been added to the state; does nothing if all lines are loaded. */
  readonly loadOlder: () => Promise<void>;
  /** Loads pages until the line with this id, or with this call, is included. Resolves to its id, or undefined if it is not in this chat. */
  readonly reach: (id: string) => Promise<string | undefined>;
  /** Retries the connection, or a failed load, immediately. */
  readonly retryNow: () => void;
}

export interface WorldStore extends Store<WorldState> {
  readonly retryNow: () => void;
  /** Loads the next page of pending approvals; does nothing if all are loaded. Never rejects. */
  readonly loadLaterApprovals: () => Promise<void>;
  /** Opens a view of one of the world's chats that shares its stream: browsers allow only six connections per server. */
  readonly openChat: (chat: string, options?: OpenChatOptions) => ChatStore;
}
