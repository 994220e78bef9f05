import type { SSEEvent } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { LiveStream, OutputTail } from './state.js';
import { hear, hearOutput } from './streams.js';

const one = { messageId: 'msg_1', agentName: 'Ada', agentId: 'ada' };
const chunk = (content: string, offset: number, attempt = 1): SSEEvent => ({
  ...one,
  type: 'chunk',
  content,
  offset,
  attempt,
});
const listen = (...events: SSEEvent[]): readonly LiveStream[] =>
  events.reduce<readonly LiveStream[]>((streams, event) => hear(streams, event, false), []);

describe('a streamed answer', () => {
  it('[STORE6.2] is the concatenation of its chunks', () => {
    const [stream] = listen({ ...one, type: 'start', attempt: 1 }, chunk('Hello ', 0), chunk('there', 6));
    expect(stream).toMatchObject({ text: 'Hello there', missing: 0, ended: false, agentId: 'ada' });
  });

  it('[STORE6.2] ignores a repeated chunk', () => {
    const [stream] = listen(chunk('Hello ', 0), chunk('Hello ', 0), chunk('lo there', 3));
    expect(stream?.text).toBe('Hello there');
  });

  it('[MODEL11] keeps thinking apart from the answer', () => {
    const thought = (content: string, offset: number, attempt = 1): SSEEvent => ({
      ...chunk(content, offset, attempt),
      type: 'thinking',
    });
    const [stream] = listen(thought('Let me ', 0), thought('me see', 4), chunk('Hello', 0), thought(' more', 10));
    expect(stream).toMatchObject({ thinking: 'Let me see more', text: 'Hello', missing: 0 });
    expect(listen(thought('late', 20), thought(' on', 24))[0]).toMatchObject({ thinking: 'late on', text: '' });
    expect(listen(thought('old', 0), { ...one, type: 'start', attempt: 2 })[0]?.thinking).toBe('');
    expect(listen({ ...one, type: 'start', attempt: 2 }, thought('old', 0, 1))[0]?.thinking).toBe('');
  });

  it('[STORE6.2] counts the missed characters', () => {
    expect(listen(chunk('there', 6))[0]).toMatchObject({ text: 'there', missing: 6 });
    expect(listen(chunk('Hello ', 0), chunk('you', 12), chunk('!', 15))[0]).toMatchObject({
      text: 'you!',
      missing: 12,
    });
  });

  it('[STORE6.2] a new attempt clears it, and late chunks of the old attempt are ignored', () => {
    const streams = listen(
      chunk('Helo', 0),
      { ...one, type: 'start', attempt: 2 },
      chunk('late', 4, 1),
      chunk('Hello', 0, 2),
    );
    expect(streams).toMatchObject([{ text: 'Hello', attempt: 2 }]);
  });

  it('[STORE6.2] recognizes a new attempt by its chunks if its start was lost', () => {
    expect(listen(chunk('Helo', 0), chunk('Hello', 0, 2))).toMatchObject([{ text: 'Hello', attempt: 2, missing: 0 }]);
  });

  it('[STORE6.2] ends with its message or an error', () => {
    const said = listen(chunk('Hello', 0), { ...one, type: 'end', attempt: 1 });
    expect(said).toMatchObject([{ ended: true }]);
    expect(hear(said, chunk('late', 5), true)).toEqual([]);
    expect(listen(chunk('Hel', 0), { ...one, type: 'error', content: 'no more', attempt: 1 })).toEqual([]);
  });
});

describe('the output of a running call', () => {
  const write = (tails: ReadonlyMap<string, OutputTail>, content: string, stream: 'stdout' | 'stderr' = 'stdout') =>
    hearOutput(tails, { invocation_id: 'call_1', stream, content });

  it('[TURN13] keeps stdout and stderr in order of arrival', () => {
    const tail = write(write(write(new Map(), 'a'), 'b'), 'oh', 'stderr').get('call_1');
    expect(tail?.parts).toEqual([
      { stream: 'stdout', text: 'ab' },
      { stream: 'stderr', text: 'oh' },
    ]);
  });

  it('[TURN13] keeps the end of long output and counts the rest', () => {
    let tails: ReadonlyMap<string, OutputTail> = new Map();
    for (let line = 0; line < 5000; line += 1) tails = write(tails, `line ${String(line).padStart(6, '0')}\n`);
    const tail = tails.get('call_1');
    const text = tail?.parts.map((part) => part.text).join('') ?? '';
    expect(text.endsWith('line 004999\n')).toBe(true);
    expect(text).toHaveLength(tail?.length ?? -1);
    expect(text.length).toBeLessThanOrEqual(32_000);
    expect((tail?.dropped ?? 0) + text.length).toBe(5000 * 12);
    expect(tail?.parts.length).toBeLessThan(30);
  });

  it('[TURN13] keeps only the output of the latest calls', () => {
    let tails: ReadonlyMap<string, OutputTail> = new Map();
    for (let call = 0; call < 100; call += 1) {
      tails = hearOutput(tails, { invocation_id: `call_${call}`, stream: 'stdout', content: 'x' });
    }
    expect(tails.size).toBeLessThanOrEqual(40);
    expect(tails.has('call_99')).toBe(true);
  });
});
