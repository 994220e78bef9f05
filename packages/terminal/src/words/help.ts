import type { Command } from 'commander';

/** The `--help` texts of a command. Other fields are the texts of its flags and arguments. */
export interface Help {
  /** Imperative verb and object: "Add an agent to a world". */
  readonly about: string;
  readonly notes?: readonly string[];
  readonly exitCodes?: string;
  readonly examples: readonly string[];
  readonly [flag: string]: unknown;
}

export const WORLD = 'world (id or name; the default is the world of this folder)';
export const WORLD_OR_ALL = 'only this world';
export const CHAT = 'chat id, or "last"';
export const FOR = 'the person who uses the program, and so requests its calls (default: you)';
export const YES = 'skip the confirmation';

export function withHelp(command: Command, { about, notes = [], exitCodes, examples }: Help): Command {
  command.description(about);
  for (const note of notes) command.addHelpText('after', `\n${note}`);
  if (exitCodes !== undefined) command.addHelpText('after', `\nExit codes: ${exitCodes}.`);
  const title = examples.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${title}:\n${examples.map((example) => `  ${example}`).join('\n')}`);
}
