import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Console } from './console.js';
import { chatWords } from './words/chat.js';

/** What a person did when they were asked for a line. */
export type Typed =
  | { readonly kind: 'line'; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: 'interrupt' }
  /** There is nothing more to read. */
  | { readonly kind: 'end' }
  /** What was asked has answered itself. */
  | { readonly kind: 'cancelled' };

interface Question {
  readonly prompt: string;
  /** Text to change instead of an empty line. */
  readonly prefill?: string;
  /** True: what was typed before counts for nothing, and it goes into no history. */
  readonly fresh?: boolean;
  /** True: what is pasted is no answer. It was copied for something else, and may bring its own Enter (A17). */
  readonly typedOnly?: boolean;
  readonly signal?: AbortSignal;
}

/** A person's lines. One question at a time. */
export interface Keyboard {
  ask(question: Question): Promise<Typed>;
  /** Writes above what is being typed. */
  print(text: string): void;
  /** What is typed while nobody asks. */
  onLoose(act: (typed: Typed) => void): void;
  /** Lets an editor have the terminal. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  readonly hasEnded: () => boolean;
  close(): void;
}

/**
 * As long nothing that is typed counts after a card has appeared: keys that were pressed before it, and are still on their way, would
 * sign what nobody has read (A17).
 */
const GUARD_MS = 300;

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

interface Asking {
  readonly question: Question;
  readonly answer: (typed: Typed) => void;
}

export type Complete = (line: string) => [string[], string];

/** Reads lines from a terminal. What is typed shows only while somebody asks for it: else it would run into what is printed. */
export function openKeyboard({ stdin, stdout, env }: Console, complete: Complete = (line) => [[], line]): Keyboard {
  let asking: Asking | undefined;
  let loose: (typed: Typed) => void = () => undefined;
  let isMuted = true;
  let isLent = false;
  let hasEnded = false;
  /** Between the marks that a terminal puts around what is pasted; and the lines of it, which belong to one answer. */
  let isPasting = false;
  let pasted: string[] = [];
  const markPastes = (isOn: boolean): void => {
    if (env['TERM'] !== 'dumb') stdout.write(isOn ? '\u001B[?2004h' : '\u001B[?2004l');
  };
  const leave = (): void => markPastes(false);
  process.on('exit', leave);
  // A signal ends us without a word: then too the terminal must be as it was, or a shell shows marks around what is pasted.
  const ended = (signal: NodeJS.Signals): void => {
    stopListening();
    leave();
    process.kill(process.pid, signal);
  };
  const stopListening = (): void => SIGNALS.forEach((signal) => process.off(signal, ended));
  for (const signal of SIGNALS) process.once(signal, ended);
  const keyPressed = (_text: string | undefined, key: { name?: string } | undefined): void => hearPaste(key?.name);
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
    // An answer to a card that stands in the history would be one key away from the next card.
    made.on('history', (history) => {
      if (asking?.question.fresh !== false) history.shift();
    });
    return made;
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

  /** Takes away what stands in the line. */
  function clear(): void {
    pasted = [];
    if (hasEnded) return;
    readline.write(null, { ctrl: true, name: 'e' });
    readline.write(null, { ctrl: true, name: 'u' });
  }

  /** Reads and drops what is on its way. Only that somebody wants to leave is heard. */
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
    const { rows } = readline.getCursorPos();
    stdout.write(`${rows > 0 ? `\u001B[${rows}A` : ''}\r\u001B[J${text}`);
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
        readline.setPrompt(prompt);
        readline.prompt(true);
        if (prefill !== '') readline.write(prefill);
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
