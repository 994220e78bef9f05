import { CommanderError } from 'commander';
import { checkCommandWords } from './check-command-words.js';
import { createContext, type OpenContext, type ProgramInput } from './create-context.js';
import { createProgram } from './create-program.js';
import type { Ends } from './commands/register.js';
import { splitRunWords } from './commands/run/split-run-words.js';
import { EXIT } from './exit-codes.js';
import { sizeOf } from './console.js';
import { plainText } from './text/plain-text.js';
import { wrapNote } from './text/wrap-note.js';
import { errors } from './words/errors.js';

/** Parses the arguments, runs the command and returns the exit code. Never rejects: errors are one sentence on standard error. */
export async function runProgram(words: readonly string[], around: ProgramInput): Promise<number> {
  const { stdout, stderr } = around.console;
  // The reader closed the pipe, as `| head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    // The output could not be written, for example because the disk is full: that must not look like success.
    stderr.write(`countersign: ${errors.cannotWriteOutput(plainText(error.message))}\n`);
    process.exit(EXIT.failed);
  });
  // The error can't be reported; the command still does its work.
  stderr.on('error', () => undefined);
  let context: OpenContext | undefined;
  let exitCode: number = EXIT.ok;
  const ends: Ends = {
    begin(options) {
      context = createContext(around, options);
      return context;
    },
    end(code) {
      exitCode = code;
    },
  };
  const code = await act();
  const wasCut = await context?.close().catch(async (error: unknown) => {
    const { describeFailure } = await import('./describe-failure.js');
    stderr.write(`countersign: ${plainText(describeFailure(error).message)}\n`);
    return false;
  });
  return wasCut === true ? EXIT.interrupted : code;

  async function act(): Promise<number> {
    try {
      const asked = words[0] === 'help' ? [...words.slice(1), '--help'] : splitRunWords(words);
      const program = await createProgram(around, ends, asked);
      checkCommandWords(program, asked);
      await program.parseAsync(asked, { from: 'user' });
      return exitCode;
    } catch (error) {
      if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
      const { describeFailure } = await import('./describe-failure.js');
      const { message, code } = describeFailure(error);
      const text = `countersign: ${plainText(message)}`;
      stderr.write(`${stderr.isTTY ? wrapNote(text, sizeOf(stderr).columns) : text}\n`);
      const isVerbose = words.includes('--verbose');
      if (isVerbose && error instanceof Error) stderr.write(`${plainText(stackOf(error))}\n`);
      return code;
    }
  }
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
