import type { ModelMessage } from '@countersign/core/ports';

/**
 * What somebody said, with their name in front. All vendors get it this way: OpenAI's own field for names takes few characters, and
 * the servers that speak its language drop it or refuse it.
 */
export function spoken({ name, content }: Extract<ModelMessage, { role: 'user' }>): string {
  if (name === undefined || name === '') return content;
  return `${name.replaceAll(/\s+/g, ' ')}: ${content}`;
}

/** All system messages as one, for vendors that take it apart from the conversation. */
export function systemText(messages: readonly ModelMessage[]): string {
  return messages.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n\n');
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Stands in where a vendor refuses an empty text, or a conversation that does not begin with a user. */
export const NOTHING_SAID = '(empty message)';
export const BEGINNING_LEFT_OUT = '(the conversation began earlier)';
