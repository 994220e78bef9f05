import type { AppRequest } from '../app/context.js';

/** How much is read ahead from the log for a reader. */
const READ_AHEAD = 64 * 1024;
/** How much may wait for a reader that does not keep up. A frame that is larger by itself still goes out. */
const MOST_WAITING = 1024 * 1024;
/** How many heartbeats long a reader may take nothing of what waits for it. */
const MOST_STALLED = 2;

/** The way to one reader of a stream. */
export interface Outlet {
  readonly body: ReadableStream<Uint8Array>;
  /** False: too much waits already, and this was not taken. Held for it, all that is ever said would pile up behind a stalled reader. */
  write(bytes: Uint8Array): boolean;
  /** Resolves when the reader has taken most of what it was given, or is gone. */
  room(): Promise<void>;
  /**
   * Says that we are still there. A reader that has taken nothing of what waits for it since the last two times is cut off: it comes
   * back with the number of the last frame it got.
   */
  beat(): void;
  /** What was written still goes out. */
  end(): void;
}

const HEARTBEAT = new TextEncoder().encode(': still here\n\n');

/** `onGone` is called once, when nothing more can be written: the reader left, was cut off, or we ended it. */
export function openOutlet({ env: { outgoing } }: AppRequest, onGone: () => void): Outlet {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let wake = (): void => undefined;
  let written = 0;
  let takenBefore = 0;
  let stalled = 0;

  const waiting = (): number => (controller === undefined ? 0 : READ_AHEAD - (controller.desiredSize ?? 0));

  function gone(): void {
    if (controller === undefined) return;
    controller = undefined;
    outgoing?.off('close', gone);
    wake();
    onGone();
  }

  function write(bytes: Uint8Array): boolean {
    if (controller === undefined || waiting() > MOST_WAITING) return false;
    written += bytes.byteLength;
    controller.enqueue(bytes);
    return true;
  }

  function cut(): void {
    const ended = controller;
    gone();
    if (outgoing === undefined) ended?.error(new Error('the reader did not keep up'));
    else outgoing.destroy();
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull: () => wake(),
      cancel: gone,
    },
    { highWaterMark: READ_AHEAD, size: (bytes) => bytes.byteLength },
  );
  // A reader that leaves before the first byte never starts the stream, so it would never be told.
  outgoing?.once('close', gone);
  if (outgoing?.destroyed === true) queueMicrotask(gone);

  return {
    body,
    write,
    async room() {
      if (controller === undefined || (controller.desiredSize ?? 0) > 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    beat() {
      const taken = written - waiting();
      stalled = waiting() > 0 && taken === takenBefore ? stalled + 1 : 0;
      takenBefore = taken;
      if (stalled >= MOST_STALLED) cut();
      else if (waiting() === 0) write(HEARTBEAT);
    },
    end() {
      const ended = controller;
      gone();
      ended?.close();
    },
  };
}
