import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunProcess } from '@countersign/protocol';
import type { DraftFolders } from '../sandbox/draft/drafting.js';

/** The folders of a run's draft. */
export function foldersOfRun(root: string): DraftFolders {
  const at = (name: string): string => join(root, name);
  return { root, upper: at('upper'), work: at('work'), lower: at('lower'), merged: at('merged') };
}

/** A process that lives, so that nobody takes a later one with its PID for it. */
export async function findProcess(pid: number): Promise<RunProcess | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name of the program, in parentheses, may contain anything. Then come the state and, as field 22, the start time.
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /^[ZX]$/.test(state) ? undefined : { pid, started: fields[18] ?? '' };
}
