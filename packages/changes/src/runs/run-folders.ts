import { join } from 'node:path';
import type { Hold } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { RUN } from '../apply/call-folders.js';
import { keptFolders } from '../apply/kept-folders.js';
import { lockFolder, type ProcessLock } from '../files/lock-folder.js';
import { find } from '../files/open-folder.js';
import { removeTree } from '../files/remove-tree.js';
import { PACK_FILE } from '../git/read-draft.js';
import { START } from '../git/refs.js';
import { ASIDE } from '../git/set-aside.js';
import { readSealed, type SealedChange } from '../seal/sealed-change.js';
import { readEnded, readRunRecord, readStatus, writeStatus, type KeptRun, type RunStatus } from './run-record.js';

/** Thrown if a call may not apply a run, or no longer. Nothing was applied. */
export class RunRefused extends CountersignError {
  constructor(detail: string) {
    super('conflict', detail);
  }
}

/** Where the runs of one server are. All changes of a run's state happen while its working folder is locked. */
export interface RunFolders {
  readonly place: ProcessLock;
  readonly rootOf: (id: string) => string;
  readonly list: () => Promise<readonly string[]>;
  readonly read: (id: string) => Promise<KeptRun | undefined>;
  /** Rejects with `RunRefused` if there is no such run. */
  readonly must: (id: string) => Promise<KeptRun>;
  /** Calls `act` with the current state of a run, while its folder is locked. */
  readonly locked: <T>(id: string, act: (run: KeptRun) => Promise<T>, hold?: Hold) => Promise<T>;
}

/** `owner` tells apart servers that share the drafts folder: each lists only its own. */
export function runFolders(place: ProcessLock, owner: string): RunFolders {
  const { rootOf, calls: list } = keptFolders(place.folder, RUN, owner);
  const read = async (id: string): Promise<KeptRun | undefined> => {
    if (!isRunId(id)) return undefined;
    const root = rootOf(id);
    const record = await readRunRecord(root);
    if (record === undefined || record.id !== id) return undefined;
    return { root, record, ended: await readEnded(root), status: await readStatus(root) };
  };
  const must = async (id: string): Promise<KeptRun> => {
    const run = await read(id);
    if (run === undefined) throw new RunRefused('there is no such run');
    return run;
  };
  return {
    ...{ place, rootOf, list, read, must },
    async locked(id, act, hold) {
      const { record } = await must(id);
      return await lockFolder(record.folder, place, async () => await act(await must(id)), hold);
    },
  };
}

/** The folder of the run must be locked. */
export async function moveRun(
  { root, status }: KeptRun,
  next: Pick<RunStatus, 'state' | 'why' | 'reason'>,
  call: Partial<Pick<RunStatus, 'callId' | 'chatId' | 'calls' | 'requests'>> = {},
): Promise<void> {
  const { why: _, reason: __, ...same } = status ?? { calls: 0 };
  await writeStatus(root, { ...same, ...call, ...next, at: Date.now() });
}

/** The sealed change, if this call may apply it. */
export async function sealedFor(
  { root, status }: KeptRun,
  callId: string,
  effectHash?: string,
): Promise<SealedChange | undefined> {
  return status?.state === 'waiting' && status.callId === callId ? await readSealed(root, effectHash) : undefined;
}

export function refuseUnlessSealable({ ended, status }: KeptRun): void {
  if (ended === undefined) throw new RunRefused('the program is still running');
  switch (status?.state) {
    case 'applying':
    case 'applied':
      throw new RunRefused('its changes were applied already');
    case 'discarded':
      throw new RunRefused('it was discarded');
    case 'sent-back':
      throw new RunRefused('somebody asked for changes, and the program has not run again');
    case 'restarted':
    case undefined:
    case 'waiting':
    case 'unchanged':
    case 'kept':
  }
}

export function isRunId(id: string): boolean {
  return /^run_[\w-]{1,100}$/.test(id);
}

/** What is left says what became of the run. */
export async function removeDraft(root: string): Promise<void> {
  for (const name of ['upper', ASIDE, START, 'work', 'home', 'sessions', 'before', PACK_FILE, 'git-index']) {
    const path = join(root, name);
    if ((await find(path).catch(() => undefined)) !== undefined) await removeTree(path).catch(() => undefined);
  }
}
