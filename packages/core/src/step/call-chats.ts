import type { RowChange } from '../ports/index.js';

/** Caches the chat of a call or approval, so that it is found in that chat's state. A miss costs a read. */
export interface CallChats {
  get(id: string): string | undefined;
  note(row: RowChange): void;
}

const MOST_KEPT = 10_000;

export function createCallChats(): CallChats {
  const chats = new Map<string, string>();
  return {
    get: (id) => chats.get(id),
    note(row) {
      if (row.kind === 'call-proposed') chats.set(row.call.id, row.call.chatId);
      else if (row.kind === 'approval-requested') chats.set(row.approval.id, row.approval.chatId);
      else return;
      if (chats.size > MOST_KEPT) for (const oldest of chats.keys()) return void chats.delete(oldest);
    },
  };
}
