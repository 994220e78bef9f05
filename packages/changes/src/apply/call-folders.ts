import { lstat, mkdir, realpath } from 'node:fs/promises';
import { homedir, hostname, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Before the PID in the name of a folder. */
export const OWNER = `draft-${hostname()}-`;
/** What follows `OWNER`: our PID and a UUID. Must match all of it, because another host's name may start with ours and a hyphen. */
export const PID = /^(\d+)-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/** The folder of a rehearsal that waits for approval. Its name doesn't contain our PID, because it outlives us. */
export const KEPT = `rehearsal-${hostname()}-`;
export const KEPT_MS = 30 * 24 * 3_600_000;
/** The folder of a call that can be undone. */
export const UNDO = `undo-${hostname()}-`;
/** The folder of a run. It outlives the server and its supervisor. */
export const RUN = `run-${hostname()}-`;
export const UNDO_MS = 7 * 24 * 3_600_000;

/** Creates a folder for one call. If we are killed, the next start removes it. */
export async function makeCallFolder(folder: string): Promise<string> {
  await makeDraftsFolder(folder);
  const path = newCallFolder(folder);
  await mkdir(path, { mode: 0o700 });
  return path;
}

/** The path of a new folder that the next start removes if we are killed. */
export function newCallFolder(folder: string): string {
  return join(folder, `${OWNER}${process.pid}-${crypto.randomUUID()}`);
}

/**
 * Creates the drafts folder, and at most its parent: with `recursive`, Node never returns if nothing can be created, such as in `/proc`. It
 * must be private: in a shared location, someone may have created it first, to read or replace drafts.
 */
export async function makeDraftsFolder(folder: string): Promise<void> {
  for (const path of [dirname(folder), folder]) await mkdir(path, { mode: 0o700 }).catch(() => undefined);
  const { uid, mode } = await lstat(folder);
  if (uid !== process.getuid?.() || (mode & 0o777) !== 0o700) throw new Error(`other users can access ${folder}`);
}

/**
 * Folders for drafts, preferably on the same disk as the user's projects: applying a draft is then a rename. Commands can't see any of these
 * folders.
 */
export async function draftFolders(): Promise<string[]> {
  const cache = process.env['XDG_CACHE_HOME'] ?? '';
  const wanted = [isAbsolute(cache) ? cache : join(homedir(), '.cache'), tmpdir(), '/dev/shm'];
  const found: string[] = [];
  for (const place of wanted) {
    try {
      const folder = join(place, `countersign-drafts-${process.getuid?.() ?? 0}`);
      await makeDraftsFolder(folder);
      found.push(await realpath(folder));
    } catch {
      // This method is not available here.
    }
  }
  return found;
}
