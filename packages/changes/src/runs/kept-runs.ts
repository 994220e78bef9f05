import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectPaths, Hold } from '@countersign/core/ports';
import { RECEIPTS_REF, type Effect, type EndedRun, type RunRequest } from '@countersign/protocol';
import { describeChange } from '../effect/describe-change.js';
import { WHOLE_LIMITS } from '../effect/effect-of.js';
import { holdFolder, type ProcessLock } from '../files/lock-folder.js';
import { removeTree } from '../files/remove-tree.js';
import { writeDurably } from '../files/write-durably.js';
import { writeNotes } from '../git/write-notes.js';
import { changeIn, isCurrent, readSealed, type SealedChange } from '../seal/sealed-change.js';
import type { KeptUndos } from '../undo/kept-undos.js';
import { applyRun, recoverRun, type Signed } from './apply-run.js';
import { moveRun, refuseUnlessSealable, removeDraft, runFolders, RunRefused, sealedFor } from './run-folders.js';
import { RECORD, writeEnded, type KeptRun, type RunRecord } from './run-record.js';
import { sealRun, type SealRun } from './seal-run.js';
import { selectPart, type NewPart, type Selection } from './select-part.js';
import { keepLook, reopenDraft, type Restarted } from './send-back.js';
import { startRun } from './start-run.js';

/** The runs of one server on this machine, by id. All changes of a run's state happen while its working folder is locked. */
export interface KeptRuns {
  start(record: Omit<RunRecord, 'since'>): Promise<KeptRun>;
  read(id: string): Promise<KeptRun | undefined>;
  list(): Promise<readonly string[]>;
  /** Notes that the supervisor died before it could say how the program ended. */
  noteEnd(id: string, ended: EndedRun): Promise<void>;
  /**
   * Plans what the run changed against the folder as it is now, and seals it. Applies nothing. Replaces an earlier seal that no call may apply.
   * Undefined if there is nothing to sign: its status says why. Rejects with `RunRefused` if it was applied or discarded.
   */
  seal(id: string, how: SealRun): Promise<Effect | undefined>;
  /** Names the only call that may apply the sealed change, before it is proposed. */
  bind(id: string, call: { callId: string; chatId: string }): Promise<void>;
  /** The sealed effect and its paths, for this call alone. */
  sealed(id: string, callId: string): Promise<{ effect: Effect; paths?: EffectPaths } | undefined>;
  /** Paths of the sealed change that no rule can allow. Undefined if nothing is sealed. */
  needsPerson(id: string): Promise<readonly string[] | undefined>;
  show(id: string, callId: string, effectHash: string, signal: AbortSignal): Promise<Effect | undefined>;
  hold(id: string, callId: string, effectHash: string): Promise<Hold | undefined>;
  /**
   * Applies exactly the sealed effect with this hash, once. Rejects with `RunRefused` if this call may not, and with `ChangeConflict` if somebody
   * else changed its paths; nothing is applied then, and the draft stays.
   */
  apply(id: string, callId: string, signed: Signed): Promise<SealedChange>;
  /** Notes what somebody wants changed. The call that may apply the run must have been withdrawn: no call may from now on. */
  sendBack(id: string, request: RunRequest): Promise<void>;
  /** Makes a run of its own of a part of what this run's card shows. The run stays as it is. Rejects with `RunRefused` if that can't be. */
  select(id: string, wanted: Selection, part: NewPart): Promise<KeptRun>;
  /** Opens the draft of a run that was sent back for a program that runs in it. Its supervisor is named. */
  restart(id: string, program: Restarted): Promise<KeptRun>;
  /** Refuses with `RunRefused` if it is being applied or was. Without `keepsRecord`, nothing of it stays. */
  discard(id: string, how?: { keepsRecord: boolean }): Promise<void>;
  /** Adds notes to the commits that an applied run has brought, once. */
  addReceipts(
    id: string,
    make: (applied: AppliedCommits) => Promise<readonly CommitNote[]>,
    hold?: Hold,
  ): Promise<void>;
  /** Rolls back what a killed process was applying, and removes the folder of a run that it was starting. */
  recover(id: string): Promise<void>;
}

interface AppliedCommits {
  readonly callId: string;
  readonly worldId: string;
  readonly effectHash: string;
  readonly commits: readonly string[];
}

interface CommitNote {
  readonly commit: string;
  readonly text: string;
}

/** `owner` tells apart servers that share the drafts folder: each lists only its own. */
export function keptRuns(place: ProcessLock, owner: string, undos: Pick<KeptUndos, 'apply'> | undefined): KeptRuns {
  const folders = runFolders(place, owner);
  const { rootOf, list, read, must, locked } = folders;
  return {
    start: (given) => startRun(folders, given),
    read,
    list,
    noteEnd: (id, ended) =>
      locked(id, async (run) => {
        if (run.ended === undefined) await writeEnded(run.root, ended);
      }),
    seal: (id, how) => sealRun(folders, id, how),
    bind: (id, call) =>
      locked(id, async (run) => {
        refuseUnlessSealable(run);
        await moveRun(run, { state: 'waiting' }, { ...call, calls: (run.status?.calls ?? 0) + 1 });
      }),
    async sealed(id, callId) {
      const run = await read(id);
      const sealed = run === undefined ? undefined : await sealedFor(run, callId);
      if (sealed === undefined) return undefined;
      const { effect, paths } = sealed;
      return { effect, ...(paths === undefined ? {} : { paths }) };
    },
    async needsPerson(id) {
      const run = await read(id);
      return run === undefined ? undefined : (await readSealed(run.root))?.needsPerson;
    },
    async show(id, callId, effectHash, signal) {
      const run = await read(id);
      const sealed = run === undefined ? undefined : await sealedFor(run, callId, effectHash);
      if (run === undefined || sealed === undefined) return undefined;
      const { effect } = await describeChange(changeIn(run.root, sealed), sealed, { signal, limits: WHOLE_LIMITS });
      return effect.effectHash === effectHash ? effect : undefined;
    },
    async hold(id, callId, effectHash) {
      const { record } = await must(id);
      const hold = await holdFolder(record.folder, place);
      const run = await read(id);
      const sealed = run === undefined ? undefined : await sealedFor(run, callId, effectHash);
      if (run !== undefined && sealed !== undefined && (await isCurrent(changeIn(run.root, sealed)))) return hold;
      await hold.release();
      return undefined;
    },
    apply: (id, callId, signed) =>
      locked(id, (run) => applyRun(run, callId, signed, { ...folders, undos }), signed.hold),
    sendBack: (id, request) =>
      locked(id, async (run) => {
        const { state, requests = [] } = run.status ?? {};
        if (state !== 'waiting' && state !== 'kept') throw new RunRefused('There is nothing to ask changes for.');
        if (requests.length >= MOST_REQUESTS) throw new RunRefused(`Changes were asked for ${MOST_REQUESTS} times.`);
        await keepLook(run.root);
        await moveRun(run, { state: 'sent-back' }, { requests: [...requests, request] });
      }),
    select: (id, wanted, part) => locked(id, (run) => selectPart(folders, run, wanted, part)),
    restart: (id, program) =>
      locked(id, async (run) => {
        if (run.status?.state !== 'sent-back') throw new RunRefused('Nobody has asked for changes to this run.');
        const record = await reopenDraft(run, program);
        await moveRun(run, { state: 'restarted' });
        return { ...run, record, ended: undefined };
      }),
    discard: (id, { keepsRecord } = { keepsRecord: true }) =>
      locked(id, async (run) => {
        const state = run.status?.state;
        if (run.ended === undefined) throw new RunRefused('The program is still running. Stop it first.');
        if (keepsRecord && (state === 'applying' || state === 'applied'))
          throw new RunRefused('The changes of this run were applied. Undo them instead.');
        if (!keepsRecord) {
          await removeTree(run.root);
          return;
        }
        await moveRun(run, { state: 'discarded' });
        await removeDraft(run.root);
      }),
    async addReceipts(id, make, hold) {
      const noted = join(rootOf(id), 'receipts.json');
      if (existsSync(noted) || (await read(id))?.status?.state !== 'applied') return;
      const add = async ({ root, record, status }: KeptRun): Promise<void> => {
        if (status?.callId === undefined || existsSync(noted)) return;
        const sealed = await readSealed(root);
        const commits = sealed?.git?.commits.map((commit) => commit.id) ?? [];
        if (sealed !== undefined && commits.length > 0) {
          const { effectHash } = sealed.effect;
          const notes = await make({ callId: status.callId, worldId: record.worldId, effectHash, commits });
          await writeNotes(record.folder, RECEIPTS_REF, notes);
        }
        await writeDurably(noted, JSON.stringify(commits.length));
      };
      await locked(id, add, hold);
    },
    async recover(id) {
      // The record is written last, so nobody knows of this run.
      if (!existsSync(join(rootOf(id), RECORD))) await removeTree(rootOf(id));
      else await locked(id, recoverRun);
    },
  };
}

const MOST_REQUESTS = 100;
