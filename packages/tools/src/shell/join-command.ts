import { roughCommands } from '../shell-syntax/rough-commands.js';

/** The text that is checked and run (TURN15): the command, then each parameter as a quoted word. */
export function joinCommand(command: string, parameters: readonly string[] = []): string {
  return [command, ...parameters.map(quoteWord)].join(' ');
}

export const TOO_LONG = 'is too long; write it to a file and run the file';
/** Linux's limit for one argument. */
const LONGEST_BYTES = 120 * 1024;

/** More than any script has. Judging each would block the process. */
const MAX_COMMANDS = 2000;

export function isTooLong(command: string): boolean {
  if (command.length > LONGEST_BYTES || Buffer.byteLength(command) > LONGEST_BYTES) return true;
  return roughCommands(command).size > MAX_COMMANDS;
}

/** In single quotes, only the quote itself is special. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** If these occur, only a full parser can tell whether appended words would still be quoted. */
const NESTING = /`|\$[({['"]|<<|[<>]\(|\(\(/;

/**
 * Why parameters can't be appended to this command, or undefined. After an open quote or a comment, a quoted word would
 * no longer be literal and part of it could run.
 */
export function whyNoParameters(command: string): string | undefined {
  const advice = 'put everything into command';
  if (NESTING.test(command)) return `parameters can't follow a command with substitutions or here-documents; ${advice}`;
  let quote: "'" | '"' | undefined;
  let escaped = false;
  let wordStart = true;
  for (const character of command) {
    const blank = /[\s;&|()<>]/.test(character);
    if (escaped) escaped = false;
    else if (quote !== "'" && character === '\\') escaped = true;
    else if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (character === "'" || character === '"') quote = character;
    else if (character === '#' && wordStart) return `parameters can't follow a command with a comment; ${advice}`;
    wordStart = blank && quote === undefined && !escaped;
  }
  if (quote !== undefined || escaped) return `parameters can't follow a command that ends inside a quote; ${advice}`;
  return undefined;
}
