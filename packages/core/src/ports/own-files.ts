/**
 * Countersign's own files, which no tool may open, even if approved (SAFE1): they contain all chats and the signing key. On POSIX, closing such a file
 * would even drop the process's lock on its store. Global, so that all copies of this module share one list.
 */
const key = Symbol.for('countersign.own-files');
const own = ((globalThis as Record<symbol, unknown>)[key] ??= new Set<string>()) as Set<string>;

/** Suffixes of files that belong to a store. */
const BESIDE = ['', '-wal', '-shm', '-journal', '-steps', '.owner', '.audit-head'];

/** Registers one of Countersign's own files by its real path. The returned function unregisters it. */
export function registerOwnFile(path: string): () => void {
  own.add(path);
  return () => own.delete(path);
}

/** Whether a real path is a registered file, or belongs to one. */
export function isOwnFile(path: string): boolean {
  return BESIDE.some((suffix) => path.endsWith(suffix) && own.has(path.slice(0, path.length - suffix.length)));
}

/** All paths for which `isOwnFile` is true, so that a sandbox can hide them. Some may not exist. */
export function ownFiles(): string[] {
  return [...own].flatMap((path) => BESIDE.map((suffix) => path + suffix));
}
