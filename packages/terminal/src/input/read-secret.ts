import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { plainLine } from '../text/plain-text.js';
import { errors } from '../words/errors.js';

/** Asks for a line without echoing it. Ctrl-C and the end of input cancel. */
export async function readSecret(context: CommandContext, prompt: string): Promise<string> {
  const { stdin, stderr } = context.console;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Terminal mode prevents the system from echoing the input; our own output is discarded.
  const readline = createInterface({ input: stdin, output: nowhere, terminal: true, historySize: 0 });
  // Print the prompt now that the echo is off: a key pasted earlier would be shown.
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
