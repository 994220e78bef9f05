import { structuredPatch } from 'diff';
import type { CommandContext } from '../../context.js';
import type { FileChange } from '../../gate/config-change.js';
import { countChanges } from '../../gate/count-changes.js';
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
