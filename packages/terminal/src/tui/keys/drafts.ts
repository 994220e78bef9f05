import type { UiState } from '../ui-state.js';
import { EMPTY_FIELD, fieldOf, type Field } from './field.js';

/** What is written in chats that are not open, by the chat's id; '' is the chat that is made with its first message. */
export type Drafts = ReadonlyMap<string, Field>;

/** Another chat is opened: what was written for this one stays with it. */
export function changeDraft(ui: UiState, chatId: string | undefined): Pick<UiState, 'composer' | 'drafts'> {
  const drafts = new Map(ui.drafts);
  const composer = drafts.get(chatId ?? '') ?? EMPTY_FIELD;
  drafts.delete(chatId ?? '');
  if (ui.composer.text !== '') drafts.set(ui.chatId ?? '', ui.composer);
  return { composer, drafts };
}

/** What could not be sent goes back in front of what was written since, in its own chat: elsewhere it were one Enter from the wrong one. */
export function giveBack(ui: UiState, chatId: string | undefined, text: string): UiState {
  const put = (field: Field | undefined): Field =>
    fieldOf(field === undefined || field.text === '' ? text : `${text}\n${field.text}`);
  if (chatId === ui.chatId) return { ...ui, composer: put(ui.composer) };
  return { ...ui, drafts: new Map([...ui.drafts, [chatId ?? '', put(ui.drafts.get(chatId ?? ''))]]) };
}
