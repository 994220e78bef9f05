import { z } from 'zod';
import { api, field, text, agentId, messageId, turnId } from '../input/field.js';
import { attachmentSchema } from '../calls/attachments.js';
import { questionSchema } from '../calls/approvals.js';
import { noEffectSchema } from '../calls/effect.js';
import { type messageSchema, usageSchema } from '../calls/messages.js';
import { whoSchema } from '../people/who.js';

const toolEventCommon = {
  invocation_id: field(z.string().min(1), 'Id of the call.'),
  tool_name: field(z.string().min(1), 'Name of the tool.'),
  turn_id: field(z.string().min(1), 'Id of the tool turn.'),
  agent_id: field(z.string().min(1), 'Id of the agent.'),
  agent_name: field(z.string().min(1), 'Name of the agent.'),
};
const maskedArguments = z.unknown();

/**
 * Why the outcome of a started call is unknown (STORE3): a person `stopped` it (WORLD9), its process was `interrupted`, or its tool doesn't know
 * (`unknown`). Screens branch on this code, not on the error text.
 */
export const unknownOutcomeSchema = z.enum(['stopped', 'interrupted', 'unknown']);
export type UnknownOutcome = z.infer<typeof unknownOutcomeSchema>;

/**
 * `not-claimed`: a call of a program outside was approved, but the program no longer waited for it, and nothing ran (EXT1.10). `conflict`: somebody
 * else changed the same files, and none of the call's changes were applied (CHANGE2).
 */
export const failedOutcomeSchema = z.enum([...unknownOutcomeSchema.options, 'not-claimed', 'conflict']);
export type FailedOutcome = z.infer<typeof failedOutcomeSchema>;

/** The lifecycle events of a call (TURN2, TURN3). A `switch` over `type` is the whole state machine. */
export const toolEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('TOOL_REHEARSED'),
    ...toolEventCommon,
    effect_hash: text('Hash of the effect that people see.').exactOptional(),
    predicted: field(
      z.literal(true).exactOptional(),
      'Set if the effect is only predicted, because another program runs the call itself.',
    ),
    no_effect: field(noEffectSchema.exactOptional(), 'Why the call has no effect to show.'),
    ms: field(z.number().int().min(0), 'Duration in milliseconds.'),
  }),
  z.object({
    type: z.literal('TOOL_APPROVAL_REQUESTED'),
    ...toolEventCommon,
    arguments: field(maskedArguments.clone(), 'Arguments of the call. Secrets are masked.'),
    approval_id: text('Id of the approval.'),
    question: field(questionSchema.exactOptional(), 'Present if this is a question to answer, not a call to approve.'),
  }),
  z.object({
    type: z.literal('TOOL_APPROVED'),
    ...toolEventCommon,
    reason: text('Why it was approved or denied.').exactOptional(),
    arguments: field(maskedArguments.exactOptional(), 'Set if a person edited the call.'),
  }),
  z.object({
    type: z.literal('TOOL_DENIED'),
    ...toolEventCommon,
    reason: field(z.string().min(1), 'Why it was approved or denied.'),
  }),
  z.object({
    type: z.literal('TOOL_EXECUTION_STARTED'),
    ...toolEventCommon,
    arguments: field(maskedArguments.clone(), 'Arguments of the call. Secrets are masked.'),
    started_at: text('When the call started.').exactOptional(),
  }),
  z.object({
    type: z.literal('TOOL_EXECUTION_SUCCEEDED'),
    ...toolEventCommon,
    result: field(z.unknown(), 'What the call returned.'),
    attachments: field(
      z.array(attachmentSchema).exactOptional(),
      'Files that the call returned. Get their content by id.',
    ),
    outcome: field(
      z.literal('not-reported').exactOptional(),
      'Set if it is unknown how the call ended, or if nothing ran or was applied.',
    ),
  }),
  z.object({
    type: z.literal('TOOL_EXECUTION_FAILED'),
    ...toolEventCommon,
    error: field(z.string().min(1), 'What went wrong.'),
    outcome: field(
      failedOutcomeSchema.exactOptional(),
      'Set if it is unknown how the call ended, or if nothing ran or was applied.',
    ),
  }),
  /** A person reverted what the call had changed. The call stays succeeded or failed. */
  z.object({
    type: z.literal('TOOL_UNDONE'),
    ...toolEventCommon,
    effect_hash: text('Hash of the effect that people see.'),
  }),
]);
api.add(toolEventSchema, { id: 'ToolEvent' });
/** An event in a call's lifecycle. */
export type ToolEvent = z.infer<typeof toolEventSchema>;
export type ToolEventType = ToolEvent['type'];

export const sseEventSchema = z.object({
  /** `thinking`: a chunk of what the model writes before its answer (MODEL11). */
  type: field(z.enum(['start', 'thinking', 'chunk', 'end', 'error']), 'start, thinking, chunk, end or error.'),
  messageId: field(z.string().min(1), 'Id of the message.'),
  agentName: field(z.string().min(1), 'Name of the agent.'),
  agentId: agentId.exactOptional(),
  content: text('Text of the chunk or of the error.').exactOptional(),
  usage: field(usageSchema.exactOptional(), 'Tokens used by the model call.'),
  attempt: field(
    z.number().int().exactOptional(),
    'Number of the attempt. A new start discards the chunks of earlier ones.',
  ),
  offset: field(z.number().int().exactOptional(), 'Number of characters before this chunk.'),
});
api.add(sseEventSchema, { id: 'ChunkEvent' });
export type SSEEvent = z.infer<typeof sseEventSchema>;

export const toolOutputEventSchema = z.object({
  invocation_id: field(z.string().min(1), 'Id of the call.'),
  stream: field(z.enum(['stdout', 'stderr']), 'stdout or stderr.'),
  content: text('What the call printed.'),
});
api.add(toolOutputEventSchema, { id: 'ToolOutputEvent' });
export type ToolOutputEvent = z.infer<typeof toolOutputEventSchema>;

export const systemEventSchema = z.object({
  type: field(z.enum(['error', 'notice', 'title']), 'error, notice or title.'),
  message: text('Text shown to the person.'),
  messageId: messageId.exactOptional(),
  stoppedBy: field(whoSchema.exactOptional(), 'Who stopped the chat, if the notice says so.'),
});
api.add(systemEventSchema, { id: 'SystemEvent' });
export type SystemEvent = z.infer<typeof systemEventSchema>;

/**
 * `idle`: the chat has no running or waiting work. `waiting`: only people can continue it (WORLD8). `turn-ended`: a turn ended without an answer
 * (passed, failed, stopped …), so no message from the agent shows it.
 */
export const worldEventSchema = z.object({
  type: field(
    z.enum(['working', 'waiting', 'idle', 'turn-ended']),
    'working, waiting, idle, or turn-ended for a turn without an answer.',
  ),
  pendingOperations: field(z.number().int().min(0), 'Number of calls and model requests that are running.'),
  turnId: turnId.exactOptional(),
  outcome: text('How the turn ended.').exactOptional(),
});
api.add(worldEventSchema, { id: 'ActivityEvent' });
export type WorldActivityEvent = z.infer<typeof worldEventSchema>;

/** `approval`: a running call asked a person a question, or the question was closed. Other approvals appear in the events of their call. */
export const crudEventSchema = z.object({
  operation: field(z.enum(['create', 'update', 'delete']), 'create, update or delete.'),
  entity: field(
    z.enum(['world', 'agent', 'chat', 'grant', 'policy', 'client', 'tool', 'mcp-server', 'approval', 'schedule']),
    'What was changed.',
  ),
  id: text('Id or name of what was changed.'),
});
api.add(crudEventSchema, { id: 'CrudEvent' });
export type CRUDEvent = z.infer<typeof crudEventSchema>;

interface Envelope {
  /** The sequence number in the world's log. Events that aren't stored (chunks, output) repeat the last stored number (STORE6). */
  id: number;
  worldId: string;
  chatId?: string;
}

/** All events that a client can receive (HTTP13). */
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

/** False for chunks and output, which are not in the log and repeat the previous number (STORE6). */
export function isStoredEvent({ event }: WorldEvent): boolean {
  return event !== 'sse' && event !== 'tool-output';
}

/** The chat or world that this event deletes. */
export function removedBy(event: WorldEvent): { entity: 'chat' | 'world'; id: string } | undefined {
  if (event.event !== 'crud' || event.data.operation !== 'delete') return undefined;
  const { entity, id } = event.data;
  return entity === 'chat' || entity === 'world' ? { entity, id } : undefined;
}
