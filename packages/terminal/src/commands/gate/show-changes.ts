import { isDeepStrictEqual } from 'node:util';
import { structuredPatch } from 'diff';
import type { CommandContext } from '../../context.js';
import type { FileChange } from '../../gate/config-change.js';
import { isObject } from '../../gate/json-text.js';
import { plainLine } from '../../text/plain-text.js';
import { gate } from '../../words/gate.js';

/** One line for each file; with `--verbose`, all of its changes. On standard error, so that `--json` prints only the result. */
export function showChanges({ note, options }: CommandContext, changes: readonly FileChange[]): void {
  for (const { path, before, after, isSecret } of changes) {
    if (before === after) note(plainLine(gate.unchanged(path)));
    else if (isSecret) note(plainLine(gate.secretFile(path)));
    else {
      note(plainLine(gate.changed(countChanges(before, after), path)));
      if (options.verbose) showDiff(note, before, after);
    }
  }
  if (!options.verbose && changes.some(({ before, after, isSecret }) => before !== after && !isSecret))
    note(gate.seeDiff);
}

function showDiff(note: CommandContext['note'], before = '', after = ''): void {
  for (const { lines } of structuredPatch('', '', before, after, '', '', { context: 2 }).hunks)
    for (const line of lines) note(line);
}

/** How many hooks, permission settings and other settings differ between two texts in JSON. */
export function countChanges(
  before: string | undefined,
  after: string | undefined,
): { hooks: number; permissions: number; others: number } {
  const [one, two] = [before, after].map((text) => objectIn(text === undefined ? '' : text));
  const differ = (key: string): number => {
    const [from, to] = [one?.[key], two?.[key]].map((value) => (isObject(value) ? value : {}));
    const keys = new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})]);
    return [...keys].filter((name) => !isDeepStrictEqual(from?.[name], to?.[name])).length;
  };
  const all = new Set([...Object.keys(one ?? {}), ...Object.keys(two ?? {})]);
  const others = [...all].filter(
    (key) => key !== 'hooks' && key !== 'permissions' && !isDeepStrictEqual(one?.[key], two?.[key]),
  );
  return { hooks: differ('hooks'), permissions: differ('permissions'), others: others.length };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
