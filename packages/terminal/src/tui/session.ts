import {
  openWorldView,
  type ChatState,
  type ChatStore,
  type Client,
  type WorldState,
  type WorldStore,
} from '@countersign/client';

/** Stores for the screen: one world and at most one chat. */
export interface Session {
  readonly client: () => Client;
  readonly world: () => WorldState;
  readonly chat: () => ChatState | undefined;
  openChat(chatId: string | undefined): void;
  loadOlder(): void;
  loadLaterApprovals(): void;
  retryNow(): void;
  /** Switches to another server after the old one stopped. */
  moveTo(client: Client): void;
  close(): void;
}

export function openSession(
  first: Client,
  { worldId, chatId, onChange }: { worldId: string; chatId: string | undefined; onChange: () => void },
): Session {
  let client = first;
  let shownChat = chatId;
  let world: WorldStore;
  let chat: ChatStore | undefined;
  let isLoading = false;
  let leave: (() => void)[] = [];

  function open(): void {
    world = openWorldView(client, worldId);
    leave.push(world.subscribe(onChange));
    openOne();
  }

  function openOne(): void {
    chat = shownChat === undefined ? undefined : world.openChat(shownChat);
    if (chat !== undefined) leave.push(chat.subscribe(onChange));
  }

  function close(): void {
    for (const stop of leave) stop();
    leave = [];
    chat?.close();
    world.close();
  }

  open();
  return {
    client: () => client,
    world: () => world.getState(),
    chat: () => chat?.getState(),
    openChat(next) {
      chat?.close();
      shownChat = next;
      openOne();
      onChange();
    },
    loadOlder() {
      if (chat === undefined || isLoading) return;
      isLoading = true;
      // Retried on the next key press or reconnect.
      chat
        .loadOlder()
        .catch(() => undefined)
        .finally(() => {
          isLoading = false;
        });
    },
    loadLaterApprovals: () => void world.loadLaterApprovals(),
    retryNow: () => world.retryNow(),
    moveTo(next) {
      close();
      client = next;
      open();
      onChange();
    },
    close,
  };
}
