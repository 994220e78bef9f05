import type { SSEEvent, ToolOutputEvent } from '@countersign/protocol';
import type { LiveStream, OutputTail } from './state.js';

/** What is heard of an answer while it is spoken (S6). `isKnown`: the message it adds up to is there already. */
export function hear(streams: readonly LiveStream[], event: SSEEvent, isKnown: boolean): readonly LiveStream[] {
  const { messageId } = event;
  if (isKnown) return drop(streams, messageId);
  const current = streams.find((stream) => stream.messageId === messageId);
  const attempt = event.attempt ?? current?.attempt ?? 1;
  // Late chunks of a try that was given up would run into the next one.
  if (current !== undefined && attempt < current.attempt) return streams;
  switch (event.type) {
    case 'start':
      return put(streams, { ...blank(event), attempt });
    case 'chunk':
      return put(streams, withChunk(current?.attempt === attempt ? current : { ...blank(event), attempt }, event));
    case 'end':
      return current === undefined ? streams : put(streams, { ...current, ended: true });
    case 'error':
      // Why it failed is said in the transcript; what was half said is no message.
      return drop(streams, messageId);
  }
}

export function drop(streams: readonly LiveStream[], messageId: string): readonly LiveStream[] {
  return streams.some((stream) => stream.messageId === messageId)
    ? streams.filter((stream) => stream.messageId !== messageId)
    : streams;
}

function blank({ messageId, agentName, agentId }: SSEEvent): LiveStream {
  return {
    messageId,
    agentName,
    ...(agentId === undefined ? {} : { agentId }),
    attempt: 1,
    missing: 0,
    text: '',
    ended: false,
  };
}

function withChunk(stream: LiveStream, { content = '', offset }: SSEEvent): LiveStream {
  const heard = stream.missing + stream.text.length;
  const from = offset ?? heard;
  // Some of it was lost in a cut: what came before can't be joined to it.
  if (from > heard) return { ...stream, missing: from, text: content };
  const fresh = content.slice(heard - from);
  return fresh === '' ? stream : { ...stream, text: stream.text + fresh };
}

function put(streams: readonly LiveStream[], changed: LiveStream): readonly LiveStream[] {
  const at = streams.findIndex((stream) => stream.messageId === changed.messageId);
  if (at < 0) return [...streams, changed];
  return streams[at] === changed ? streams : streams.with(at, changed);
}

/** As much of a call's output is kept: enough to see what it does, whatever it writes. */
const LONGEST_TAIL = 32_000;
/** Of as many calls, the latest. */
const MOST_TAILS = 40;
/** Parts are joined up to this, so that output that comes in drops stays a short list. */
const PART = 2000;

export function hearOutput(
  outputs: ReadonlyMap<string, OutputTail>,
  { invocation_id: id, stream, content }: ToolOutputEvent,
): ReadonlyMap<string, OutputTail> {
  if (content === '') return outputs;
  const before = outputs.get(id) ?? { parts: [], dropped: 0, length: 0 };
  const last = before.parts.at(-1);
  const joins = last !== undefined && last.stream === stream && last.text.length + content.length <= PART;
  const parts = joins
    ? [...before.parts.slice(0, -1), { stream, text: last.text + content }]
    : [...before.parts, { stream, text: content }];
  const changed = new Map(outputs);
  changed.set(id, cut({ parts, dropped: before.dropped, length: before.length + content.length }));
  for (const oldest of changed.keys()) {
    if (changed.size <= MOST_TAILS) break;
    changed.delete(oldest);
  }
  return changed;
}

function cut(tail: OutputTail): OutputTail {
  let surplus = tail.length - LONGEST_TAIL;
  if (surplus <= 0) return tail;
  const parts = [...tail.parts];
  let dropped = 0;
  while (surplus > 0) {
    const first = parts.shift();
    if (first === undefined) break;
    const gone = Math.min(first.text.length, surplus);
    if (gone < first.text.length) parts.unshift({ ...first, text: first.text.slice(gone) });
    surplus -= gone;
    dropped += gone;
  }
  return { parts, dropped: tail.dropped + dropped, length: tail.length - dropped };
}
