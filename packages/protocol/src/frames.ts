import { z } from 'zod';
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
import { messageSchema } from './messages.js';

/** One frame of an event stream (W4), before it is text. */
export interface Frame {
  id: string;
  event: string;
  data: string;
}

/** The frame that says: the log does not reach back to where you were, load anew (S6). It has no `data` that means anything. */
export const RESET_FRAME = 'reset';

/** An event as it goes over the wire. Its chat goes along in `data`, or a reader of a whole world could not tell whose it is. */
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
const inChat = z.object({ chatId: z.string().exactOptional() });

export type ReadFrame =
  | { kind: 'event'; event: WorldEvent }
  | { kind: 'reset' }
  /** A later server may say more than we know: not an error. */
  | { kind: 'unknown'; name: string }
  | { kind: 'malformed'; detail: string };

/** A frame as it came, and the world whose stream it came from. Never throws; fields that we don't know are left out. */
export function readFrame(
  frame: { id?: string | undefined; event?: string | undefined; data: string },
  worldId: string,
): ReadFrame {
  const name = frame.event ?? 'message';
  if (name === RESET_FRAME) return { kind: 'reset' };
  if (!isName(name)) return { kind: 'unknown', name };
  const id = Number(frame.id ?? '');
  if (frame.id === undefined || !Number.isSafeInteger(id) || id < 0) return malformed(name, 'has no number as its id');
  let data: unknown;
  try {
    data = JSON.parse(frame.data) as unknown;
  } catch {
    return malformed(name, 'is not JSON');
  }
  const parsed = schemas[name].safeParse(data);
  const where = inChat.safeParse(data);
  if (!parsed.success || !where.success) {
    const issue = parsed.error?.issues[0] ?? where.error?.issues[0];
    return malformed(name, `does not fit: ${(issue?.path ?? []).map(String).join('.')}: ${issue?.message ?? ''}`);
  }
  // The name chose the schema, and the schema made the data: the compiler can't follow that pairing through a table.
  const event = { id, worldId, ...where.data, event: name, data: parsed.data } as WorldEvent;
  return { kind: 'event', event };
}

function isName(name: string): name is WorldEventName {
  return Object.hasOwn(schemas, name);
}

function malformed(name: string, why: string): ReadFrame {
  return { kind: 'malformed', detail: `an event "${name}" ${why}` };
}
