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
  readonly world: () => WorldState;
  readonly chat: () => ChatState | undefined;
  openChat(chatId: string | undefined): void;
  loadOlder(): void;
  loadLaterApprovals(): void;
  retryNow(): void;
  close(): void;
}

export function openSession(
  client: Client,
  { worldId, chatId, onChange }: { worldId: string; chatId: string | undefined; onChange: () => void },
): Session {
  const world: WorldStore = openWorldView(client, worldId);
  let chat: ChatStore | undefined;
  let isLoading = false;
  const leave: (() => void)[] = [world.subscribe(onChange)];

  function openOne(shown: string | undefined): void {
    chat = shown === undefined ? undefined : world.openChat(shown);
    if (chat !== undefined) leave.push(chat.subscribe(onChange));
  }

  openOne(chatId);
  return {
    world: () => world.getState(),
    chat: () => chat?.getState(),
    openChat(next) {
      chat?.close();
      openOne(next);
      onChange();
    },
    loadOlder() {
      if (chat === undefined || isLoading) return;
      isLoading = true;
      // The load is retried on the next key press or reconnect.
      chat
        .loadOlder()
        .catch(() => undefined)
        .finally(() => {
          isLoading = false;
        });
    },
    loadLaterApprovals: () => void world.loadLaterApprovals(),
    retryNow: () => world.retryNow(),
    close() {
      for (const stop of leave) stop();
      chat?.close();
      world.close();
    },
  };
}
