import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const run = promisify(execFile);

/** Whether tmux is installed. If not, the setup has printed what is skipped. */
export const hasTmux = inject('tmux');
export const command = `${process.execPath} ${fileURLToPath(new URL('../../packages/countersign/bin/countersign.js', import.meta.url))}`;
/** The shell's prompt. */
const PROMPT = 'ready$';
/** The prompt with nothing typed after it. */
export const READY = /^ready\$ ?$/m;
const PATIENCE_MS = 60_000;

type Shown = string | RegExp;

/** A shell in its own terminal, as a person sees it. */
export interface Tmux {
  /** Presses keys by name, one after another: `Enter`, `Tab`, `C-c`, `o`. */
  press(...keys: string[]): Promise<void>;
  /** Types literal text. */
  type(text: string): Promise<void>;
  /** The current screen. */
  screen(options?: { colours?: boolean }): Promise<string>;
  /** Resolves with the screen when it shows all of this; with `not`, when it no longer shows that. */
  see(wanted: Shown | readonly Shown[], options?: { not?: Shown }): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** A tmux variable of the terminal, such as `alternate_on`. */
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
        // Waits for two equal captures: a screen may be captured while it is being drawn.
        if (text === before && fits(text)) return text;
        if (Date.now() > deadline) throw new Error(`waited in vain for ${all.map(String).join(' and ')}:\n${text}`);
        before = text;
        // Each capture starts a process.
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
  // Not through the environment, which some shells ignore.
  await tmux('send-keys', '-t', 't', `PS1='${PROMPT} '; clear`, 'Enter');
  // Input that arrives before the prompt is shown twice, or before the screen is cleared.
  await opened.see(READY);
  return opened;
}

/** Reads /proc on Linux, where pgrep may not be installed. */
async function firstChildOf(pid: number): Promise<number> {
  const children =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      : (await run('pgrep', ['-P', String(pid)])).stdout;
  return Number(children.trim().split(/\s/)[0]);
}
