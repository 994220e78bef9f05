import { wrapFrom } from '../text/behind-bar.js';
import { SLASH_COMMANDS } from '../words/help-chat.js';
import { slashNames, type SlashPlace } from './slash-commands.js';

const COLUMN = 15;
const INDENT = 2;

/** The commands of a place and what they do. */
export function slashTable(place: SlashPlace): [usage: string, what: string][] {
  return slashNames(place).map((name) => {
    const [argument, what] = SLASH_COMMANDS[name];
    return [`/${name} ${argument}`.trimEnd(), what];
  });
}

/** The same, wrapped into columns, with notes below. */
export function slashHelp(place: SlashPlace, notes: readonly string[], columns: number): string {
  const commands = slashTable(place).map(
    ([usage, what]) => `  ${usage.padEnd(COLUMN - INDENT)}${wrapped(what, columns, COLUMN)}`,
  );
  return [...commands, ...notes.map((note) => `  ${wrapped(note, columns, INDENT)}`)].join('\n');
}

function wrapped(text: string, columns: number, indent: number): string {
  return wrapFrom(text, 0, Math.max(10, columns - indent - 1), `\n${' '.repeat(indent)}`).text.replaceAll(/ +$/gm, '');
}
