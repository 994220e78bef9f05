import { get, rowAt, type ChatState } from '@countersign/client';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { chatWords } from '../words/chat.js';

export interface Outcome {
  readonly outcome: 'answered' | 'denied' | 'failed' | 'timed out' | 'interrupted';
  readonly exitCode: ExitCode;
  /** Why there is no answer. */
  readonly why?: string;
  /** Set if the reason is in the transcript or a notice, which the printer has shown. */
  readonly isShown?: true;
}

/** The outcome of a message, based on the stored state, not on what was printed. */
export function outcomeSince(state: ChatState, messageId: string, noticesBefore: number): Outcome {
  let isAnswered = false;
  let isDenied = false;
  let notice: string | undefined;
  for (let at = state.transcript.length - 1; at >= 0; at -= 1) {
    const id = rowAt(state.transcript, at);
    if (id === undefined || id === messageId) break;
    const message = get(state.messages, id);
    if (message === undefined) continue;
    if (message.speaker.kind === 'agent' && message.content !== '') isAnswered = true;
    if (message.speaker.kind === 'system') notice ??= message.content;
    for (const call of message.invocationIds) {
      const kind = get(state.invocations, call)?.status.kind;
      if (kind === 'denied' || kind === 'expired') isDenied = true;
    }
  }
  const error = state.notices.find(({ type, eventId }) => type === 'error' && eventId > noticesBefore);
  if (error !== undefined) return { outcome: 'failed', exitCode: EXIT.failed, why: error.message, isShown: true };
  if (isDenied) return { outcome: 'denied', exitCode: EXIT.denied };
  if (isAnswered) return { outcome: 'answered', exitCode: EXIT.ok };
  if (notice !== undefined) return { outcome: 'failed', exitCode: EXIT.failed, why: notice, isShown: true };
  return { outcome: 'failed', exitCode: EXIT.failed, why: chatWords.noAnswer };
}

export function lastNotice({ notices }: ChatState): number {
  return Math.max(0, ...notices.map(({ eventId }) => eventId));
}
