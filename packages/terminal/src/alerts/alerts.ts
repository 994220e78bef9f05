import { agentName, approvalsForYou, callLine, type ChatState, type WorldState } from '@countersign/client';
import type { Console } from '../console.js';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';
import { alertWords } from '../words/alerts.js';

/** Tells a person who looks elsewhere that calls wait for them, with what their terminal has for that (TERM8). */
export interface Alerts {
  /** Takes all calls that wait for this person now, and alerts them to those that it hasn't seen yet. */
  show(waiting: readonly WaitingCall[]): void;
  close(): void;
}

interface WaitingCall {
  readonly id: string;
  readonly text: string;
}

/** The calls of one answer arrive one after another, and are one alert. */
const TOGETHER_MS = 200;
const MAX_CELLS = 120;
/** The terminal's own title is kept on its stack. */
const KEEP_TITLE = '\u001B[22;0t';
const RESTORE_TITLE = '\u001B[23;0t';
const BELL = '\u0007';
const END = '\u001B\\';

/** Does nothing where no terminal would show it. */
export function openAlerts({ stdout, env }: Pick<Console, 'stdout' | 'env'>): Alerts {
  if (!stdout.isTTY || env['TERM'] === 'dumb') return { show: () => undefined, close: () => undefined };
  const told = new Set<string>();
  let waiting: readonly WaitingCall[] = [];
  let titled: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function alert(): void {
    timer = undefined;
    const fresh = waiting.filter(({ id }) => !told.has(id));
    for (const { id } of fresh) told.add(id);
    if (fresh.length > 0) stdout.write(`${BELL}${noticeFor(textOf(fresh), env)}`);
  }

  function setTitle(count: number): void {
    if (count === (titled ?? 0)) return;
    stdout.write(`${titled === undefined ? KEEP_TITLE : ''}\u001B]2;${alertWords.title(count)}${END}`);
    titled = count;
  }

  return {
    show(calls) {
      waiting = calls;
      setTitle(calls.length);
      if (calls.some(({ id }) => !told.has(id))) timer ??= setTimeout(alert, TOGETHER_MS);
    },
    close() {
      clearTimeout(timer);
      if (titled !== undefined) stdout.write(RESTORE_TITLE);
    },
  };
}

/** The calls that wait for the reader. */
export function callsForYou(state: ChatState | WorldState): WaitingCall[] {
  return approvalsForYou(state).map(({ approvalId: id, agentId, question, toolName, arguments: args }) => ({
    id,
    text: alertWords.waits(agentName(state, agentId), question?.text ?? callLine(toolName, args)),
  }));
}

function textOf(calls: readonly WaitingCall[]): string {
  const [only] = calls;
  return cutTo(
    plainLine(calls.length === 1 && only !== undefined ? only.text : alertWords.several(calls.length)),
    MAX_CELLS,
  );
}

/** A desktop notice in the form that the terminal understands; others ignore it. tmux passes it on if it is allowed to. */
export function noticeFor(text: string, env: NodeJS.ProcessEnv): string {
  const terminal = `${env['TERM_PROGRAM'] ?? ''} ${env['TERM'] ?? ''}`.toLowerCase();
  // Our name comes first: a text that starts with "4;" would be the progress of a task.
  const notice = /rxvt|foot|ghostty/.test(terminal)
    ? `\u001B]777;notify;${alertWords.product};${text}${END}`
    : `\u001B]9;${alertWords.product}: ${text}${END}`;
  return env['TMUX'] === undefined ? notice : `\u001BPtmux;${notice.replaceAll('\u001B', '\u001B\u001B')}${END}`;
}
