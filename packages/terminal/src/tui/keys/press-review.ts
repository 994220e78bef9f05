import { changeEntries, type ApprovalView } from '@countersign/client';
import { changeWords } from '../../words/change.js';
import type { Facts, Pressed, ReviewUi, UiState } from '../ui-state.js';
import type { Key } from './key.js';

/** Shows the files of a change, without those that the card has no room for at first. */
export function openReview(ui: UiState, approval: ApprovalView): Pressed {
  const entries = changeEntries(approval) ?? [];
  if (entries.length === 0) return { ui, effects: [] };
  const isCut = approval.effect?.truncated === true;
  const note = isCut ? changeWords.loading : '';
  const review: ReviewUi = { approvalId: approval.approvalId, entries, at: 0, isOpen: false, scroll: 0, note };
  return { ui: { ...ui, overlay: 'review', review }, effects: isCut ? [{ kind: 'load-review', approval }] : [] };
}

/** Keys only show something here: the call is decided on its card. */
export function pressInReview(ui: UiState, key: Key, { now, review: { height, length } }: Facts): UiState {
  const name = key.kind === 'name' ? key.name : key.kind === 'char' ? key.text : '';
  const { review } = ui;
  const { entries, at, isOpen, scroll } = review;
  const shown = (next: Partial<ReviewUi>): UiState => ({ ...ui, review: { ...review, ...next } });
  // The card ignores keys at first, as if it were new: they were meant for what is shown here.
  if (name === 'f' || (name === 'escape' && !isOpen))
    return { ...ui, overlay: 'none', card: { ...ui.card, shownAt: now } };
  if (name === 'escape') return shown({ isOpen: false });
  if (isOpen && (name === 'left' || name === 'right')) {
    const to = at + (name === 'left' ? -1 : 1);
    if (to < 0) return shown({ isOpen: false });
    return to < entries.length ? shown({ at: to, scroll: 0 }) : ui;
  }
  if (!isOpen && (name === 'enter' || name === 'right')) return shown({ ...listed(review), isOpen: true, scroll: 0 });
  const by = stepOf(name, Math.max(1, height - 2));
  if (by === undefined) return ui;
  const most = isOpen ? length - height : entries.length - 1;
  const to = Math.max(0, Math.min(most, (isOpen ? scroll : at) + by));
  return shown(isOpen ? { scroll: to } : { at: to });
}

/** A folder that is opened has its files below it, to go through them one by one. */
function listed({ entries, at }: ReviewUi): Partial<ReviewUi> {
  const folder = entries[at];
  const [first] = folder?.kind === 'folder' ? folder.files : [];
  if (folder?.kind !== 'folder' || first === undefined || entries[at + 1] === first) return {};
  return { entries: entries.toSpliced(at + 1, 0, ...folder.files) };
}

function stepOf(name: string, page: number): number | undefined {
  switch (name) {
    case 'up':
    case 'k':
      return -1;
    case 'down':
    case 'j':
      return 1;
    case 'pageup':
      return -page;
    case 'pagedown':
      return page;
    case 'home':
    case 'g':
      return -Infinity;
    case 'end':
    case 'G':
      return Infinity;
    default:
      return undefined;
  }
}
