import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from './hook-answer.js';

/** What the hook remembers of an allowed call between the events of the agent. The server is asked again before it counts. */
export interface CallNote {
  readonly id: string;
  readonly key?: string;
  readonly tool: string;
  /** The hash of the input that the agent runs. */
  readonly input: string;
}

export const hashOf = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');

const folderOf = (home: string, session: string): string => join(home, 'gate', 'run', hashOf(session).slice(0, 32));

export async function leaveNote(home: string, session: string, note: CallNote): Promise<void> {
  const folder = folderOf(home, session);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, `${randomUUID()}.allowed`), JSON.stringify(note), { mode: 0o600, flag: 'wx' });
}

/** Moves a matching note to its next stage. Each note can be taken once per stage, even by two hooks at the same time. */
export async function takeNote(
  home: string,
  session: string,
  { stage, tool, input, key }: { stage: 'confirmed' | 'reported'; tool: string; input: string; key?: string },
): Promise<CallNote | undefined> {
  const folder = folderOf(home, session);
  const from = stage === 'confirmed' ? ['.allowed'] : ['.allowed', '.confirmed'];
  for (const name of await readdir(folder).catch(() => [])) {
    const ending = from.find((one) => name.endsWith(one));
    if (ending === undefined) continue;
    const note = JSON.parse(await readFile(join(folder, name), 'utf8')) as CallNote;
    const isMeant = key === undefined ? note.tool === tool && note.input === input : note.key === key;
    if (!isMeant) continue;
    try {
      if (stage === 'reported') await rm(join(folder, name));
      else await rename(join(folder, name), join(folder, `${name.slice(0, -ending.length)}.confirmed`));
      return note;
    } catch {
      // Another hook took it.
    }
  }
  return undefined;
}

export async function forgetSession(home: string, session: string): Promise<void> {
  await rm(folderOf(home, session), { recursive: true, force: true });
}
