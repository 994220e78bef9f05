import type { Socket } from 'node:net';
import { spawn, type IPty } from '@lydell/node-pty';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const command = fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url));

/** The real command in a terminal. */
export interface PseudoTerminal {
  /** Everything on the screen so far, without cursor sequences. */
  screen(): string;
  /** The raw output, with all sequences. */
  raw(): string;
  type(text: string): void;
  /** Resolves when this appears after the last match, with all output up to it. */
  waitFor(wanted: string | RegExp): Promise<string>;
  readonly exitCode: Promise<number>;
  resize(columns: number, rows: number): void;
  kill(): void;
  signal(name: NodeJS.Signals): void;
}

export interface TerminalOptions {
  readonly env: Record<string, string>;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly deadlineMs?: number;
}

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const ENTER = '\r';

const opened = new Set<PseudoTerminal>();

export function openTerminal(words: readonly string[], options: TerminalOptions): PseudoTerminal {
  const { env, cwd, columns = 100, rows = 40, deadlineMs = 30_000 } = options;
  const child = spawn(process.execPath, [command, ...words], {
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    ...(cwd === undefined ? {} : { cwd }),
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', NO_COLOR: '1', ...env },
  });
  readToTheEnd(child);
  let raw = '';
  let at = 0;
  let look = (): void => undefined;
  let ended: number | undefined;
  child.onData((text) => {
    raw += text;
    look();
  });
  const plain = (text: string): string => stripVTControlCharacters(text).replaceAll('\r', '');
  // Complete lines are stripped once: a sequence never contains a line break.
  let lines = '';
  let stripped = 0;
  const screen = (): string => {
    const end = raw.lastIndexOf('\n') + 1;
    if (end > stripped) lines += plain(raw.slice(stripped, end));
    stripped = Math.max(stripped, end);
    return lines + plain(raw.slice(stripped));
  };
  const exitCode = new Promise<number>((resolve) => {
    child.onExit(({ exitCode: code }) => {
      ended = code;
      opened.delete(terminal);
      look();
      resolve(code);
    });
  });
  const terminal: PseudoTerminal = {
    screen,
    raw: () => raw,
    type: (text) => child.write(text),
    async waitFor(wanted) {
      return await new Promise<string>((resolve, reject) => {
        const fail = (why: string): void => {
          reject(new Error(`${why}: ${String(wanted)}\nafter:\n${screen().slice(at)}\nscreen:\n${screen()}`));
        };
        const timer = setTimeout(() => fail('waited in vain'), deadlineMs);
        look = () => {
          const rest = screen().slice(at);
          const found = typeof wanted === 'string' ? rest.indexOf(wanted) : rest.search(wanted);
          if (found < 0) {
            if (ended !== undefined) fail(`ended with ${ended}`);
            return;
          }
          const length = typeof wanted === 'string' ? wanted.length : (wanted.exec(rest)?.[0].length ?? 0);
          clearTimeout(timer);
          look = () => undefined;
          at += found + length;
          resolve(rest.slice(0, found + length));
        };
        look();
      });
    },
    exitCode,
    resize: (wide, high) => child.resize(wide, high),
    kill: () => child.kill('SIGKILL'),
    signal: (name) => child.kill(name),
  };
  opened.add(terminal);
  return terminal;
}

/** How many empty reads, each after an event loop iteration, count as quiet. */
const QUIET_TURNS = 20;

/**
 * 200 ms after a program has ended, node-pty drops unread output, which a busy machine may not have read yet. The
 * terminal ends on its own when everything was read, unless something else holds it open.
 */
function readToTheEnd(child: IPty): void {
  const { _socket: socket } = child as unknown as { readonly _socket: Socket };
  const destroy = socket.destroy.bind(socket);
  let quiet = 0;
  child.onData(() => {
    quiet = 0;
  });
  const giveUp = (): void => {
    quiet += 1;
    if (quiet > QUIET_TURNS) destroy();
    else setTimeout(giveUp, 50).unref();
  };
  socket.destroy = (error) => {
    if (error !== undefined) return destroy(error);
    giveUp();
    return socket;
  };
}

/** For `afterEach`: ends the processes that a test left running. */
export async function closeTerminals(): Promise<void> {
  await Promise.all(
    [...opened].map(async (terminal) => {
      terminal.kill();
      await terminal.exitCode;
    }),
  );
}
