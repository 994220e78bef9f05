import type { CommandContext } from '../context.js';
import { table, type Column } from '../text/table.js';

/** Prints a list as a table, or as one JSON document `{ items }`. */
export function showList<Row>(
  context: CommandContext,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  ifNone: string,
): void {
  if (context.options.json) context.json({ items: rows });
  else if (rows.length === 0) context.note(ifNone);
  else context.say(table(rows, columns, context.columns()));
}

/** Prints one object, one line per field. */
export function showThing(context: CommandContext, thing: object): void {
  if (context.options.json) {
    context.json(thing);
    return;
  }
  const rows = Object.entries(thing)
    .filter(([name]) => name !== 'lastEventId')
    .map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }));
  const columns = [
    { title: 'field', of: (row: (typeof rows)[number]) => row.name },
    { title: 'value', of: (row: (typeof rows)[number]) => row.value },
  ];
  context.say(table(rows, columns, undefined));
}

/** Prints a sentence that confirms the change; with --json, the object itself. */
export function showDone(context: CommandContext, sentence: string, thing: object): void {
  if (context.options.json) context.json(thing);
  else context.note(sentence);
}
