import { afterEach, expect, it } from 'vitest';
import { openStreamFixture, type StreamFixture } from '../testing/stream-fixture.js';
import { encodeFrame, type EncodedFrame } from './encode-frame.js';
import { followLog } from './follow-log.js';

let fixture: StreamFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

/** Follows until the chat has settled, given the events that arrived while a decision was made. */
async function follow(...types: ('waiting' | 'working' | 'idle')[]): Promise<{ written: number; isEnded: boolean }> {
  fixture = await openStreamFixture();
  const { engine, worldId, chatId } = fixture;
  const held = types.map((type, index): EncodedFrame => {
    const data = { type, pendingOperations: 0 };
    return encodeFrame({ id: index + 1, worldId, chatId, event: 'world', data });
  });
  const seen = { written: 0, isEnded: false };
  const outlet = {
    write: () => (seen.written += 1) > 0,
    room: async () => undefined,
    beat: () => undefined,
    end: () => {
      seen.isEnded = true;
    },
  };
  const following = { engine, worldId, chatId, untilSettled: true, approvals: true, ownTools: new Set<string>() };
  const follower = followLog({ ...following, position: 0 }, outlet);
  follower.start(held);
  follower.stop();
  return seen;
}

it('[HTTP8.5] continues if the chat stopped waiting while the decision was made', async () => {
  expect(await follow('waiting', 'working')).toEqual({ written: 2, isEnded: false });
});

it('[HTTP8.5] ends if the chat has settled in the meantime', async () => {
  expect(await follow('waiting', 'working', 'idle')).toEqual({ written: 3, isEnded: true });
});
