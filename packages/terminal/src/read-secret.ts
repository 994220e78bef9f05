import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from './command-error.js';
import type { CommandContext } from './context.js';
import { EXIT } from './exit-codes.js';
import { plainLine } from './text/plain-text.js';
import { errors } from './words/errors.js';

/** Asks for a line without showing what is typed. Ctrl-C and end of input do nothing else. */
export async function readSecret(context: CommandContext, prompt: string): Promise<string> {
  const { stdin, stderr } = context.console;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // As a terminal, so that the system doesn't echo what is typed; our output goes nowhere.
  const readline = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // Only now is the echo off: a key pasted any earlier would be shown.
  stderr.write(plainLine(prompt));
  try {
    return await new Promise<string>((resolve, reject) => {
      const leave = (): void => reject(new CommandError(errors.nothingDone, EXIT.interrupted));
      readline.once('line', resolve).once('SIGINT', leave).once('close', leave);
    });
  } finally {
    readline.close();
    stderr.write('\n');
  }
}
