import type { WorldEvent } from '@countersign/protocol';
import type { Notice } from './state.js';

const MAX = 50;

/** Adds a notice and drops the oldest ones over the limit. */
export function withNotice<S extends { readonly notices: readonly Notice[] }>(
  state: S,
  { id, chatId, data }: Extract<WorldEvent, { event: 'system' }>,
  afterMessageId?: string,
): S {
  if (data.type === 'title') return state;
  const notice: Notice = {
    eventId: id,
    ...(chatId === undefined ? {} : { chatId }),
    type: data.type,
    message: data.message,
    ...(afterMessageId === undefined ? {} : { afterMessageId }),
  };
  return { ...state, notices: [...state.notices, notice].slice(-MAX) };
}
