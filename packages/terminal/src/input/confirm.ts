import { createInterface } from 'node:readline/promises';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { plainLine } from '../text/plain-text.js';
import { errors } from '../words/errors.js';
import { results } from '../words/results.js';

/** Asks the person to type a word. Any other input, the end of input and Ctrl-C mean no (CALL15). Without a terminal, `--yes` is required. */
export async function confirm(
  context: CommandContext,
  { yes, what, word = 'yes' }: { yes: boolean | undefined; what: string; word?: string },
): Promise<void> {
  if (yes === true) return;
  if (!context.isPerson) throw new CommandError(errors.cannotConfirm(what));
  const { stdin, stdout } = context.console;
  const readline = createInterface({ input: stdin, output: stdout });
  const ended = new Promise<string>((resolve) => {
    readline.once('close', () => resolve(''));
    readline.once('SIGINT', () => resolve(''));
  });
  const asked = readline.question(results.confirm(plainLine(what), word)).catch(() => '');
  const answer = await Promise.race([asked, ended]);
  readline.close();
  if (answer.trim() !== word) throw new CommandError(errors.nothingDone, EXIT.interrupted);
}
