import type { ChatSummary } from '@countersign/client';
import { expect, it } from 'vitest';
import { groupChats, keyOf } from './group-chats.js';

const NOW = new Date(2026, 2, 1, 0, 30);
const chat = (id: string, at: Date, filed?: 'pinned' | 'archived'): ChatSummary => ({
  id,
  title: id,
  status: 'idle',
  filed,
  createdAt: at.toISOString(),
  waiting: 0,
  shownAt: 0,
});

it('[PAGE10] chats are grouped by the calendar day, week and month in which they began; pinned ones first, archived ones last', () => {
  const chats = [
    chat('tomorrow', new Date(2026, 2, 2)),
    chat('today', new Date(2026, 2, 1, 0, 0)),
    chat('yesterday', new Date(2026, 1, 28, 23, 59)),
    chat('old news', new Date(2026, 1, 25), 'archived'),
    chat('last week', new Date(2026, 1, 22)),
    chat('earlier in February', new Date(2026, 1, 21, 23, 59)),
    chat('in January', new Date(2026, 0, 2)),
    chat('also in January', new Date(2026, 0, 1)),
    chat('pinned', new Date(2025, 0, 1), 'pinned'),
    chat('January of last year', new Date(2025, 0, 1)),
  ];
  expect(
    groupChats(chats, NOW.getTime()).map(({ when, chats: [...group] }) => [keyOf(when), group.map(({ id }) => id)]),
  ).toEqual([
    ['pinned', ['pinned']],
    ['today', ['tomorrow', 'today']],
    ['yesterday', ['yesterday']],
    ['week', ['last week']],
    ['2026-1', ['earlier in February']],
    ['2026-0', ['in January', 'also in January']],
    ['2025-0', ['January of last year']],
    ['archived', ['old news']],
  ]);
});
