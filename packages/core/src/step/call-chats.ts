import type { Fact } from '../ports/index.js';

/** In which chat a call or an approval is, so that it is found in that chat's state. Losing one costs a read. */
export interface CallChats {
  get(id: string): string | undefined;
  note(fact: Fact): void;
}

const MOST_KEPT = 10_000;

export function createCallChats(): CallChats {
  const chats = new Map<string, string>();
  return {
    get: (id) => chats.get(id),
    note(fact) {
      if (fact.kind === 'call-proposed') chats.set(fact.call.id, fact.call.chatId);
      else if (fact.kind === 'approval-requested') chats.set(fact.approval.id, fact.approval.chatId);
      else return;
      if (chats.size > MOST_KEPT) for (const oldest of chats.keys()) return void chats.delete(oldest);
    },
  };
}
