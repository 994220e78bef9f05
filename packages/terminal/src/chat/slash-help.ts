import { wrapFrom } from '../text/behind-bar.js';
import { SLASH_COMMANDS, SLASH_NOTES } from '../words/help-chat.js';

const COLUMN = 15;
const INDENT = 2;

/** The commands of a chat and what they do, wrapped into columns. */
export function slashHelp(columns: number): string {
  const commands = Object.entries(SLASH_COMMANDS).map(
    ([usage, what]) => `  ${usage.padEnd(COLUMN - INDENT)}${wrapped(what, columns, COLUMN)}`,
  );
  return [...commands, ...SLASH_NOTES.map((note) => `  ${wrapped(note, columns, INDENT)}`)].join('\n');
}

function wrapped(text: string, columns: number, indent: number): string {
  return wrapFrom(text, 0, Math.max(10, columns - indent - 1), `\n${' '.repeat(indent)}`).text.replaceAll(/ +$/gm, '');
}
