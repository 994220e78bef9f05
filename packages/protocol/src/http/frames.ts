import { z } from 'zod';
import { api, field, text, chatId } from '../input/field.js';
import {
  crudEventSchema,
  sseEventSchema,
  systemEventSchema,
  toolEventSchema,
  toolOutputEventSchema,
  worldEventSchema,
  type WorldEvent,
  type WorldEventName,
} from './events.js';
import { messageSchema } from '../calls/messages.js';

/** One frame of an event stream (HTTP13), before serialization. */
export interface Frame {
  id: string;
  event: string;
  data: string;
}

/** Sent if the log no longer goes back to the client's position, so the client must reload (STORE6). Its `data` has no meaning. */
export const RESET_FRAME = 'reset';

/** Serializes an event. `data` includes the chat, because a world's stream covers all its chats. */
export function toFrame(event: WorldEvent): Frame {
  const data = event.chatId === undefined ? event.data : { ...event.data, chatId: event.chatId };
  return { id: String(event.id), event: event.event, data: JSON.stringify(data) };
}

const schemas = {
  message: messageSchema,
  sse: sseEventSchema,
  tool: toolEventSchema,
  'tool-output': toolOutputEventSchema,
  system: systemEventSchema,
  world: worldEventSchema,
  crud: crudEventSchema,
} satisfies Record<WorldEventName, z.ZodType>;
const inChat = z.object({ chatId: chatId.exactOptional() });

const frameOf = <Name extends WorldEventName>(event: Name) =>
  z.object({
    id: text('Number in the log. Send the last one as `Last-Event-ID` to continue.'),
    event: z.literal(event),
    data: field(z.intersection(schemas[event], inChat), 'The event, as JSON.'),
  });
const resetSchema = z.object({ event: z.literal(RESET_FRAME), data: text('The event, as JSON.') });

/** The events of a stream, for the API description. `data` is sent as one line of JSON. */
export const streamedEventSchema = z.union([
  frameOf('message'),
  frameOf('sse'),
  frameOf('tool'),
  frameOf('tool-output'),
  frameOf('system'),
  frameOf('world'),
  frameOf('crud'),
  resetSchema,
]);
api.add(streamedEventSchema, { id: 'StreamedEvent' });

/** The events of the stream for approvals and grants. */
export const approvalEventSchema = z.union([frameOf('tool'), frameOf('crud'), resetSchema]);
api.add(approvalEventSchema, { id: 'ApprovalEvent' });

/** The only event of the stream about the waiting calls of all worlds. */
export const QUEUE_FRAME = 'waiting';
const queueChangeSchema = z.object({ worldId: text('Id of the world.') });
/** The waiting calls of this world changed: one was added, signed or settled, or its signers changed. */
export type QueueChange = z.infer<typeof queueChangeSchema>;

export const queueEventSchema = z.object({
  event: z.literal(QUEUE_FRAME),
  data: field(queueChangeSchema, 'The world whose waiting calls changed. Read them again.'),
});
api.add(queueEventSchema, { id: 'QueueEvent' });

export type ReadFrame<Event = WorldEvent> =
  | { kind: 'event'; event: Event }
  | { kind: 'reset' }
  /** Sent by a newer server; not an error. */
  | { kind: 'unknown'; name: string }
  | { kind: 'malformed'; detail: string };

interface SentFrame {
  id?: string | undefined;
  event?: string | undefined;
  data: string;
}

/** Parses a frame of the stream about the waiting calls of all worlds. Never throws. */
export function readQueueFrame({ event = 'message', data }: SentFrame): ReadFrame<QueueChange> {
  if (event !== QUEUE_FRAME) return { kind: 'unknown', name: event };
  const parsed = queueChangeSchema.safeParse(parseJson(data));
  return parsed.success ? { kind: 'event', event: parsed.data } : malformed(event, 'is invalid');
}

/** Parses a frame of a world's stream. Never throws; unknown fields are dropped. */
export function readFrame(frame: SentFrame, worldId: string): ReadFrame {
  const name = frame.event ?? 'message';
  if (name === RESET_FRAME) return { kind: 'reset' };
  if (!isName(name)) return { kind: 'unknown', name };
  const id = Number(frame.id ?? '');
  if (frame.id === undefined || !Number.isSafeInteger(id) || id < 0) return malformed(name, 'has an invalid id');
  const data = parseJson(frame.data);
  if (data === undefined) return malformed(name, 'is not JSON');
  const parsed = schemas[name].safeParse(data);
  const where = inChat.safeParse(data);
  if (!parsed.success || !where.success) {
    const issue = parsed.error?.issues[0] ?? where.error?.issues[0];
    return malformed(name, `is invalid: ${(issue?.path ?? []).map(String).join('.')}: ${issue?.message ?? ''}`);
  }
  // The name selected the schema for the data, but the compiler can't track that through a table.
  const event = { id, worldId, ...where.data, event: name, data: parsed.data } as WorldEvent;
  return { kind: 'event', event };
}

function isName(name: string): name is WorldEventName {
  return Object.hasOwn(schemas, name);
}

/** Undefined if the text is not JSON. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function malformed(name: string, why: string): Extract<ReadFrame, { kind: 'malformed' }> {
  return { kind: 'malformed', detail: `an event "${name}" ${why}` };
}
