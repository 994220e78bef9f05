import { get, nextCurrent, replacementOf, type Current } from '@countersign/client';
import type { CardUi, Facts, Focus, UiState } from '../ui-state.js';

/** Adjusts the UI state whenever the data changes. */
export function settle(
  ui: UiState,
  { world, now, hasSide, card }: Pick<Facts, 'world' | 'now' | 'hasSide' | 'card'>,
): UiState {
  // A world that is being reloaded from another server has an empty queue at first; that doesn't mean its calls were decided.
  if (world.loading.kind !== 'ready') return ui;
  const replacement = (id: string): string | undefined => {
    const edit = ui.card.edits?.find(({ approvalId }) => approvalId === id);
    return edit && (replacementOf(edit, world.queue, (each) => get(world.approvals, each)) ?? id);
  };
  const current = nextCurrent(ui.card.current, world.queue, ui.card, replacement);
  let next = isSame(current, ui.card.current) ? ui : { ...ui, card: showing(ui.card, current, now) };
  const { isSeen, scroll } = next.card;
  // `card` may have been measured for the previous card.
  const isThis = current.kind === 'open' && card.id === current.id;
  // What covers the card hides its end.
  if (isThis && next.focus === 'card' && next.overlay === 'none' && !isSeen && scroll + card.height >= card.length)
    next = { ...next, card: { ...next.card, isSeen: true } };
  if (next.focus === 'card' && current.kind === 'none') next = { ...next, focus: 'composer' };
  if (next.focus === 'chats' && !hasSide && !next.isSideOpen) next = { ...next, focus: 'composer' };
  const taken = [...next.card.taken].filter((id) => world.queue.includes(id));
  if (taken.length < next.card.taken.size) next = { ...next, card: { ...next.card, taken: new Set(taken) } };
  return next;
}

/** The state of a new card: nothing selected, not scrolled, and briefly ignoring keys. */
export function showing(card: CardUi, current: Current, now: number): CardUi {
  return { ...card, current, shownAt: now, scroll: 0, isSeen: false, choice: { kind: 'none' }, covered: undefined };
}

/** A newly focused card is treated as new, even if it was visible before. */
export function focusOn(ui: UiState, focus: Focus, now: number): UiState {
  if (focus === ui.focus) return ui;
  const card = { ...ui.card, choice: { kind: 'none' } as const, ...(focus === 'card' ? { shownAt: now } : {}) };
  return { ...ui, focus, card, isSideOpen: ui.isSideOpen && focus === 'chats' };
}

function isSame(a: Current, b: Current): boolean {
  return a.kind === b.kind && (a.kind === 'none' || (b.kind !== 'none' && a.id === b.id));
}
