/** `Error: …`, `TypeError: …`, `Error [ERR_MODULE_NOT_FOUND]: …`, Python's `ModuleNotFoundError: …`. */
const ERROR_LINE = /^\s*(?:Uncaught )?\w*(?:Error|Exception)(?: \[\w+\])?: \S/;
/** Our own notes in a server's log: its exit status, and what the sandbox hides from it. */
const OWN_NOTE = /^\[(.*)\]$/;
const MAX = 5;

/**
 * Why a server failed: the first error that it printed, without the stack trace, or otherwise its last lines. Doesn't repeat `how`, which is
 * shown anyway.
 */
export function failureCause(lines: readonly string[], how: string): string {
  const at = lines.findIndex((line) => ERROR_LINE.test(line));
  const notes = lines.slice(at + 1).filter((line) => OWN_NOTE.test(line));
  const told = at < 0 ? lines.slice(-MAX) : [lines[at] ?? '', ...notes.slice(-MAX)];
  const isNew = (line: string): boolean => !how.includes(OWN_NOTE.exec(line)?.[1] ?? line);
  return told
    .map((line) => line.trim())
    .filter(isNew)
    .join(' · ');
}
