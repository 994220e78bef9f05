import { z } from 'zod';

export const roleSchema = z.enum(['system', 'user', 'assistant', 'tool']);
export type Role = z.infer<typeof roleSchema>;

/** One call of a model in the standard format. `arguments` is JSON text, exactly as it was recorded. */
export const toolCallSchema = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** What became of one call, derived from the record so that a client can rebuild its view from messages alone (M1). */
export const toolCallStatusSchema = z.object({ complete: z.boolean(), result: z.unknown() });
export type ToolCallStatus = z.infer<typeof toolCallStatusSchema>;

export const usageSchema = z.object({ inputTokens: z.number().int().min(0), outputTokens: z.number().int().min(0) });
export type Usage = z.infer<typeof usageSchema>;

/** The one message shape, in memory and on the wire (M1). */
export const messageSchema = z.object({
  messageId: z.string().min(1),
  chatId: z.string().min(1),
  role: roleSchema,
  /** An agent's id, or the name of whoever spoke: `human` unless a client gave a better one, `world`, `system`. */
  sender: z.string().min(1),
  content: z.string(),
  createdAt: z.iso.datetime(),
  agentId: z.string().exactOptional(),
  replyToMessageId: z.string().exactOptional(),
  tool_calls: z.array(toolCallSchema).exactOptional(),
  tool_call_id: z.string().exactOptional(),
  toolCallStatus: z.record(z.string(), toolCallStatusSchema).exactOptional(),
  /** When each call began, of those that have. */
  toolCallStartedAt: z.record(z.string(), z.string()).exactOptional(),
  /** As the client that sent it named it (W3): how a page knows its own message again. */
  clientMessageId: z.string().exactOptional(),
  /** What the model call that gave this answer used. */
  usage: usageSchema.exactOptional(),
});
export type Message = z.infer<typeof messageSchema>;

/** The prefix of names that belong to clients of a person. A model that calls one is refused (A10). */
export const RESERVED_TOOL_PREFIX = 'client.';
export const REQUEST_APPROVAL_TOOL = 'client.requestApproval';

/** Most a message may hold; beyond it a model could not read it and a page could not show it. */
const LONGEST_MESSAGE = 1_000_000;

/** What a client sends (W3). Strict: who speaks is known from how a message came in, never from what it says (M4). */
export const newMessageSchema = z.strictObject({
  content: z
    .string()
    .max(LONGEST_MESSAGE, `a message has at most ${LONGEST_MESSAGE} characters`)
    .refine((content) => content.trim() !== '', 'a message must not be empty'),
  /** The name shown for the person. */
  sender: z.string().exactOptional(),
  /** The same one again is the same message: the first answer is given again. */
  clientMessageId: z.string().min(1).max(200).exactOptional(),
});
export type NewMessage = z.infer<typeof newMessageSchema>;

/** A part of a list: what comes after this number, and how many. */
export const pageSchema = z.strictObject({
  after: z.number().int().min(0).exactOptional(),
  limit: z.number().int().min(1).exactOptional(),
});
export type Page = z.infer<typeof pageSchema>;
