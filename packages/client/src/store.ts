import type { OpenChatOptions } from './open-chat.js';
import type { ChatState, WorldState } from './state.js';

/** What a view looks at: fits React's `useSyncExternalStore` and Ink alike. */
export interface Store<State> {
  readonly getState: () => State;
  /** Told after each change. The returned function ends it. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Ends the stream. The last state stays readable. */
  readonly close: () => void;
}

export interface ChatStore extends Store<ChatState> {
  /** Loads the page before the first loaded line. Resolves when it is in the state; does nothing when there is none. */
  readonly loadOlder: () => Promise<void>;
  /** Loads as many pages as it takes to have this line. False: it is not in this chat. */
  readonly reach: (messageId: string) => Promise<boolean>;
  /** Retries the connection, and a load that failed, at once instead of after a pause. */
  readonly retryNow: () => void;
}

export interface WorldStore extends Store<WorldState> {
  readonly retryNow: () => void;
  /** Loads the next page of approvals that wait; does nothing when all are loaded. Never rejects. */
  readonly loadLaterApprovals: () => Promise<void>;
  /** A view of one of its chats that shares its stream: a browser has only six connections to a server. */
  readonly openChat: (chat: string, options?: OpenChatOptions) => ChatStore;
}
