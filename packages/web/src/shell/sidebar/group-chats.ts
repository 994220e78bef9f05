import type { ChatSummary } from '@countersign/client';

export interface ChatGroup {
  readonly when: 'pinned' | 'today' | 'yesterday' | 'week' | 'archived' | { readonly month: Date };
  readonly chats: readonly ChatSummary[];
}

const WEEK_DAYS = 7;

/** Pinned chats first, then by the day, week or month in which they began, archived chats last. `chats` are newest first. */
export function groupChats(chats: readonly ChatSummary[], now: number): ChatGroup[] {
  const today = new Date(now);
  const daysAgo = (days: number): number =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - days).getTime();
  const whenOf = ({ filed, createdAt }: ChatSummary): ChatGroup['when'] => {
    if (filed !== undefined) return filed;
    const at = new Date(createdAt);
    if (at.getTime() >= daysAgo(0)) return 'today';
    if (at.getTime() >= daysAgo(1)) return 'yesterday';
    if (at.getTime() >= daysAgo(WEEK_DAYS)) return 'week';
    return { month: new Date(at.getFullYear(), at.getMonth()) };
  };
  const groups = new Map<string, { when: ChatGroup['when']; chats: ChatSummary[] }>();
  for (const chat of chats) {
    const when = whenOf(chat);
    const key = keyOf(when);
    const group = groups.get(key) ?? { when, chats: [] };
    group.chats.push(chat);
    groups.set(key, group);
  }
  const all = [...groups.values()];
  return [
    ...all.filter(({ when }) => when === 'pinned'),
    ...all.filter(({ when }) => when !== 'pinned' && when !== 'archived'),
    ...all.filter(({ when }) => when === 'archived'),
  ];
}

/** Different for each group. */
export function keyOf(when: ChatGroup['when']): string {
  return typeof when === 'string' ? when : `${when.month.getFullYear()}-${when.month.getMonth()}`;
}
