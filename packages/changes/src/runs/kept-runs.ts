import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errorMessage, type EffectPaths, type Hold } from '@countersign/core/ports';
import {
  CountersignError,
  RECEIPTS_REF,
  type Effect,
  type EndedRun,
  type RunEffect,
  type RunRequest,
} from '@countersign/protocol';
import { applyChange } from '../apply/apply-change.js';
import { makeDraftsFolder, RUN } from '../apply/call-folders.js';
import { findUnfinished, noteApplied, undoUnfinished, wasApplied } from '../apply/journal.js';
import { keptFolders } from '../apply/kept-folders.js';
import { readRestored } from '../apply/restored.js';
import { compareContents, contentsOf } from '../effect/contents.js';
import { describeChange } from '../effect/describe-change.js';
import { listChanges } from '../effect/list-changes.js';
import { WHOLE_LIMITS } from '../effect/effect-of.js';
import { changedSettings } from '../git/changed-settings.js';
import { dropLeftovers, finishGitChange } from '../git/apply-git-change.js';
import { describeGitChange, isEmptyGitChange, type GitChange } from '../git/git-change.js';
import { hasOwnChanges } from '../git/has-own-changes.js';
import { PACK_FILE } from '../git/read-draft.js';
import { readGitChange } from '../git/read-git-change.js';
import { findGitFolder, isMovable, keepStartRefs, START, whyNoGit } from '../git/refs.js';
import type { InSandbox } from '../git/run-git.js';
import { writeNotes } from '../git/write-notes.js';
import { writeDurably } from '../files/write-durably.js';
import { ASIDE, noteLeftOut, setAside, type NotApplied } from '../git/set-aside.js';
import { changedOutside, MOST_LOOKED_AT, type ChangedOutside } from './changed-outside.js';
import { needsPerson } from './needs-person.js';
import { keepLook, readLook, reopenDraft, type Restarted } from './send-back.js';
import { readDiskClock, type DiskMoment } from '../files/disk-clock.js';
import { holdFolder, lockFolder, type ProcessLock } from '../files/lock-folder.js';
import { find } from '../files/open-folder.js';
import { removeTree } from '../files/remove-tree.js';
import type { LeftOut } from '../inspect/left-out.js';
import type { LayerRules } from '../inspect/why-left-out.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import type { StillSeen } from '../plan/find-emptied.js';
import { planChange } from '../plan/plan-change.js';
import { isEmptyPlan, type FolderPlan } from '../plan/plan.js';
import { changeIn, isAsSigned, isCurrent, readSealed, writeRecord, type SealedChange } from '../seal/sealed-change.js';
import type { KeptUndos } from '../undo/kept-undos.js';
import {
  readEnded,
  RECORD,
  readRunRecord,
  readStatus,
  writeEnded,
  writeRunRecord,
  writeStatus,
  type KeptRun,
  type RunRecord,
  type RunStatus,
} from './run-record.js';

/** How to seal a run that has ended. */
interface SealRun {
  readonly rules: LayerRules;
  /** Which paths the program still saw at the end, through a mount of its draft. */
  readonly stillSeen: StillSeen;
  readonly about: RunEffect;
  /** Ignored paths that a person wants applied all the same. */
  readonly include?: readonly string[] | undefined;
  /** Puts the commits on this branch, in place of the one that the run started with. */
  readonly branch?: string | undefined;
  readonly signal: AbortSignal;
  /** Reads the draft's repository. */
  readonly inSandbox: InSandbox;
}

/** Thrown if a call may not apply a run, or no longer. Nothing was applied. */
export class RunRefused extends CountersignError {
  constructor(detail: string) {
    super('conflict', detail);
  }
}

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

/** What a person or a rule has approved. */
interface Signed {
  readonly effectHash: string;
  readonly rules: LayerRules;
  readonly hold?: Hold | undefined;
}

/** `owner` tells apart servers that share the drafts folder: each lists only its own. */
export function keptRuns(place: ProcessLock, owner: string, undos: Pick<KeptUndos, 'apply'> | undefined): KeptRuns {
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

  /** Calls `act` with the current state of a run, while its folder is locked. */
  const locked = async <T>(id: string, act: (run: KeptRun) => Promise<T>, hold?: Hold): Promise<T> => {
    const { record } = await must(id);
    return await lockFolder(record.folder, place, async () => await act(await must(id)), hold);
  };

  const move = async (
    { root, status }: KeptRun,
    next: Pick<RunStatus, 'state' | 'why' | 'reason'>,
    call: Partial<Pick<RunStatus, 'callId' | 'chatId' | 'calls' | 'requests'>> = {},
  ): Promise<void> => {
    const { why: _, reason: __, ...same } = status ?? { calls: 0 };
    await writeStatus(root, { ...same, ...call, ...next, at: Date.now() });
  };

  /** The sealed change, if this call may apply it. */
  const sealedFor = async (run: KeptRun, callId: string, effectHash?: string): Promise<SealedChange | undefined> => {
    if (run.status?.state !== 'waiting' || run.status.callId !== callId) return undefined;
    return await readSealed(run.root, effectHash);
  };

  const recover = async (run: KeptRun): Promise<void> => {
    if (await finishGitChange(run.root)) await noteApplied(run.root);
    if ((await findUnfinished(run.root)) !== undefined) await undoUnfinished(run.root);
    if (run.status?.state !== 'applying') return;
    if (hasStartRefs(run.root)) await dropLeftovers(run.record.folder);
    if (await wasApplied(run.root)) await move(run, { state: 'applied' });
    else await move(run, { state: 'kept', why: 'failed', reason: INTERRUPTED });
  };

  return {
    async start(given) {
      await makeDraftsFolder(place.folder);
      const root = rootOf(given.id);
      await mkdir(root, { mode: 0o700 });
      try {
        for (const name of ['upper', 'work', 'lower', 'merged', 'home']) await mkdir(join(root, name), { mode: 0o700 });
        // The top of the draft replaces the working folder, so it needs the same owner and mode.
        const { mode, uid, gid } = await stat(given.folder);
        await chown(join(root, 'upper'), uid, gid).catch(() => undefined);
        await chmod(join(root, 'upper'), mode & 0o7777);
        const since: DiskMoment = await readDiskClock(join(root, 'clock'));
        const record = { ...given, since, ...(await startGit(root, given)) };
        await writeRunRecord(root, record);
        return { root, record, ended: undefined, status: undefined };
      } catch (error) {
        await removeTree(root).catch(() => undefined);
        throw error;
      }
    },
    read,
    list,
    noteEnd: (id, ended) =>
      locked(id, async (run) => {
        if (run.ended === undefined) await writeEnded(run.root, ended);
      }),
    async seal(id, { rules, stillSeen, about: described, include = [], branch: wanted, signal, inSandbox }) {
      const first = await must(id);
      const { root } = first;
      const { folder: workingDirectory, since: start, program } = first.record;
      checkBranch(wanted, hasStartRefs(root));
      const name = hasStartRefs(root) ? (wanted ?? first.record.branch) : undefined;
      // On a branch, what others changed meanwhile is no conflict: the working tree stays as it is.
      const since = name === undefined ? start : await readDiskClock(join(root, 'clock'));
      const layer = {
        ...({ root, upper: join(root, 'upper'), workingDirectory, since, stillSeen, skipsSame: true } as const),
        restored: await readRestored(root),
        noteLeftOut: (leftOut: readonly LeftOut[]) => noteLeftOut(root, leftOut),
      };
      refuseUnlessSealable(first);
      const branch = name === undefined ? undefined : { name, program: program.join(' ') };
      try {
        if (!existsSync(workingDirectory)) throw new Error(`there is no folder ${workingDirectory} any more`);
        const notApplied = await setAside(layer, include);
        const settings = await changedSettings(root, workingDirectory);
        return await planChange(place, layer, { ...rules, withoutGit: true }, async (draft, others) => {
          const run = await must(id);
          refuseUnlessSealable(run);
          const git = hasStartRefs(root)
            ? await readGitChange({ root, workingDirectory, inSandbox, branch, isProtected: rules.isProtected }, draft)
            : undefined;
          const leftOut = [...others, ...settings];
          const isUnchanged = isEmptyPlan(draft.plan) && (git === undefined || isEmptyGitChange(git));
          if (isUnchanged && described.login === undefined) {
            const lost = [...leftOut.map(({ path }) => path), ...(git?.stays ?? []).map(({ name: ref }) => ref)];
            await move(run, { state: 'unchanged', ...(lost.length === 0 ? {} : { reason: cannotApply(lost) }) });
            return undefined;
          }
          if (git?.branch !== undefined && isEmptyGitChange(git) && !isEmptyPlan(draft.plan)) {
            const reason = `The commits could not be read: ${git.stays.flatMap(({ paths = [] }) => paths).join(', ')}`;
            await move(run, { state: 'kept', why: 'failed', reason });
            return undefined;
          }
          const outside = await changedOutside(workingDirectory, start, pathsOf(draft.plan));
          const changes = await listChanges(draft, signal);
          const contents = contentsOf(changes, git);
          const look = await readLook(root);
          const about = {
            ...aboutWith(withOutside(described, outside), git, notApplied),
            ...(look === undefined ? {} : { sinceLook: compareContents(look, contents) }),
          };
          const result = { exitCode: about.exitCode, stdout: '', stderr: '' };
          const rest = { leftOut, result, run: about };
          const change = git === undefined ? draft : { ...draft, git };
          const { effect, paths, bytes } = await describeChange(change, rest, { signal, changes });
          const { plan } = draft;
          const own = { kind: 'kept', key: id, agent: first.record.agentId, workingDirectory } as const;
          const found = {
            plan,
            bytes,
            effect,
            needsPerson: needsPerson(changes, { git, include }),
            contents,
            ...(git === undefined ? {} : { git }),
          };
          await writeRecord(root, { ...own, ...found, ...rest, ...(paths === undefined ? {} : { paths }) });
          return effect;
        });
      } catch (error) {
        if (error instanceof RunRefused || signal.aborted) throw error;
        const because =
          error instanceof ChangeConflict
            ? ({
                why: 'conflict',
                reason: othersChanged(error.conflicts),
              } as const)
            : ({ why: 'failed', reason: errorMessage(error) } as const);
        await locked(id, async (run) => {
          refuseUnlessSealable(run);
          await move(run, { state: 'kept', ...because });
        });
        return undefined;
      }
    },
    bind: (id, call) =>
      locked(id, async (run) => {
        refuseUnlessSealable(run);
        await move(run, { state: 'waiting' }, { ...call, calls: (run.status?.calls ?? 0) + 1 });
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
    apply: (id, callId, { effectHash, rules, hold }) =>
      locked(
        id,
        async (run) => {
          const { root } = run;
          const sealed = await sealedFor(run, callId, effectHash);
          if (sealed === undefined) throw new RunRefused(GONE);
          const change = changeIn(root, sealed);
          const keep = async (why: 'conflict' | 'failed', reason: string): Promise<void> =>
            await move(run, { state: 'kept', why, reason });
          if (!(await isAsSigned(change, sealed, { effectHash, rules: { ...rules, withoutGit: true } }))) {
            await keep('failed', CHANGED);
            throw new RunRefused(CHANGED);
          }
          for (const name of ['applied.json', 'steps']) await rm(join(root, name), { force: true });
          await move(run, { state: 'applying' });
          try {
            const now = await readDiskClock(join(root, 'clock'));
            await (undos === undefined ? applyChange(place, change, now) : undos.apply(callId, change, now));
          } catch (error) {
            if (await wasApplied(root)) {
              await move(run, { state: 'applied' });
              throw error;
            }
            if (error instanceof ChangeConflict) {
              const conflict = new ChangeConflict(error.conflicts, 'since the run started');
              await keep('conflict', othersChanged(error.conflicts));
              throw conflict;
            }
            await keep('failed', errorMessage(error));
            throw error;
          }
          await move(run, { state: 'applied' });
          await removeDraft(root);
          return sealed;
        },
        hold,
      ),
    sendBack: (id, request) =>
      locked(id, async (run) => {
        const { state, requests = [] } = run.status ?? {};
        if (state !== 'waiting' && state !== 'kept') throw new RunRefused('There is nothing to ask changes for.');
        if (requests.length >= MOST_REQUESTS) throw new RunRefused(`Changes were asked for ${MOST_REQUESTS} times.`);
        await keepLook(run.root);
        await move(run, { state: 'sent-back' }, { requests: [...requests, request] });
      }),
    restart: (id, program) =>
      locked(id, async (run) => {
        if (run.status?.state !== 'sent-back') throw new RunRefused('Nobody has asked for changes to this run.');
        const record = await reopenDraft(run, program);
        await move(run, { state: 'restarted' });
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
        await move(run, { state: 'discarded' });
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
      else await locked(id, recover);
    },
  };
}

/** Keeps the refs of the folder. Where the person has changes of their own, commits go to a branch. */
async function startGit(
  root: string,
  { folder, branch, program, id }: Omit<RunRecord, 'since'>,
): Promise<{ branch?: string }> {
  const hasGit = (await findGitFolder(folder)) === 'here' && (await whyNoGit(folder)) === undefined;
  checkBranch(branch, hasGit);
  if (!hasGit) return {};
  await keepStartRefs(root, folder);
  if (branch !== undefined || !(await hasOwnChanges(folder))) return {};
  const short = basename(program[0] ?? 'run').replaceAll(/[^\w-]+/g, '') || 'run';
  return { branch: `run/${short}-${id.slice(-4)}` };
}

/** Without Git, the files would be applied to the folder itself, which a person who names a branch doesn't expect. */
function checkBranch(name: string | undefined, hasGit: boolean): void {
  if (name === undefined) return;
  if (!hasGit)
    throw new RunRefused('This folder has no Git repository of its own, so nothing can be applied to a branch.');
  if (!isMovable(`refs/heads/${name}`)) throw new RunRefused(`"${name}" can't be the name of a branch.`);
}

/** The paths that a plan adds or changes, without those in folders that it adds or removes as a whole. */
function pathsOf({ path, inner, steps }: FolderPlan): Set<string> {
  return new Set([...steps.map(({ name }) => join(path, name)), ...inner.flatMap((one) => [...pathsOf(one)])]);
}

function hasStartRefs(root: string): boolean {
  return existsSync(join(root, START));
}

function withOutside(about: RunEffect, { paths, complete }: ChangedOutside): RunEffect {
  const note = `The folder has more than ${MOST_LOOKED_AT.toLocaleString('en')} files, and not all were searched for changes by others.`;
  return {
    ...about,
    ...(paths.length === 0 ? {} : { changedOutside: [...paths] }),
    ...(complete ? {} : { notes: [...(about.notes ?? []), note] }),
  };
}

const MOST_IGNORED = 1_000;
const MOST_REQUESTS = 100;

function aboutWith(about: RunEffect, git: GitChange | undefined, notApplied: readonly NotApplied[]): RunEffect {
  const { commits = [], refs = [], unlisted = 0, branch } = git === undefined ? {} : describeGitChange(git);
  const more = unlisted + Math.max(0, notApplied.length - MOST_IGNORED);
  return {
    ...about,
    ...(more === 0
      ? {}
      : { notes: [...(about.notes ?? []), `${more} more commits, refs or ignored paths are not listed.`] }),
    ...(commits.length === 0 ? {} : { commits }),
    ...(refs.length === 0 ? {} : { refs }),
    ...(notApplied.length === 0 ? {} : { notApplied: notApplied.slice(0, MOST_IGNORED) }),
    ...(branch === undefined ? {} : { branch }),
  };
}

function cannotApply(paths: readonly string[]): string {
  return `Nothing of what it changed can be applied: ${firstOf(paths)}`;
}

function othersChanged(conflicts: readonly string[]): string {
  return `Others changed the same files or branches since it started: ${firstOf(conflicts)}`;
}

function firstOf(paths: readonly string[]): string {
  return paths.slice(0, 10).join(', ');
}

const GONE = 'nothing was applied: this call may not apply this run, or no longer. See `countersign runs`';
const CHANGED =
  'nothing was applied: the draft or the rules changed after the change was sealed. Apply it again with `countersign runs apply`';
const INTERRUPTED = 'The server ended while it applied the changes, and undid that. Nothing was applied.';

function refuseUnlessSealable({ ended, status }: KeptRun): void {
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
async function removeDraft(root: string): Promise<void> {
  for (const name of ['upper', ASIDE, START, 'work', 'home', 'sessions', 'before', PACK_FILE, 'git-index']) {
    const path = join(root, name);
    if ((await find(path).catch(() => undefined)) !== undefined) await removeTree(path).catch(() => undefined);
  }
}
