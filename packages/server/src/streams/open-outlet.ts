import type { ServerResponse } from 'node:http';

/** How much may wait for a reader that does not keep up. A frame that is larger by itself still goes out. */
const MOST_WAITING = 1024 * 1024;
/** How many heartbeats long a reader may take nothing of what waits for it. */
const MOST_STALLED = 2;

/** The way to one reader of a stream. */
export interface Outlet {
  /**
   * What is written in one go of the event loop, such as the events of one step, leaves in one write to the socket. False: too much
   * waits already, and this was not taken. Otherwise everything ever said would pile up behind a stalled reader.
   */
  write(bytes: Uint8Array): boolean;
  /** Resolves when the reader has taken what it was given, or is gone. */
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
export function openOutlet(response: ServerResponse, onGone: () => void): Outlet {
  let isOpen = true;
  let isFull = false;
  let wake = (): void => undefined;
  /** Written by us and not yet handed to the response. */
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
    if (!isOpen || waiting() > MOST_WAITING) return false;
    if (held.length === 0) process.nextTick(flush);
    held.push(bytes);
    heldBytes += bytes.byteLength;
    written += bytes.byteLength;
    return true;
  }

  response.once('close', gone);
  response.on('drain', drained);
  // Unheard, the error of a socket that was cut would end the process.
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
      if (stalled >= MOST_STALLED) {
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
