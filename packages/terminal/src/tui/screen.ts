import { sizeOf } from '../console.js';
import { paintLine } from '../text/paint.js';
import { alignLine } from './align-line.js';
import type { Size } from './layout/areas.js';
import type { Line } from '../text/spans.js';

/**
 * The alternate screen without a cursor or wrapping, with paste marks. The wheel sends arrow keys, so that the terminal's own selection keeps
 * working. All settings are restored at the end.
 */
const ENTER = '\u001B[?1049h\u001B[2J\u001B[H\u001B[?25l\u001B[?7l\u001B[?2004h\u001B[?1007s\u001B[?1007h';
const LEAVE = '\u001B[?2026l\u001B[?1007r\u001B[0m\u001B[?2004l\u001B[?7h\u001B[?25h\u001B[?1049l';
const FRAME_MS = 16;
/** On a slow connection, frames are dropped instead of queued. */
const MAX_QUEUED = 64_000;

interface Screen {
  size(): Size;
  /** Draws the picture soon. Several changes in a row are drawn once. */
  redraw(): void;
  onResize(listener: () => void): void;
  /** Gives the terminal back for a while, such as to an editor. */
  pause(): void;
  resume(): void;
  /** Restores the terminal. May be called repeatedly. */
  close(): void;
}

/** The whole terminal. Each line is drawn at its own position, so none can push, wrap or scroll another. */
export function openScreen(
  stdout: NodeJS.WriteStream,
  { picture, hasColour }: { picture: () => readonly Line[]; hasColour: boolean },
): Screen {
  let shown: (string | undefined)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let lastAt = 0;
  let isPaused = false;
  let isClosed = false;
  const listeners = new Set<() => void>();

  function draw(): void {
    timer = undefined;
    if (isClosed || isPaused) return;
    if (stdout.writableLength > MAX_QUEUED) {
      stdout.once('drain', schedule);
      return;
    }
    lastAt = Date.now();
    const { rows } = sizeOf(stdout);
    const wanted = picture();
    let out = '';
    for (let row = 0; row < rows; row += 1) {
      const line = paintLine(alignLine(wanted[row] ?? []), hasColour);
      if (line === shown[row]) continue;
      // Clear before drawing: in the last column, clearing afterwards would erase the last character.
      out += `\u001B[${row + 1};1H\u001B[2K${line}`;
      shown[row] = line;
    }
    if (out !== '') stdout.write(`\u001B[?2026h${out}\u001B[?2026l`);
  }

  function schedule(): void {
    timer ??= setTimeout(draw, Math.max(0, FRAME_MS - (Date.now() - lastAt)));
  }

  function resized(): void {
    shown = [];
    if (isPaused) return;
    stdout.write('\u001B[2J');
    for (const listener of listeners) listener();
    schedule();
  }

  stdout.on('resize', resized);
  stdout.write(ENTER);
  return {
    size: () => sizeOf(stdout),
    redraw: schedule,
    onResize: (listener) => void listeners.add(listener),
    pause() {
      isPaused = true;
      stdout.write(LEAVE);
    },
    resume() {
      isPaused = false;
      stdout.write(ENTER);
      resized();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      stdout.off('resize', resized);
      stdout.off('drain', schedule);
      stdout.write(LEAVE);
    },
  };
}
