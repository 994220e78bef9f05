import type {
  ChatState,
  ChatStore,
  Client,
  Outbox,
  Outgoing,
  Store,
  WorldState,
  WorldStore,
} from '@countersign/client';
import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';

/** The server that this page uses. */
export const ClientContext = createContext<Client | undefined>(undefined);
/** Messages being sent to the server. */
export const OutboxContext = createContext<Outbox | undefined>(undefined);
/** The open world; its stream serves all views of the page. */
export const WorldContext = createContext<WorldStore | undefined>(undefined);
export const ChatContext = createContext<ChatStore | undefined>(undefined);

function required<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`There is no ${what} around this view.`);
  return value;
}

export function useClient(): Client {
  return required(useContext(ClientContext), 'client');
}

export function useOutbox(): Outbox {
  return required(useContext(OutboxContext), 'outbox');
}

export function useOutgoing(): readonly Outgoing[] {
  const outbox = useOutbox();
  return useSyncExternalStore(outbox.subscribe, outbox.getState);
}

export function useWorldStore(): WorldStore {
  return required(useContext(WorldContext), 'world');
}

export function useChatStore(): ChatStore {
  return required(useContext(ChatContext), 'chat');
}

/**
 * Selects part of a store's state. `select` must return the same object for the same state: otherwise, every event would re-render the view.
 */
export function useSelected<State, Part>(store: Store<State>, select: (state: State) => Part): Part {
  return useSyncExternalStore(
    (listener) => store.subscribe(listener),
    () => select(store.getState()),
  );
}

export function useWorld<Part>(select: (state: WorldState) => Part): Part {
  return useSelected(useWorldStore(), select);
}

export function useChat<Part>(select: (state: ChatState) => Part): Part {
  return useSelected(useChatStore(), select);
}

/** Opens a store while the view is mounted, and closes it afterwards. */
export function useOpened<S extends { close(): void }>(open: () => S, key: string): S | undefined {
  const [opened, setOpened] = useState<{ key: string; store: S }>();
  useEffect(() => {
    const store = open();
    setOpened({ key, store });
    return () => store.close();
    // `open` is a new function on each render; the key identifies what it opens.
  }, [key]);
  return opened?.key === key ? opened.store : undefined;
}
