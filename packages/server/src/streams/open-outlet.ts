import type { ServerResponse } from 'node:http';

/** Buffer limit for a slow reader. A single larger frame is still sent. */
const MAX_BUFFERED = 1024 * 1024;
/** Number of heartbeats after which a stalled reader is disconnected. */
const MAX_STALLED_BEATS = 2;

/** The connection to one reader of a stream. */
export interface Outlet {
  /**
   * Batches the writes of one event loop turn into one write to the socket. Returns false if the buffer is full and the bytes were not
   * accepted.
   */
  write(bytes: Uint8Array): boolean;
  /** Resolves when the reader has drained its buffer or has disconnected. */
  room(): Promise<void>;
  /** Sends a heartbeat. A reader that has read nothing since the last two is disconnected; it reconnects with its last id. */
  beat(): void;
  /** Flushes pending writes and ends the stream. */
  end(): void;
}

const HEARTBEAT = new TextEncoder().encode(': still here\n\n');

/** `onGone` is called once, when nothing more can be written: the reader disconnected, was disconnected, or we ended the stream. */
export function openOutlet(response: ServerResponse, onGone: () => void): Outlet {
  let isOpen = true;
  let isFull = false;
  let wake = (): void => undefined;
  /** Bytes that have not been passed to the response yet. */
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let written = 0;
  let takenBefore = 0;
  let stalled = 0;

  const waiting = (): number => heldBytes + response.writableLength;

  function gone(): void {
    if (!isOpen) return;
    isOpen = false;
    response.off('close', gone);
    response.off('drain', drained);
    wake();
    onGone();
  }

  function drained(): void {
    isFull = false;
    wake();
  }

  function takeHeld(): Uint8Array {
    const [first = new Uint8Array(), ...others] = held;
    const all = others.length === 0 ? first : Buffer.concat(held, heldBytes);
    held = [];
    heldBytes = 0;
    return all;
  }

  function flush(): void {
    if (isOpen && held.length > 0) isFull = !response.write(takeHeld());
  }

  function write(bytes: Uint8Array): boolean {
    if (!isOpen || waiting() > MAX_BUFFERED) return false;
    if (held.length === 0) process.nextTick(flush);
    held.push(bytes);
    heldBytes += bytes.byteLength;
    written += bytes.byteLength;
    return true;
  }

  response.once('close', gone);
  response.on('drain', drained);
  // Without a listener, a socket error would crash the process.
  response.on('error', gone);
  if (response.destroyed) queueMicrotask(gone);

  return {
    write,
    async room() {
      flush();
      if (!isOpen || !isFull) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    beat() {
      const taken = written - waiting();
      stalled = waiting() > 0 && taken <= takenBefore ? stalled + 1 : 0;
      takenBefore = taken;
      if (stalled >= MAX_STALLED_BEATS) {
        gone();
        response.destroy();
      } else if (waiting() === 0) write(HEARTBEAT);
    },
    end() {
      if (!isOpen) return;
      const last = takeHeld();
      gone();
      response.end(last);
    },
  };
}
