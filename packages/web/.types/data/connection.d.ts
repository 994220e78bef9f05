import type { ChatState, ChatStore, Client, Store, WorldState, WorldStore } from '@countersign/client';
/** The server this page talks to. */
export declare const ClientContext: import("react").Context<Client | undefined>;
/** The world that is looked at; its one stream serves all views of the page. */
export declare const WorldContext: import("react").Context<WorldStore | undefined>;
export declare const ChatContext: import("react").Context<ChatStore | undefined>;
export declare function useClient(): Client;
export declare function useWorldStore(): WorldStore;
export declare function useChatStore(): ChatStore;
/** A part of a store's state. `select` must give the same object for the same state, or every event would draw the view anew. */
export declare function useSelected<State, Part>(store: Store<State>, select: (state: State) => Part): Part;
export declare function useWorld<Part>(select: (state: WorldState) => Part): Part;
export declare function useChat<Part>(select: (state: ChatState) => Part): Part;
/** Opens a store while the view is there, and closes it after. */
export declare function useOpened<S extends {
    close(): void;
}>(open: () => S, key: string): S | undefined;
