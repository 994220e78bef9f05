import { z } from 'zod';
import { attachmentSchema } from '../calls/attachments.js';
import { questionSchema } from '../calls/approvals.js';
import { noEffectSchema } from '../calls/effect.js';
import { type messageSchema, usageSchema } from '../calls/messages.js';
import { whoSchema } from '../people/who.js';

const toolEventCommon = {
  invocation_id: z.string().min(1),
  tool_name: z.string().min(1),
  turn_id: z.string().min(1),
  agent_id: z.string().min(1),
  agent_name: z.string().min(1),
};
const maskedArguments = z.unknown();

/**
 * Why the outcome of a started call is unknown (S3): a person `stopped` it (M9), its process was `interrupted`, or its tool doesn't know
 * (`unknown`). Screens branch on this code, not on the error text.
 */
export const unknownOutcomeSchema = z.enum(['stopped', 'interrupted', 'unknown']);
export type UnknownOutcome = z.infer<typeof unknownOutcomeSchema>;

/**
 * `not-claimed`: a call of a program outside was approved, but the program no longer waited for it, and nothing ran (A55.10). `conflict`: somebody
 * else changed the same files, and none of the call's changes were applied (A45).
 */
export const failedOutcomeSchema = z.enum([...unknownOutcomeSchema.options, 'not-claimed', 'conflict']);
export type FailedOutcome = z.infer<typeof failedOutcomeSchema>;

/** The lifecycle events of a call (T2, T3). A `switch` over `type` is the whole state machine. */
export const toolEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('TOOL_REHEARSED'),
    ...toolEventCommon,
    /** The hash of the effect, if there is one. */
    effect_hash: z.string().exactOptional(),
    /** Set if the effect is only predicted, because another program runs the call itself. */
    predicted: z.literal(true).exactOptional(),
    /** Why there is no effect. */
    no_effect: noEffectSchema.exactOptional(),
    ms: z.number().int().min(0),
  }),
  z.object({
    type: z.literal('TOOL_APPROVAL_REQUESTED'),
    ...toolEventCommon,
    arguments: maskedArguments,
    approval_id: z.string(),
    /** Set if the call is a question to a person: it waits for an answer, not for an approval. */
    question: questionSchema.exactOptional(),
  }),
  z.object({
    type: z.literal('TOOL_APPROVED'),
    ...toolEventCommon,
    reason: z.string().exactOptional(),
    /** Set if a person edited the call (T4). */
    arguments: maskedArguments.exactOptional(),
  }),
  z.object({ type: z.literal('TOOL_DENIED'), ...toolEventCommon, reason: z.string().min(1) }),
  z.object({
    type: z.literal('TOOL_EXECUTION_STARTED'),
    ...toolEventCommon,
    arguments: maskedArguments,
    started_at: z.string().exactOptional(),
  }),
  z.object({
    type: z.literal('TOOL_EXECUTION_SUCCEEDED'),
    ...toolEventCommon,
    result: z.unknown(),
    attachments: z.array(attachmentSchema).exactOptional(),
    /** Set if a program outside was allowed to run the call and didn't report how it ended (A55). */
    outcome: z.literal('not-reported').exactOptional(),
  }),
  z.object({
    type: z.literal('TOOL_EXECUTION_FAILED'),
    ...toolEventCommon,
    error: z.string().min(1),
    outcome: failedOutcomeSchema.exactOptional(),
  }),
  /** A person reverted what the call had changed. The call stays succeeded or failed. */
  z.object({ type: z.literal('TOOL_UNDONE'), ...toolEventCommon, effect_hash: z.string() }),
]);
/** An event in a call's lifecycle. */
export type ToolEvent = z.infer<typeof toolEventSchema>;
export type ToolEventType = ToolEvent['type'];

export const sseEventSchema = z.object({
  /** `thinking`: a chunk of what the model writes before its answer (P11). */
  type: z.enum(['start', 'thinking', 'chunk', 'end', 'error']),
  /** The id that the finished message will have. */
  messageId: z.string().min(1),
  agentName: z.string().min(1),
  agentId: z.string().exactOptional(),
  content: z.string().exactOptional(),
  usage: usageSchema.exactOptional(),
  /** The attempt that this chunk belongs to. A new `start` discards earlier chunks (S6). */
  attempt: z.number().int().exactOptional(),
  /** The number of characters before this chunk, of the answer or of the thinking. */
  offset: z.number().int().exactOptional(),
});
export type SSEEvent = z.infer<typeof sseEventSchema>;

export const toolOutputEventSchema = z.object({
  invocation_id: z.string().min(1),
  stream: z.enum(['stdout', 'stderr']),
  content: z.string(),
});
export type ToolOutputEvent = z.infer<typeof toolOutputEventSchema>;

export const systemEventSchema = z.object({
  type: z.enum(['error', 'notice', 'title']),
  message: z.string(),
  /** The id of the transcript message with the same text. */
  messageId: z.string().exactOptional(),
  /** Set if the notice says that someone stopped the chat. */
  stoppedBy: whoSchema.exactOptional(),
});
export type SystemEvent = z.infer<typeof systemEventSchema>;

/**
 * `idle`: the chat has no running or waiting work. `waiting`: only people can continue it (M8). `turn-ended`: a turn ended without an answer
 * (passed, failed, stopped …), so no message from the agent shows it.
 */
export const worldEventSchema = z.object({
  type: z.enum(['working', 'waiting', 'idle', 'turn-ended']),
  pendingOperations: z.number().int().min(0),
  turnId: z.string().exactOptional(),
  outcome: z.string().exactOptional(),
});
export type WorldActivityEvent = z.infer<typeof worldEventSchema>;

/** `approval`: a running call asked a person a question, or the question was closed. Other approvals appear in the events of their call. */
export const crudEventSchema = z.object({
  operation: z.enum(['create', 'update', 'delete']),
  entity: z.enum(['world', 'agent', 'chat', 'grant', 'policy', 'client', 'tool', 'mcp-server', 'approval']),
  id: z.string(),
});
export type CRUDEvent = z.infer<typeof crudEventSchema>;

interface Envelope {
  /** The sequence number in the world's log. Events that aren't stored (chunks, output) repeat the last stored number (S6). */
  id: number;
  worldId: string;
  chatId?: string;
}

/** All events that a client can receive (W4). */
export type WorldEvent = Envelope &
  (
    | { event: 'message'; data: z.infer<typeof messageSchema> }
    | { event: 'sse'; data: SSEEvent }
    | { event: 'tool'; data: ToolEvent }
    | { event: 'tool-output'; data: ToolOutputEvent }
    | { event: 'system'; data: SystemEvent }
    | { event: 'world'; data: WorldActivityEvent }
    | { event: 'crud'; data: CRUDEvent }
  );
/** The kinds of events. */
export type WorldEventName = WorldEvent['event'];

/** False for chunks and output, which are not in the log and repeat the previous number (S6). */
export function isStoredEvent({ event }: WorldEvent): boolean {
  return event !== 'sse' && event !== 'tool-output';
}

/** The chat or world that this event deletes. */
export function removedBy(event: WorldEvent): { entity: 'chat' | 'world'; id: string } | undefined {
  if (event.event !== 'crud' || event.data.operation !== 'delete') return undefined;
  const { entity, id } = event.data;
  return entity === 'chat' || entity === 'world' ? { entity, id } : undefined;
}
