import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { responseToNobody } from '../testing/no-socket.js';
import { openOutlet } from './open-outlet.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A response that records each write. */
function noting() {
  const response = responseToNobody();
  const writes: string[] = [];
  const note = (chunk: unknown): number => writes.push(Buffer.from(chunk as Uint8Array).toString());
  response.write = (chunk: unknown) => note(chunk) > 0;
  response.end = (chunk: unknown) => {
    note(chunk);
    return response;
  };
  return { response, writes };
}

it('[HTTP13] sends the events of one step in one write', async () => {
  const { response, writes } = noting();
  const outlet = openOutlet(response, () => undefined);
  for (const frame of ['a', 'b', 'c']) outlet.write(bytes(frame));
  expect(writes).toEqual([]);
  await nextRound();
  outlet.write(bytes('d'));
  await nextRound();
  expect(writes).toEqual(['abc', 'd']);
});

it('[HTTP13] flushes the last events when it ends', async () => {
  const { response, writes } = noting();
  let gone = 0;
  const outlet = openOutlet(response, () => {
    gone += 1;
  });
  outlet.write(bytes('a'));
  outlet.write(bytes('b'));
  outlet.end();
  expect(writes).toEqual(['ab']);
  expect(outlet.write(bytes('late'))).toBe(false);
  response.emit('close');
  await nextRound();
  expect([writes, gone]).toEqual([['ab'], 1]);
});

it('[STORE6] stops accepting writes at a limit, and accepts them again when the reader has drained it', async () => {
  const response = responseToNobody();
  const outlet = openOutlet(response, () => undefined);
  response.writeHead(200);
  const frame = bytes('x'.repeat(100_000));
  let taken = 0;
  while (outlet.write(frame)) taken += 1;
  expect(taken).toBe(11);
  const room = outlet.room();
  let hasRoom = false;
  void room.then(() => (hasRoom = true));
  await nextRound();
  expect(hasRoom).toBe(false);
  response.emit('drain');
  await room;
});
