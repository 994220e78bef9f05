import { closeSync, constants, openSync, readdirSync, readlinkSync } from 'node:fs';
import type { ReadStream } from 'node:tty';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Both ends of a pseudo-terminal. */
export interface OpenedTerminal {
  /** Our end: the output of the program, and its keys. */
  readonly outer: ReadStream;
  /** File descriptor of the program's end, to pass to a child. */
  readonly inner: number;
  closeInner(): void;
  /** The program gets SIGWINCH. */
  resize(size: TerminalSize): void;
}

/** Missing in the package's types: opens a terminal without starting a program in it, which would close its other descriptors. */
interface PtyModule {
  open(options: { cols: number; rows: number; encoding: null }): {
    readonly master: ReadStream;
    readonly slave: ReadStream;
    readonly ptsName: string;
    resize(columns: number, rows: number): void;
    on(event: 'error', listener: () => void): void;
  };
}

/** Undefined where the optional dependency is not installed or doesn't load. */
export async function openTerminal({ columns, rows }: TerminalSize): Promise<OpenedTerminal | undefined> {
  const module = await loadPty();
  if (module === undefined) return undefined;
  const terminal = module.open({ cols: columns, rows, encoding: null });
  const inner = openSync(terminal.ptsName, constants.O_RDWR | constants.O_NOCTTY);
  // Before it reads what people type for the program.
  terminal.slave.destroy();
  // Node has opened it again for its stream and left the first descriptor open: the terminal would never end.
  for (const left of descriptorsOf(terminal.ptsName)) if (left !== inner) closeSync(left);
  let isOpen = true;
  // When the last process has closed the terminal, reading it fails with EIO.
  terminal.master.on('error', () => terminal.master.destroy());
  return {
    outer: terminal.master,
    inner,
    closeInner() {
      if (isOpen) closeSync(inner);
      isOpen = false;
    },
    resize(size) {
      if (!terminal.master.destroyed) terminal.resize(Math.max(1, size.columns), Math.max(1, size.rows));
    },
  };
}

function descriptorsOf(path: string): number[] {
  return readdirSync('/proc/self/fd')
    .filter((name) => linkOf(`/proc/self/fd/${name}`) === path)
    .map(Number);
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // The descriptor that listed the folder.
    return undefined;
  }
}

async function loadPty(): Promise<PtyModule | undefined> {
  try {
    const loaded: unknown = await import('@lydell/node-pty');
    return isPtyModule(loaded) ? loaded : undefined;
  } catch {
    return undefined;
  }
}

function isPtyModule(loaded: unknown): loaded is PtyModule {
  return typeof loaded === 'object' && loaded !== null && typeof Reflect.get(loaded, 'open') === 'function';
}
