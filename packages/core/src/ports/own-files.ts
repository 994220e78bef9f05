/**
 * Files that are ours and no tool may open, whoever approved it (A21): what an agent reads there are everybody's words and the
 * key of all signatures. On POSIX even opening and closing one in this process would drop the lock by which it owns its store.
 * One list for every copy of this module in the process.
 */
const key = Symbol.for('countersign.own-files');
const own = ((globalThis as Record<symbol, unknown>)[key] ??= new Set<string>()) as Set<string>;

/** What lies beside a store and belongs to it. */
const BESIDE = ['', '-wal', '-shm', '-journal', '-steps', '.owner', '.audit-head'];

/** Declares a file, by its real path, as ours. The returned function takes that back. */
export function keepOwnFile(path: string): () => void {
  own.add(path);
  return () => own.delete(path);
}

/** Whether a real path is a file of ours, or one that belongs to it. */
export function isOwnFile(path: string): boolean {
  return BESIDE.some((suffix) => path.endsWith(suffix) && own.has(path.slice(0, path.length - suffix.length)));
}

/** Every path that `isOwnFile` knows, for who must hide them. Not all of them are there. */
export function ownFiles(): string[] {
  return [...own].flatMap((path) => BESIDE.map((suffix) => path + suffix));
}
