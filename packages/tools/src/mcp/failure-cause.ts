/** `Error: …`, `TypeError: …`, `Error [ERR_MODULE_NOT_FOUND]: …`, Python's `ModuleNotFoundError: …`. */
const ERROR_LINE = /^\s*(?:Uncaught )?\w*(?:Error|Exception)(?: \[\w+\])?: \S/;
/** Notes of ours in a server's log: how it ended, and what the sandbox hides from it. */
const OWN_NOTE = /^\[(.*)\]$/;
const MOST = 5;

/**
 * What a server that failed said about it. The first error it printed, if it printed one: what follows that is a stack and, of Node, its
 * version. Otherwise its last lines. `how` is what is said of the failure anyway, and is not repeated.
 */
export function failureCause(lines: readonly string[], how: string): string {
  const at = lines.findIndex((line) => ERROR_LINE.test(line));
  const notes = lines.slice(at + 1).filter((line) => OWN_NOTE.test(line));
  const told = at < 0 ? lines.slice(-MOST) : [lines[at] ?? '', ...notes.slice(-MOST)];
  const isNew = (line: string): boolean => !how.includes(OWN_NOTE.exec(line)?.[1] ?? line);
  return told
    .map((line) => line.trim())
    .filter(isNew)
    .join(' · ');
}
