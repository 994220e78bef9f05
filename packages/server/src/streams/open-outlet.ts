import type { AppRequest } from '../app/context.js';

/** How much is read ahead from the log for a reader. */
const READ_AHEAD = 64 * 1024;
/** How much may wait for a reader that does not keep up. A frame that is larger by itself still goes out. */
const MOST_WAITING = 1024 * 1024;

/** The way to one reader of a stream. */
export interface Outlet {
  readonly body: ReadableStream<Uint8Array>;
  /**
   * Hands bytes on, or cuts the reader off when too much waits for it already: it reconnects with the number of the last frame it
   * got and misses nothing. Without this, one stalled reader would hold all that is ever said.
   */
  write(bytes: Uint8Array): void;
  /** Resolves when the reader has taken most of what it was given, or is gone. */
  room(): Promise<void>;
  /** What was written still goes out. */
  end(): void;
}

/** `onGone` is called once, when nothing more can be written: the reader left, was cut off, or we ended it. */
export function openOutlet({ env: { outgoing } }: AppRequest, onGone: () => void): Outlet {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let wake = (): void => undefined;

  function gone(): void {
    if (controller === undefined) return;
    controller = undefined;
    outgoing?.off('close', gone);
    wake();
    onGone();
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
    write(bytes) {
      if (controller === undefined) return;
      const waiting = READ_AHEAD - (controller.desiredSize ?? 0);
      if (waiting <= MOST_WAITING) {
        controller.enqueue(bytes);
        return;
      }
      const cut = controller;
      gone();
      if (outgoing === undefined) cut.error(new Error('the reader did not keep up'));
      else outgoing.destroy();
    },
    async room() {
      if (controller === undefined || (controller.desiredSize ?? 0) > 0) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    end() {
      const ended = controller;
      gone();
      ended?.close();
    },
  };
}
