import type { UiState } from '../ui-state.js';
import { EMPTY_FIELD, fieldOf, type Field } from './field.js';

/** Drafts of chats that are not open, by chat id; '' is a chat that doesn't exist yet. */
export type Drafts = ReadonlyMap<string, Field>;

/** When another chat is opened, the draft stays with its own chat. */
export function changeDraft(ui: UiState, chatId: string | undefined): Pick<UiState, 'composer' | 'drafts'> {
  const drafts = new Map(ui.drafts);
  const composer = drafts.get(chatId ?? '') ?? EMPTY_FIELD;
  drafts.delete(chatId ?? '');
  if (ui.composer.text !== '') drafts.set(ui.chatId ?? '', ui.composer);
  return { composer, drafts };
}

/** A failed message goes back before the draft of its own chat: elsewhere it would be one Enter from the wrong chat. */
export function giveBack(ui: UiState, chatId: string | undefined, text: string): UiState {
  const put = (field: Field | undefined): Field =>
    fieldOf(field === undefined || field.text === '' ? text : `${text}\n${field.text}`);
  if (chatId === ui.chatId) return { ...ui, composer: put(ui.composer) };
  return { ...ui, drafts: new Map([...ui.drafts, [chatId ?? '', put(ui.drafts.get(chatId ?? ''))]]) };
}
