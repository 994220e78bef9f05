import type { Engine } from '@countersign/core';
import type { EncodedFrame } from './encode-frame.js';
import { feedsOf } from './feeds.js';

/** More than one request sets off before it is answered. Beyond, the log is read instead. */
const MOST_HELD = 64;

/** Keeps what happens in a world while something is done there, for a stream that opens after it. */
export function holdFrames(engine: Engine, worldId: string): { frames(): readonly EncodedFrame[]; stop(): void } {
  let held: EncodedFrame[] | undefined = [];
  const ignore = (): void => undefined;
  const stop = feedsOf(engine).listen(worldId, {
    heard(frame) {
      held?.push(frame);
      if (held !== undefined && held.length > MOST_HELD) held = undefined;
    },
    tick: ignore,
    closing: ignore,
  });
  return { frames: () => held ?? [], stop };
}
