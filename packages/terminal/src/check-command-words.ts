import type { Command } from 'commander';
import { CommandError } from './command-error.js';
import { suggestion } from './text/suggest.js';
import { errors } from './words/errors.js';

/** A mistyped command would count as an argument of the default command and give a misleading error. */
export function checkCommandWords(program: Command, words: readonly string[], path = ''): void {
  const [first, ...rest] = words;
  if (first === undefined || first.startsWith('-') || program.commands.length === 0) return;
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const known = program.commands.find((command) => command.name() === first || command.aliases().includes(first));
  if (known !== undefined) {
    checkCommandWords(known, rest, `${path}${first} `);
    return;
  }
  if (first === 'help') return;
  throw new CommandError(errors.noCommand(`${path}${first}`, suggestion(first, names), path));
}
