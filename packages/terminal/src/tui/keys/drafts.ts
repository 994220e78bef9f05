import type { UiState } from '../ui-state.js';
import { EMPTY_FIELD, fieldOf, type Field } from './field.js';

/** Switches to another chat. The draft stays with the chat it was written for. */
export function changeDraft(ui: UiState, chatId: string | undefined): Pick<UiState, 'composer' | 'drafts'> {
  const drafts = new Map(ui.drafts);
  const composer = drafts.get(chatId ?? '') ?? EMPTY_FIELD;
  drafts.delete(chatId ?? '');
  if (ui.composer.text !== '') drafts.set(ui.chatId ?? '', ui.composer);
  return { composer, drafts };
}

/** Puts a failed message back in front of its own chat's draft: in another chat, one Enter would send it there. */
export function prependToDraft(ui: UiState, chatId: string | undefined, text: string): UiState {
  const put = (field: Field | undefined): Field =>
    fieldOf(field === undefined || field.text === '' ? text : `${text}\n${field.text}`);
  if (chatId === ui.chatId) return { ...ui, composer: put(ui.composer) };
  return { ...ui, drafts: new Map([...ui.drafts, [chatId ?? '', put(ui.drafts.get(chatId ?? ''))]]) };
}
