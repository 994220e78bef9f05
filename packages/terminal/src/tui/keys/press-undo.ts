import { ARMING_MS, type Facts, type Pressed, type UiState, type UndoUi } from '../ui-state.js';
import { screenWords } from '../../words/screen.js';
import type { Key } from './key.js';

/** Lists the calls of the open chat that can be undone. */
export function openUndo(ui: UiState): Pressed {
  if (ui.chatId === undefined) return { ui, effects: [] };
  return { ui: { ...ui, overlay: 'undo', undo: { kind: 'loading' } }, effects: [{ kind: 'list-undo' }] };
}

/** Nothing is undone before its effect was on the screen to the end. Pasted and queued keys do nothing here. */
export function pressInUndo(ui: UiState, key: Key, facts: Facts): Pressed {
  const name = key.kind === 'name' ? key.name : key.kind === 'char' ? key.text : '';
  if (name === 'escape') return goBack(ui);
  switch (ui.undo.kind) {
    case 'loading':
      return { ui, effects: [] };
    case 'list':
      return pressInList(ui, ui.undo, name);
    case 'preview':
      return pressInPreview(ui, ui.undo, name, facts);
  }
}

function goBack(ui: UiState): Pressed {
  if (ui.undo.kind === 'preview') return openUndo(ui);
  return { ui: { ...ui, overlay: 'none' }, effects: [] };
}

function pressInList(ui: UiState, undo: Extract<UndoUi, { kind: 'list' }>, name: string): Pressed {
  const { calls, picked } = undo;
  const pick = (to: number): Pressed => {
    const within = Math.min(calls.length - 1, Math.max(0, to));
    return { ui: { ...ui, undo: { ...undo, picked: within } }, effects: [] };
  };
  if (name === 'up' || name === 'k') return pick(picked - 1);
  if (name === 'down' || name === 'j') return pick(picked + 1);
  const call = calls[picked];
  if (name !== 'enter' || call === undefined) return { ui, effects: [] };
  return { ui: { ...ui, undo: { kind: 'loading' } }, effects: [{ kind: 'preview-undo', call }] };
}

function pressInPreview(
  ui: UiState,
  undo: Extract<UndoUi, { kind: 'preview' }>,
  name: string,
  { undo: { height, length }, now }: Facts,
): Pressed {
  const { call, preview, scroll, shownAt } = undo;
  const last = Math.max(0, length - height);
  const by = (delta: number): Pressed => {
    const to = Math.min(last, Math.max(0, scroll + delta));
    return { ui: { ...ui, undo: { ...undo, scroll: to } }, effects: [] };
  };
  switch (name) {
    case 'up':
    case 'k':
      return by(-1);
    case 'down':
    case 'j':
      return by(1);
    case 'pageup':
      return by(-Math.max(1, height - 2));
    case 'pagedown':
      return by(Math.max(1, height - 2));
    case 'y':
      if (preview.state !== 'ready' || now - shownAt < ARMING_MS) return { ui, effects: [] };
      if (scroll < last) return { ui: { ...ui, status: { text: screenWords.undo.seeEnd, isBad: true } }, effects: [] };
      return {
        ui: { ...ui, undo: { kind: 'loading' } },
        effects: [{ kind: 'undo', call, effectHash: preview.effect.effectHash }],
      };
    default:
      return { ui, effects: [] };
  }
}
