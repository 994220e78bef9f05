import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Console } from '../console.js';
import { proseText } from '../text/plain-text.js';
import { chatWords } from '../words/chat.js';

/** The result of asking a person for a line. */
export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: 'interrupt' }
  /** End of input. */
  | { readonly kind: 'end' }
  /** The question was cancelled. */
  | { readonly kind: 'cancelled' };

interface Question {
  /** The text before the input line, or a function of the line that is called while it is typed. */
  readonly prompt: string | ((line: string) => string);
  /** The initial text of the line. */
  readonly prefill?: string;
  /** Discard earlier input, and keep the answer out of the history. */
  readonly fresh?: boolean;
  /** Start with the lines that were typed before the prompt appeared. Enter was pressed too early to send them. */
  readonly typeAhead?: boolean;
  /** Reject pasted text as an answer: it was copied for something else and may contain Enter (CALL15). */
  readonly typedOnly?: boolean;
  readonly signal?: AbortSignal;
}

/** Reads lines from a person, one question at a time. */
export interface Keyboard {
  ask(question: Question): Promise<Typed>;
  /** Prints above the line being typed. */
  print(text: string): void;
  /** Handles input while no question is open. */
  onLoose(act: (typed: Typed) => void): void;
  /** Hands the terminal over to an editor. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  readonly hasEnded: () => boolean;
  close(): void;
}

/** How long input is ignored after a card appears: keys pressed before that must not approve a call that nobody has read (CALL15). */
const GUARD_MS = 300;

const LONGEST_WATCHED = 20_000;

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

interface Asking {
  readonly question: Question;
  readonly answer: (typed: Typed) => void;
}

type Complete = (line: string) => [string[], string];

/** Reads lines from a terminal. Echoes only while a question is open; otherwise, input would mix with output. */
export function openKeyboard({ stdin, stdout, env }: Console, complete: Complete = (line) => [[], line]): Keyboard {
  let asking: Asking | undefined;
  let early: string[] = [];
  let loose: (typed: Typed) => void = (typed) => {
    if (typed.kind === 'line') early.push(typed.text);
  };
  let isMuted = true;
  let isLent = false;
  let hasEnded = false;
  /** Set between the terminal's paste marks. All pasted lines belong to one answer. */
  let isPasting = false;
  let pasted: string[] = [];
  const markPastes = (isOn: boolean): void => {
    if (env['TERM'] !== 'dumb') stdout.write(isOn ? '\u001B[?2004h' : '\u001B[?2004l');
  };
  const leave = (): void => markPastes(false);
  process.on('exit', leave);
  // Also restore the terminal on a signal; otherwise, the shell would show paste marks.
  const ended = (signal: NodeJS.Signals): void => {
    stopListening();
    leave();
    process.kill(process.pid, signal);
  };
  const stopListening = (): void => SIGNALS.forEach((signal) => process.off(signal, ended));
  for (const signal of SIGNALS) process.once(signal, ended);
  const keyPressed = (_text: string | undefined, key: { name?: string; meta?: boolean } | undefined): void => {
    hearPaste(key?.name);
    if (key?.meta === true && (key.name === 'return' || key.name === 'enter')) startLine();
    // Wait until readline has handled the key.
    setImmediate(updatePrompt);
  };
  stdin.on('keypress', keyPressed);
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) stdout.write(chunk);
      done();
    },
  });
  Object.defineProperty(output, 'columns', { get: () => stdout.columns });
  const resized = (): void => void output.emit('resize');
  stdout.on('resize', resized);
  let readline = open();

  function open(): Interface {
    const made = createInterface({ input: stdin, output, terminal: true, historySize: 200, completer: complete });
    showHidden(made);
    markPastes(true);
    made.on('line', (text) => {
      if (isPasting) pasted.push(text);
      else tell({ kind: 'line', text: [...pasted.splice(0), text].join('\n') });
    });
    made.on('SIGINT', () => {
      isPasting = false;
      clear();
      tell({ kind: 'interrupt' });
    });
    made.on('close', () => {
      if (isLent) return;
      hasEnded = true;
      tell({ kind: 'end' });
    });
    // Keep answers out of the history: otherwise, a single key would recall them on the next card.
    made.on('history', (history) => {
      if (asking?.question.fresh !== false) history.shift();
    });
    return made;
  }

  /**
   * Shows hidden characters by their number: as they are, pasted ones or those of a prefilled command could paint over a card. Readline has no option
   * for it, so this replaces the two methods that write and measure text.
   */
  function showHidden(made: Interface): void {
    const { _getDisplayPos: measure } = made as unknown as { _getDisplayPos: (text: string) => unknown };
    const shown = (text: string): string => {
      const prompt = made.getPrompt();
      const ours = text.startsWith(prompt) ? prompt : '';
      return ours + text.slice(ours.length).replaceAll(/[^\r\n]+/g, (part) => proseText(part));
    };
    Object.assign(made, {
      _writeToOutput: (text: string) => output.write(shown(text)),
      _getDisplayPos: (text: string) => measure.call(made, shown(text)),
    });
  }

  function tell(typed: Typed): void {
    const current = asking;
    if (current === undefined) loose(typed);
    else current.answer(typed);
  }

  function hearPaste(name: string | undefined): void {
    if (name === 'paste-start') isPasting = true;
    if (name !== 'paste-end') return;
    isPasting = false;
    if (asking?.question.typedOnly !== true) return;
    clear();
    print(`${chatWords.pasteIgnored}\n`);
  }

  /** Alt-Enter: readline shows a line feed in its line, but has no key for it. */
  function startLine(): void {
    if (asking === undefined || asking.question.typedOnly === true || hasEnded) return;
    const { line, cursor } = readline;
    Object.assign(readline, { line: `${line.slice(0, cursor)}\n${line.slice(cursor)}`, cursor: cursor + 1 });
    readline.prompt(true);
  }

  /** Skips long text: it was pasted, and each key press would scan all of it. */
  function updatePrompt(): void {
    if (asking === undefined || isPasting || hasEnded || isMuted) return;
    const { prompt } = asking.question;
    if (typeof prompt === 'string' || readline.line.length > LONGEST_WATCHED) return;
    const next = prompt([...pasted, readline.line].join('\n'));
    if (next !== readline.getPrompt()) redraw('', next);
  }

  /** Clears the line. */
  function clear(): void {
    pasted = [];
    early = [];
    if (hasEnded) return;
    readline.write(null, { ctrl: true, name: 'e' });
    readline.write(null, { ctrl: true, name: 'u' });
  }

  /** Drops pending input, except the keys for leaving. */
  async function settleInput(signal: AbortSignal | undefined): Promise<Typed | undefined> {
    const previous = loose;
    let left: Typed | undefined;
    loose = (typed) => {
      if (typed.kind !== 'line') left = typed;
    };
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GUARD_MS);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    clear();
    loose = previous;
    return left;
  }

  function print(text: string): void {
    if (asking === undefined || isMuted) {
      stdout.write(text);
      return;
    }
    redraw(text, readline.getPrompt());
  }

  /** Replaces the prompt and the input line with this text, and draws them again below it. */
  function redraw(text: string, prompt: string): void {
    const { rows } = readline.getCursorPos();
    stdout.write(`${rows > 0 ? `\u001B[${rows}A` : ''}\r\u001B[J${text}`);
    // Otherwise, readline would move up by the rows of its last redraw, over the text.
    Object.assign(readline, { prevRows: 0 });
    readline.setPrompt(prompt);
    readline.prompt(true);
  }

  return {
    async ask(question) {
      const { signal, fresh = false, prompt, prefill = '' } = question;
      const left = fresh && !hasEnded ? await settleInput(signal) : undefined;
      if (left !== undefined) return left;
      if (hasEnded) return { kind: 'end' };
      if (signal?.aborted === true) return { kind: 'cancelled' };
      return await new Promise<Typed>((resolve) => {
        const answer = (typed: Typed): void => {
          asking = undefined;
          signal?.removeEventListener('abort', cancel);
          if (typed.kind !== 'line' && !isMuted) stdout.write('\n');
          isMuted = true;
          resolve(typed);
        };
        const cancel = (): void => {
          clear();
          answer({ kind: 'cancelled' });
        };
        asking = { question: { ...question, fresh }, answer };
        signal?.addEventListener('abort', cancel, { once: true });
        isMuted = false;
        readline.setPrompt(typeof prompt === 'string' ? prompt : prompt(readline.line));
        readline.prompt(true);
        const ahead = question.typeAhead === true ? early.join(' ') : '';
        if (ahead !== '') {
          const rest = readline.line;
          clear();
          readline.write(rest === '' ? ahead : `${ahead} ${rest}`);
        }
        if (prefill !== '') readline.write(prefill);
        updatePrompt();
      });
    },
    print,
    onLoose(act) {
      loose = act;
    },
    async lend(work) {
      isLent = true;
      markPastes(false);
      readline.close();
      try {
        return await work();
      } finally {
        isLent = false;
        readline = open();
      }
    },
    hasEnded: () => hasEnded,
    close() {
      loose = () => undefined;
      stdout.off('resize', resized);
      isMuted = true;
      stdin.off('keypress', keyPressed);
      process.off('exit', leave);
      stopListening();
      leave();
      readline.close();
    },
  };
}
