import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Which of these paths in the working folder the command still saw at the end. */
export type StillSeen = (paths: readonly string[]) => Promise<readonly boolean[]>;

interface Drafted {
  readonly upper: string;
  readonly workingDirectory: string;
  readonly stillSeen: StillSeen;
}

const MAX_ROUNDS = 10;

/**
 * Finds folders in the draft that were removed and recreated, and therefore hide the content of the real ones. Node can't read the kernel's
 * marker, so this looks up one name in each folder through a mount.
 */
export async function findEmptied(drafted: Drafted): Promise<Set<string>> {
  const { workingDirectory, stillSeen } = drafted;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const asked = await namesToAsk(drafted);
    const seen = asked.length === 0 ? [] : await stillSeen(asked.map(({ path }) => path));
    const unseen = asked.filter((_, index) => seen[index] === false);
    // Ignore paths that someone else has removed: they don't show whether the folder was emptied.
    const there = await Promise.all(unseen.map(({ path }) => isThere(join(workingDirectory, path))));
    if (there.every(Boolean)) return new Set(unseen.map(({ folder }) => folder));
  }
  throw new Error('other programs kept removing files from the working folder');
}

async function namesToAsk({ upper, workingDirectory }: Drafted): Promise<{ folder: string; path: string }[]> {
  const asked: { folder: string; path: string }[] = [];
  const walk = async (folder: string): Promise<void> => {
    const drafted = await readdir(join(upper, folder), { withFileTypes: true });
    const real = await readdir(join(workingDirectory, folder)).catch(() => undefined);
    if (real === undefined) return;
    const names = new Set(drafted.map((entry) => entry.name));
    const other = real.find((child) => !names.has(child));
    if (folder !== '' && other !== undefined) asked.push({ folder, path: join(folder, other) });
    for (const entry of drafted) if (entry.isDirectory()) await walk(join(folder, entry.name));
  };
  await walk('');
  return asked;
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}
