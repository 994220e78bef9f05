import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import type { ReadFrame } from '../testing/open-stream.js';
import { openStreamFixture, type StreamFixture } from '../testing/stream-fixture.js';

let fixture: StreamFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

describe('many readers', () => {
  it.each([scaled(500)])(
    '[LIMIT4] [STORE6] %d readers of one chat lose nothing, even if some disconnect and resume',
    async (count) => {
      fixture = await openStreamFixture(() => 'an answer of several words');
      const { stream, say, engine, worldId, chatId } = fixture;
      const readers = await Promise.all(Array.from({ length: count }, () => stream({ chat: chatId, after: '0' })));
      const seen = readers.map(() => [] as string[]);
      for (let i = 0; i < 5; i += 1) await say(`before ${i}`);
      for (let i = 0; i < count / 10; i += 1) {
        const reader = readers[i];
        reader?.close();
        seen[i]?.push(...(reader?.frames ?? []).filter(({ event }) => event !== 'sse').map(({ id }) => id));
        const headers = { 'last-event-id': reader?.lastId() ?? '' };
        readers[i] = await stream({ chat: chatId }, { headers });
      }
      for (let i = 0; i < 5; i += 1) await say(`after ${i}`);
      await engine.quiet();
      const log = await engine.runtime.store.read((reader) =>
        reader.events(worldId, { after: 0, limit: 1000, chatId }),
      );
      const expected = log.map(({ id }) => String(id));
      const last = expected.at(-1);
      for (const [index, reader] of readers.entries()) {
        await reader.until(({ id }) => id === last);
        const got = reader.frames.filter(({ event }) => event !== 'sse').map(({ id }) => id);
        expect([...(seen[index] ?? []), ...got]).toEqual(expected);
      }
    },
  );

  it('[STORE6.3] a slow reader gets every event once, and a stalled one is disconnected and resumes without loss', async () => {
    fixture = await openStreamFixture();
    const { stream, say, chatId, url, connections, clock } = fixture;
    const stalled = connect(Number(new URL(url).port), '127.0.0.1');
    stalled.pause();
    stalled.write(`GET /?chat=${chatId}&after=0 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const slow = await stream();
    slow.response.pause();
    const other = await stream();
    await expect.poll(connections).toBe(3);
    for (let i = 0; i < MANY; i += 1) await say(`@human ${i} ${WORDS}`);
    await other.until(isNumber(MANY - 1));
    // It reads from the log at its own pace.
    slow.response.resume();
    await slow.until(isNumber(MANY - 1));
    expect(numbersIn(slow.frames)).toEqual(upTo(MANY));
    for (let beats = 1; (await connections()) === 3; beats += 1) {
      expect(beats).toBeLessThan(5);
      clock.advance(15_000);
      await expect.poll(() => other.comments.length).toBe(beats);
    }
    await say(`@human ${MANY} short`);
    await other.until(isNumber(MANY));

    const received: Buffer[] = [];
    stalled.on('data', (bytes: Buffer) => received.push(bytes));
    stalled.on('error', () => undefined);
    stalled.resume();
    await once(stalled, 'close');
    const text = Buffer.concat(received).toString('utf8');
    // Ignore an incomplete frame, like any event stream parser.
    const whole = text.slice(0, text.lastIndexOf('\n\n'));
    const got = [...whole.matchAll(/^data: .*"content":"@human (\d+)/gm)].map(([, number]) => Number(number));
    const lastId = [...whole.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '0';
    expect(got.length).toBeLessThan(MANY);
    const resumed = await stream({ chat: chatId }, { headers: { 'last-event-id': lastId } });
    await resumed.until(isNumber(MANY));
    expect([...got, ...numbersIn(resumed.frames)]).toEqual(upTo(MANY + 1));
  });
});

/** More than the socket buffer plus our own buffer. Longer messages would be truncated (SAFE6). */
const MANY = 120;
/** Three bytes per character: masking costs time per character, and sockets buffer bytes. */
const WORDS = '字'.repeat(60_000);

function numberIn({ data }: ReadFrame): number | undefined {
  const number = /^@human (\d+)/.exec(String(data['content']))?.[1];
  return number === undefined ? undefined : Number(number);
}

function isNumber(number: number): (frame: ReadFrame) => boolean {
  return (frame) => numberIn(frame) === number;
}

function numbersIn(frames: readonly ReadFrame[]): number[] {
  return frames.map(numberIn).filter((number) => number !== undefined);
}

function upTo(end: number): number[] {
  return Array.from({ length: end }, (_, index) => index);
}
