import { z } from 'zod';

/** What the API description says about schemas: the names of types, and what fields are. */
export const api = z.registry<{ id?: string; description?: string }>();

/**
 * Says what a field is. `describe` of zod copies every schema, which would double the time to load this package. The schema must not be
 * used elsewhere, or the text would appear there too: pass a `clone()` of a shared one.
 */
export function field<T extends z.ZodType>(schema: T, description: string): T {
  if (api.has(schema)) throw new Error(`The schema of "${description}" is described already`);
  api.add(schema, { description });
  return schema;
}

/** A field of text. */
export const text = (description: string): z.ZodString => field(z.string(), description);

export const agentId = text('Id of the agent.');
export const agentName = text('Name of the agent.');
export const approvalId = text('Id of the approval.');
export const chatId = text('Id of the chat.');
export const createdAt = text('When it was created.');
export const messageId = text('Id of the message.');
export const toolCallId = text('Id of the call.');
export const toolName = text('Name of the tool.');
export const turnId = text('Id of the turn.');
