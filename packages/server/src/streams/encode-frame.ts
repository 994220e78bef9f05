import {
  isStoredEvent,
  removedBy,
  REQUEST_APPROVAL_TOOL,
  toFrame,
  type Frame,
  type WorldEvent,
} from '@countersign/protocol';

/** An event encoded once for all readers: with 500 readers, encoding it for each would take most of the time. */
export interface EncodedFrame {
  /** The number in the world's log after which a stream resumes. */
  readonly id: number;
  /** False for chunks and output, which are not in the log and repeat the previous number (STORE6). */
  readonly isStored: boolean;
  readonly chatId: string | undefined;
  /** Whether this is an approval or question. Clients that can't ask a person don't get it (CALL13). */
  readonly isApproval: boolean;
  /** Whether a call needs approval or was decided, or an approval or grant changed. */
  readonly changesApprovals: boolean;
  /** The tool whose call this event starts, if any. */
  readonly starts: string | undefined;
  /** The message or call that a chunk belongs to, if any. */
  readonly part: string | undefined;
  readonly ends: string | undefined;
  /** Whether the chat becomes busy (`working`), or idle or waiting for a person (`settled`) (WORLD8). */
  readonly activity: 'working' | 'settled' | undefined;
  /** The chat or world that was deleted, so that its streams end. */
  readonly removes: ReturnType<typeof removedBy>;
  readonly bytes: Uint8Array;
  /** The same frame with a different number. */
  under(id: number): Uint8Array;
}

export function encodeFrame(event: WorldEvent): EncodedFrame {
  const frame = toFrame(event);
  return {
    id: event.id,
    isStored: isStoredEvent(event),
    chatId: event.chatId,
    isApproval: isApproval(event),
    changesApprovals: changesApprovals(event),
    starts: startedBy(event),
    part: partOf(event),
    ends: endedBy(event),
    activity: activityOf(event),
    removes: removedBy(event),
    bytes: toBytes(frame),
    under: (id) => toBytes({ ...frame, id: String(id) }),
  };
}

/** JSON contains no newlines, so each field is one line. */
export function toBytes({ id, event, data }: Frame): Uint8Array {
  return Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`);
}

function isApproval(event: WorldEvent): boolean {
  if (event.event === 'tool') return event.data.type === 'TOOL_APPROVAL_REQUESTED';
  if (event.event !== 'message') return false;
  const { tool_calls, tool_call_id } = event.data;
  return (
    tool_call_id?.startsWith('approval_') === true ||
    tool_calls?.some((call) => call.function.name === REQUEST_APPROVAL_TOOL) === true
  );
}

function changesApprovals({ event, data }: WorldEvent): boolean {
  if (event === 'crud') return data.entity === 'approval' || data.entity === 'grant';
  if (event !== 'tool') return false;
  return data.type === 'TOOL_APPROVAL_REQUESTED' || data.type === 'TOOL_APPROVED' || data.type === 'TOOL_DENIED';
}

function startedBy(event: WorldEvent): string | undefined {
  return event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED' ? event.data.tool_name : undefined;
}

function partOf(event: WorldEvent): string | undefined {
  if (event.event === 'sse') return event.data.messageId;
  return event.event === 'tool-output' ? event.data.invocation_id : undefined;
}

function endedBy(event: WorldEvent): string | undefined {
  if (event.event === 'message') return event.data.messageId;
  if (event.event !== 'tool') return undefined;
  const { type, invocation_id } = event.data;
  return type === 'TOOL_EXECUTION_SUCCEEDED' || type === 'TOOL_EXECUTION_FAILED' ? invocation_id : undefined;
}

function activityOf(event: WorldEvent): EncodedFrame['activity'] {
  if (event.event !== 'world') return undefined;
  switch (event.data.type) {
    case 'idle':
    case 'waiting':
      return 'settled';
    case 'working':
      return 'working';
    case 'turn-ended':
      return undefined;
  }
}
