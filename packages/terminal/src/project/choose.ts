import { createInterface } from 'node:readline/promises';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { wrapLines } from '../text/behind-bar.js';
import { cutTo } from '../text/cells.js';
import { plainLine } from '../text/plain-text.js';
import { projectWords as words } from '../words/project.js';

export interface Option<T> {
  readonly label: string;
  /** Shown below the label. */
  readonly detail?: string;
  readonly value: T;
}

/** Asks until the person enters one of the numbers. Enter alone chooses nothing. */
export async function choose<T>(context: CommandContext, title: string, options: readonly Option<T>[]): Promise<T> {
  context.say('');
  context.say(context.paint.bold(title));
  showOptions(context, options);
  for (;;) {
    const typed = await askLine(context, words.number(options.length));
    const chosen = pick(typed, options);
    if (chosen !== undefined) return chosen.value;
    context.say(words.notANumber(options.length));
  }
}

/** Shows each option on one line: a label wrapped by the terminal could imitate another option. */
export function showOptions(context: CommandContext, options: readonly Omit<Option<unknown>, 'value'>[]): void {
  const columns = context.columns() ?? 80;
  for (const [index, { label, detail }] of options.entries()) {
    context.say(`  ${String(index + 1).padStart(2)}  ${cutTo(plainLine(label), columns - 7)}`);
    const lines = detail === undefined ? [] : wrapLines(detail, columns - 3);
    for (const line of lines) context.say(context.paint.dim(`      ${line}`));
  }
}

/** Prints a sentence, wrapped between words. */
export function saySentence(context: CommandContext, text: string, paint = (line: string): string => line): void {
  for (const line of wrapLines(plainLine(text), context.columns() ?? 80)) context.say(paint(line));
}

/** Prints an error from a server, wrapped between words. */
export function sayError(context: CommandContext, text: string): void {
  saySentence(context, text, (line) => context.paint.red(line));
}

/** The option with this number. */
export function pick<T>(typed: string, options: readonly T[]): T | undefined {
  return /^\d{1,4}$/.test(typed) ? options[Number(typed) - 1] : undefined;
}

/** Asks for a line and trims it. Ctrl-C and the end of input leave. */
export async function askLine(context: CommandContext, prompt: string): Promise<string> {
  const { stdin, stdout } = context.console;
  const readline = createInterface({ input: stdin, output: stdout });
  try {
    const left = new Promise<undefined>((resolve) => {
      readline.once('close', () => resolve(undefined)).once('SIGINT', () => resolve(undefined));
    });
    const typed = await Promise.race([readline.question(plainLine(prompt)).catch(() => undefined), left]);
    if (typed !== undefined) return typed.trim();
    stdout.write('\n');
    throw new CommandError(words.left, EXIT.interrupted);
  } finally {
    readline.close();
  }
}
