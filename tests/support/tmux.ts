import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);

/** Whether tmux is installed. If not, the set-up has said what is left out. */
export const hasTmux = inject('tmux');
export const command = `${process.execPath} ${fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url))}`;
/** What the shell says when it waits for a command. */
const PROMPT = 'ready$';
/** Where it waits for one now: with nothing typed behind it. */
export const READY = /^ready\$ ?$/m;
const PATIENCE_MS = 60_000;

type Shown = string | RegExp;

/** A shell in a terminal of its own, looked at as a person looks at it. */
export interface Tmux {
  /** Keys by their names, one after another: `Enter`, `Tab`, `C-c`, `o`. */
  press(...keys: string[]): Promise<void>;
  /** Text as it is. */
  type(text: string): Promise<void>;
  /** What is on the screen now. */
  screen(options?: { colours?: boolean }): Promise<string>;
  /** Resolves with the screen when it shows all of this; with `not`, when it no longer shows that. */
  see(wanted: Shown | readonly Shown[], options?: { not?: Shown }): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** What tmux says of the terminal itself, such as `alternate_on`. */
  flag(name: string): Promise<string>;
  /** Sends a signal to the command that runs in the shell. */
  signal(name: NodeJS.Signals): Promise<void>;
  close(): Promise<void>;
}

export async function openTmux(
  env: Readonly<Record<string, string>>,
  { columns = 120, rows = 36 }: { columns?: number; rows?: number } = {},
): Promise<Tmux> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-tmux-'));
  const socket = join(folder, 'socket');
  const around = {
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    PS1: `${PROMPT} `,
    ...env,
  };
  const tmux = async (...words: string[]): Promise<string> =>
    (await run('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...words], { env: around })).stdout;
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), '-s', 't', 'sh');

  const screen = async ({ colours = false } = {}): Promise<string> =>
    await tmux('capture-pane', '-p', ...(colours ? ['-e'] : []), '-t', 't');
  const shows = (text: string, wanted: Shown): boolean =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);

  const opened: Tmux = {
    screen,
    async press(...keys) {
      for (const key of keys) await tmux('send-keys', '-t', 't', key);
    },
    async type(text) {
      await tmux('send-keys', '-t', 't', '-l', text);
    },
    async see(wanted, { not } = {}) {
      const all = typeof wanted === 'string' || wanted instanceof RegExp ? [wanted] : wanted;
      const fits = (text: string): boolean =>
        all.every((each) => shows(text, each)) && (not === undefined || !shows(text, not));
      const deadline = Date.now() + PATIENCE_MS;
      for (let before = ''; ;) {
        const text = await screen();
        // The same twice: a picture may be caught while it is drawn, half new and half old.
        if (text === before && fits(text)) return text;
        if (Date.now() > deadline) throw new Error(`waited in vain for ${all.map(String).join(' and ')}:\n${text}`);
        before = text;
        // Each look starts a process.
        await new Promise((resolve) => setTimeout(resolve, 80));
      }
    },
    async resize(columns, rows) {
      await tmux('resize-window', '-t', 't', '-x', String(columns), '-y', String(rows));
    },
    async flag(name) {
      return (await tmux('display-message', '-p', '-t', 't', `#{${name}}`)).trim();
    },
    async signal(name) {
      const shell = (await tmux('display-message', '-p', '-t', 't', '#{pane_pid}')).trim();
      process.kill(await firstChildOf(Number(shell)), name);
    },
    async close() {
      await tmux('kill-server').catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  // Not from its environment: some shells don't take it from there.
  await tmux('send-keys', '-t', 't', `PS1='${PROMPT} '; clear`, 'Enter');
  // What is typed before it reads is shown twice, or before it clears.
  await opened.see(READY);
  return opened;
}

/** Where the system tells it, without a program that may not be installed. */
async function firstChildOf(pid: number): Promise<number> {
  const children =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      : (await run('pgrep', ['-P', String(pid)])).stdout;
  return Number(children.trim().split(/\s/)[0]);
}
