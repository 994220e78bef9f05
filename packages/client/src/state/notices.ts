import type { WorldEvent } from '@countersign/protocol';
import { stoppedText } from '../show/people/decision-story.js';
import type { Notice } from './state.js';

const MAX = 50;

/** Adds a notice and drops the oldest ones over the limit. */
export function withNotice<S extends { readonly notices: readonly Notice[] }>(
  state: S,
  { id, chatId, data }: Extract<WorldEvent, { event: 'system' }>,
  { afterMessageId, me }: { afterMessageId?: string | undefined; me?: string | undefined } = {},
): S {
  if (data.type === 'title') return state;
  const notice: Notice = {
    eventId: id,
    ...(chatId === undefined ? {} : { chatId }),
    type: data.type,
    message: data.stoppedBy === undefined ? data.message : `${stoppedText(data.stoppedBy, me)}.`,
    ...(afterMessageId === undefined ? {} : { afterMessageId }),
  };
  return { ...state, notices: [...state.notices, notice].slice(-MAX) };
}
