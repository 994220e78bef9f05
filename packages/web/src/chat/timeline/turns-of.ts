import { type ChatState, get, rowAt, turnOf } from '@countersign/client';

/** How many messages to search for turns. */
const MESSAGES = 60;

/** The turns of the last messages, newest first. */
export function turnsOf(state: Pick<ChatState, 'transcript' | 'messages'>): string[] {
  const { transcript, messages } = state;
  const turns = new Set<string>();
  for (let at = transcript.length - 1; at >= Math.max(0, transcript.length - MESSAGES); at -= 1) {
    const message = get(messages, rowAt(transcript, at) ?? '');
    const turn = message === undefined ? undefined : turnOf(message);
    if (turn !== undefined) turns.add(turn);
  }
  return [...turns];
}
