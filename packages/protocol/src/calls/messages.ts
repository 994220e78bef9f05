import { z } from 'zod';
import { whoSchema } from '../people/who.js';

export const roleSchema = z.enum(['system', 'user', 'assistant', 'tool']);
export type Role = z.infer<typeof roleSchema>;

/** A model's tool call in the standard format. `arguments` is JSON text, exactly as recorded. */
export const toolCallSchema = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});
/** A tool call in a message. */
export type ToolCall = z.infer<typeof toolCallSchema>;

/** The status of a call, derived from its record, so that a client can rebuild its view from messages alone (M1). */
export const toolCallStatusSchema = z.object({ complete: z.boolean(), result: z.unknown() });
export type ToolCallStatus = z.infer<typeof toolCallStatusSchema>;

export const usageSchema = z.object({ inputTokens: z.number().int().min(0), outputTokens: z.number().int().min(0) });
/** The token usage of a model call. */
export type Usage = z.infer<typeof usageSchema>;

/** The message format, in memory and on the wire (M1). */
export const messageSchema = z.object({
  messageId: z.string().min(1),
  chatId: z.string().min(1),
  role: roleSchema,
  /** An agent's id, or the speaker's name: `human` unless the client set another one, `world`, or `system`. */
  sender: z.string().min(1),
  /** The person who sent the message, or who decided the approval that it is about. Models never see it (A16). */
  who: whoSchema.exactOptional(),
  content: z.string(),
  /** The model's thinking before this answer, if the vendor returns it. Untrusted text: mentions and calls in it have no effect. */
  thinking: z.string().exactOptional(),
  createdAt: z.iso.datetime(),
  agentId: z.string().exactOptional(),
  replyToMessageId: z.string().exactOptional(),
  tool_calls: z.array(toolCallSchema).exactOptional(),
  tool_call_id: z.string().exactOptional(),
  toolCallStatus: z.record(z.string(), toolCallStatusSchema).exactOptional(),
  /** The start time of each started call. */
  toolCallStartedAt: z.record(z.string(), z.string()).exactOptional(),
  /** The id set by the client that sent the message (W3), so that a page recognizes its own messages. */
  clientMessageId: z.string().exactOptional(),
  /** The token usage of the model call for this answer. */
  usage: usageSchema.exactOptional(),
  /** Who stopped this answer before it was complete (M9.3). */
  stoppedBy: whoSchema.exactOptional(),
});
/** A message in a chat. */
export type Message = z.infer<typeof messageSchema>;

/** The prefix of tool names reserved for clients. A model can't call them (A10). */
export const RESERVED_TOOL_PREFIX = 'client.';
export const REQUEST_APPROVAL_TOOL = 'client.requestApproval';

/** The maximum length of a message. Models couldn't read a longer one and pages couldn't show it. */
const LONGEST_MESSAGE = 1_000_000;

/** A new message (W3). Strict: the speaker is determined by the connection, never by the body (M4). */
export const newMessageSchema = z.strictObject({
  content: z
    .string()
    .max(LONGEST_MESSAGE, `a message can have at most ${LONGEST_MESSAGE} characters`)
    .refine((content) => content.trim() !== '', 'a message must not be empty'),
  /** The person's display name. */
  sender: z.string().exactOptional(),
  /** Idempotency key: a repeated id returns the first message. */
  clientMessageId: z.string().min(1).max(200).exactOptional(),
});
export type NewMessage = z.infer<typeof newMessageSchema>;

/** A page of a list: the items after this number, up to a limit. */
export const pageSchema = z.strictObject({
  after: z.number().int().min(0).exactOptional(),
  limit: z.number().int().min(1).exactOptional(),
});
export type Page = z.infer<typeof pageSchema>;
