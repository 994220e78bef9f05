import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { endedRunSchema, type EndedRun, type RunProcess } from '@countersign/protocol';
import type { DraftFolders } from '../sandbox/draft/drafting.js';

/** The supervisor's account of how the program ended, in the folder of its run. Only complete files have this name. */
export const ENDED_FILE = 'ended.json';

/** The folders of a run's draft. */
export function foldersOfRun(root: string): DraftFolders {
  const at = (name: string): string => join(root, name);
  return { root, upper: at('upper'), work: at('work'), lower: at('lower'), merged: at('merged') };
}

/** Writes how a run ended so that it survives a power failure. The server reads it even if nobody tells it. */
export async function writeEnded(root: string, ended: EndedRun): Promise<void> {
  const file = join(root, ENDED_FILE);
  const part = `${file}.part`;
  const handle = await open(part, 'w', 0o600);
  try {
    await handle.writeFile(JSON.stringify(endedRunSchema.parse(ended)));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(part, file);
  const folder = await open(root, 'r');
  await folder.sync();
  await folder.close();
}

/** This process, so that nobody takes a later one with its PID for it. */
export async function thisProcess(): Promise<RunProcess> {
  const stat = await readFile('/proc/self/stat', 'latin1');
  // The name of the program, in parentheses, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: process.pid, started: fields[19] ?? '' };
}
