import type { ModelMessage } from '@countersign/core/ports';

/** A message or result that can have images. */
export type WithImages = Pick<Extract<ModelMessage, { role: 'user' | 'tool' }>, 'images'>;

/** The message with its author's name prepended. OpenAI's name field allows few characters, and compatible servers drop or reject it. */
export function withAuthor({ name, content }: Extract<ModelMessage, { role: 'user' }>): string {
  if (name === undefined || name === '') return content;
  return `${name.replaceAll(/\s+/g, ' ')}: ${content}`;
}

/** All system messages joined, for vendors that take them separately. */
export function systemText(messages: readonly ModelMessage[]): string {
  return messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Placeholders for vendors that reject empty text, or a conversation that doesn't start with a user. */
export const NOTHING_SAID = '(empty message)';
export const BEGINNING_LEFT_OUT = '(the conversation began earlier)';
