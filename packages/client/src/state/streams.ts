import type { SSEEvent, ToolOutputEvent } from '@countersign/protocol';
import type { LiveStream, OutputTail } from './state.js';

/** Applies a stream event (STORE6). `isKnown`: the complete message has already arrived. */
export function hear(streams: readonly LiveStream[], event: SSEEvent, isKnown: boolean): readonly LiveStream[] {
  const { messageId } = event;
  if (isKnown) return drop(streams, messageId);
  const current = streams.find((stream) => stream.messageId === messageId);
  const attempt = event.attempt ?? current?.attempt ?? 1;
  // Late chunks from an abandoned attempt would mix with the next one.
  if (current !== undefined && attempt < current.attempt) return streams;
  switch (event.type) {
    case 'start':
      return put(streams, { ...blank(event), attempt });
    case 'chunk':
      return put(streams, withChunk(current?.attempt === attempt ? current : { ...blank(event), attempt }, event));
    case 'thinking':
      return put(streams, withThinking(current?.attempt === attempt ? current : { ...blank(event), attempt }, event));
    case 'end':
      return current === undefined ? streams : put(streams, { ...current, ended: true });
    case 'error':
      // The transcript shows the error. If the answer was stopped, it has what was written so far (WORLD9.3).
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
    thinking: '',
    thinkingLength: 0,
    ended: false,
  };
}

function withChunk(stream: LiveStream, { content = '', offset }: SSEEvent): LiveStream {
  const heard = stream.missing + stream.text.length;
  const from = offset ?? heard;
  // There is a gap after a disconnect: earlier text can't be joined with this.
  if (from > heard) return { ...stream, missing: from, text: content };
  const fresh = content.slice(heard - from);
  return fresh === '' ? stream : { ...stream, text: stream.text + fresh };
}

function withThinking(stream: LiveStream, { content = '', offset = stream.thinkingLength }: SSEEvent): LiveStream {
  const heard = stream.thinkingLength;
  if (offset > heard) return { ...stream, thinking: content, thinkingLength: offset + content.length };
  const fresh = content.slice(heard - offset);
  if (fresh === '') return stream;
  return { ...stream, thinking: stream.thinking + fresh, thinkingLength: heard + fresh.length };
}

function put(streams: readonly LiveStream[], changed: LiveStream): readonly LiveStream[] {
  const at = streams.findIndex((stream) => stream.messageId === changed.messageId);
  if (at < 0) return [...streams, changed];
  return streams[at] === changed ? streams : streams.with(at, changed);
}

/** The maximum length of the output kept per call. */
const MAX_TAIL_LENGTH = 32_000;
/** The maximum number of calls whose output is kept. The latest are kept. */
const MAX_TAILS = 40;
/** Parts are merged up to this length, so that many small writes result in a short list. */
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
    if (changed.size <= MAX_TAILS) break;
    changed.delete(oldest);
  }
  return changed;
}

function cut(tail: OutputTail): OutputTail {
  let surplus = tail.length - MAX_TAIL_LENGTH;
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
