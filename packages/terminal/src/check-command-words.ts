import type { Command } from 'commander';
import { CommandError } from './command-error.js';
import { suggestion } from './text/suggest.js';
import { errors } from './words/errors.js';

/** Rejects unknown commands: a mistyped command would be passed to the default command as an argument and cause a misleading error. */
export function checkCommandWords(program: Command, words: readonly string[], path = ''): void {
  const [first, ...rest] = afterFlags(program, words);
  if (first === undefined || first.startsWith('-') || program.commands.length === 0) return;
  const names = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const known = program.commands.find((command) => command.name() === first || command.aliases().includes(first));
  if (known !== undefined) {
    checkCommandWords(known, rest, `${path}${first} `);
    return;
  }
  // An argument of the command itself, as in `drill claude` next to `drill run claude`.
  if (first === 'help' || program.registeredArguments.length > 0) return;
  throw new CommandError(errors.noCommand(`${path}${first}`, suggestion(first, names), path));
}

/** Skips flags before the command, such as `--home DIR`, including those of a default command. Stops at an unknown flag. */
function afterFlags(program: Command, words: readonly string[]): readonly string[] {
  const options = [program, ...program.commands].flatMap((command) => command.options);
  let at = 0;
  for (let word = words[at]; word?.startsWith('-') === true && word !== '--'; word = words[at]) {
    const [name] = word.split('=');
    const option = options.find(({ short, long }) => short === name || long === name);
    if (option === undefined) return [];
    at += option.required && !word.includes('=') ? 2 : 1;
  }
  return words.slice(at);
}
