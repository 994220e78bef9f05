import { type ChatState, get, rowAt } from '@countersign/client';

/** So far back turns are looked for. */
const MESSAGES = 60;

/**
 * The turns of the last messages, newest first. A turn is named after the message that it answers and the agent that takes it, so its
 * id is known from what the agent said.
 */
export function turnsOf(state: Pick<ChatState, 'transcript' | 'messages'>): string[] {
  const { transcript, messages } = state;
  const turns = new Set<string>();
  for (let at = transcript.length - 1; at >= Math.max(0, transcript.length - MESSAGES); at -= 1) {
    const message = get(messages, rowAt(transcript, at) ?? '');
    if (message?.speaker.kind !== 'agent' || message.replyToMessageId === undefined) continue;
    turns.add(`turn_${message.replyToMessageId.replace(/^msg_/, '')}.${message.speaker.agentId}`);
  }
  return [...turns];
}
