import type { Engine } from '@countersign/core';
import type { EncodedFrame } from './encode-frame.js';
import { feedsOf } from './feeds.js';
import type { StreamStart } from './find-start.js';

/** More events than one request usually causes before its response. Beyond this, the log is read instead. */
const MAX_HELD = 64;

export interface HeldFrames {
  frames(): readonly EncodedFrame[];
  /** The end of the log before the first frame. */
  start(): StreamStart | undefined;
  stop(): void;
}

/** Buffers the events of a world during an action, for the stream that opens after it. */
export function holdFrames(engine: Engine, worldId: string): HeldFrames {
  let first: EncodedFrame | undefined;
  let held: EncodedFrame[] | undefined = [];
  const ignore = (): void => undefined;
  const stop = feedsOf(engine).listen(worldId, {
    heard(frame) {
      first ??= frame;
      held?.push(frame);
      if (held !== undefined && held.length > MAX_HELD) held = undefined;
    },
    tick: ignore,
    closing: ignore,
  });
  return {
    frames: () => held ?? [],
    start() {
      if (first === undefined) return undefined;
      return { position: first.isStored ? first.id - 1 : first.id, isReset: false };
    },
    stop,
  };
}
