import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** What a file of ours says. Undefined when it is not there, or when others could have read or written it: then it proves nothing. */
export function readPrivate(file: string): string | undefined {
  try {
    const stats = lstatSync(file);
    const isOurs = process.getuid === undefined || stats.uid === process.getuid();
    if (!stats.isFile() || !isOurs || (stats.mode & 0o077) !== 0) return undefined;
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** All of it or nothing, and for nobody else to read. */
export function writePrivate(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`;
  // A file that was there keeps its mode, so it must not be there.
  rmSync(fresh, { force: true });
  writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
}
