import type * as Crypto from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gateHook } from '../../words/gate.js';
import { canonical } from './hook-answer.js';

/** What the hook remembers of an allowed call between the events of the agent. The server is asked again before it counts. */
interface CallNote {
  readonly id: string;
  readonly key?: string;
  readonly tool: string;
  /** The hash of the input that the agent runs. */
  readonly input: string;
}

/** Loads the module on first use: the hook does so while the server answers. */
export const loadCrypto = (): typeof Crypto => process.getBuiltinModule('node:crypto');

export const hashOf = (value: unknown): string =>
  loadCrypto().createHash('sha256').update(canonical(value)).digest('hex');

const folderOf = (home: string, session: string): string => join(home, 'gate', 'run', hashOf(session).slice(0, 32));

/** All of these are synchronous: a hook has nothing else to do, and threads take longer to start than small files to read. */
export function leaveNote(home: string, session: string, note: CallNote): void {
  const folder = folderOf(home, session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${loadCrypto().randomUUID()}.allowed`;
  writeFileSync(join(folder, name), JSON.stringify(note), { mode: 0o600, flag: 'wx' });
}

/** Throws if this call of the session got its yes before: two processes may resume the same session. */
export function takeYes(home: string, session: string, key: string): void {
  const folder = folderOf(home, session);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, `${hashOf(key)}.yes`), '', { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new Error(gateHook.secondYes, { cause: error });
    throw error;
  }
}

/** Moves a matching note to its next stage. Each note can be taken once per stage, even by two hooks at the same time. */
export function takeNote(
  home: string,
  session: string,
  { stage, tool, input, key }: { stage: 'confirmed' | 'reported'; tool: string; input: string; key?: string },
): CallNote | undefined {
  const folder = folderOf(home, session);
  const from = stage === 'confirmed' ? ['.allowed'] : ['.allowed', '.confirmed'];
  for (const name of namesIn(folder)) {
    const ending = from.find((one) => name.endsWith(one));
    const note = ending === undefined ? undefined : readNote(join(folder, name));
    if (ending === undefined || note === undefined) continue;
    const isMeant = key === undefined ? note.tool === tool && note.input === input : note.key === key;
    if (!isMeant) continue;
    try {
      if (stage === 'reported') rmSync(join(folder, name));
      else renameSync(join(folder, name), join(folder, `${name.slice(0, -ending.length)}.confirmed`));
      return note;
    } catch {
      // Another hook took it.
    }
  }
  return undefined;
}

export function forgetSession(home: string, session: string): void {
  rmSync(folderOf(home, session), { recursive: true, force: true });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Undefined if another hook has just taken it. */
function readNote(file: string): CallNote | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CallNote;
  } catch {
    return undefined;
  }
}
