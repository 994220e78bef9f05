import { mkdir, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hold } from '@countersign/core/ports';
import type { Effect, NoEffectReason } from '@countersign/protocol';
import { applyChange, discardFolder, type ApplyChange } from '../apply/apply-change.js';
import { KEPT, makeDraftsFolder, newCallFolder } from '../apply/call-folders.js';
import { keptFolders } from '../apply/kept-folders.js';
import { describeChange, type DescribedChange } from '../effect/describe-change.js';
import { WHOLE_LIMITS, type KeptResult, type Rehearsed } from '../effect/effect-of.js';
import { readDiskClock } from '../files/disk-clock.js';
import { holdFolder, lockFolder, type ProcessLock } from '../files/lock-folder.js';
import { codeOf } from '../files/move.js';
import { removeTree } from '../files/remove-tree.js';
import type { LayerRules } from '../inspect/why-left-out.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import type { PlannedChange } from '../plan/planned-change.js';
import {
  changeIn,
  isAsSigned,
  isCurrent,
  readRecord,
  readSealed,
  RECORD,
  writeRecord,
  type KeptRecord,
  type SealedChange,
} from './sealed-change.js';

/** How much disk space the rehearsals that wait for approval may take. */
export interface RehearsalBudget {
  readonly bytes: number;
  readonly count: number;
}

const REHEARSAL_BUDGET: RehearsalBudget = { bytes: 2 * 1024 ** 3, count: 100 };

/** Thrown if there is no rehearsal, or not the one that was approved. Nothing was applied. */
export class NoRehearsal extends Error {
  override readonly name = 'NoRehearsal';
}

/** Sealed changes that wait for a decision, by call. They survive restarts. */
export interface KeptChanges {
  find(callId: string): Promise<KeptRecord | undefined>;
  /** Whether applying it would still do what it says: nobody changed its paths, and the rules leave out nothing else. */
  isCurrent(callId: string, kept: SealedChange, rules: LayerRules): Promise<boolean>;
  /** The kept effect with this hash, nearly complete. Undefined if nothing with it is kept. */
  show(callId: string, effectHash: string, signal: AbortSignal): Promise<Effect | undefined>;
  /** Keeps a planned draft. The working folder must be locked. Returns undefined if it alone exceeds the budget. */
  keep(callId: string, rehearsal: NewRehearsal): Promise<Omit<DescribedChange, 'bytes' | 'changes'> | undefined>;
  /** Remembers why a call has no effect to show. */
  keepReason(callId: string, key: string, reason: NoEffectReason): Promise<void>;
  /**
   * Applies the rehearsal with this effect hash and returns the command's result. Rejects with `NoRehearsal` if it does not exist and with
   * `ChangeConflict` if someone else changed its paths; nothing is applied in these cases. Either way, the rehearsal is gone.
   */
  apply(callId: string, effectHash: string, rules: LayerRules, how?: ApplyHow): Promise<KeptResult>;
  /** Locks the folder of the rehearsal with this effect hash. Undefined if it isn't kept, or if someone else changed its paths. */
  hold(callId: string, effectHash: string): Promise<Hold | undefined>;
  drop(callId: string): Promise<void>;
  /** Call ids, oldest first. */
  list(): Promise<readonly string[]>;
}

/** How to apply a rehearsal. */
interface ApplyHow {
  readonly apply?: ApplyChange | undefined;
  readonly hold?: Hold | undefined;
}

/** A planned draft, and what belongs to it. */
interface NewRehearsal extends Required<Omit<Rehearsed, 'run'>> {
  readonly key: string;
  readonly agent: string;
  /** Ends the hashing of what the command wrote. */
  readonly signal: AbortSignal;
  readonly draft: PlannedChange;
}

/** `owner` tells apart servers that share the drafts folder: each lists and drops only its own. */
export function keptChanges(
  place: ProcessLock,
  owner: string,
  budget: RehearsalBudget = REHEARSAL_BUDGET,
): KeptChanges {
  const { rootOf, calls } = keptFolders(place.folder, KEPT, owner);

  /** Replaces what is kept for a call. */
  const put = async (from: string, callId: string): Promise<void> => {
    const root = rootOf(callId);
    for (let tries = 0; ; tries += 1) {
      await removeTree(root);
      try {
        await rename(from, root);
        return;
      } catch (error) {
        // Another process put one there in between.
        if (tries === 3 || !['ENOTEMPTY', 'EEXIST'].includes(String(codeOf(error)))) throw error;
      }
    }
  };

  const keepReason = async (callId: string, key: string, reason: NoEffectReason): Promise<void> => {
    await makeDraftsFolder(place.folder);
    const root = newCallFolder(place.folder);
    await mkdir(root, { mode: 0o700 });
    await writeRecord(root, { kind: 'none', key, reason });
    await put(root, callId);
  };

  const list = async (): Promise<string[]> => {
    const aged = await Promise.all(
      (await calls()).map(async (callId) => {
        const stats = await stat(join(rootOf(callId), RECORD)).catch(() => undefined);
        return { callId, age: stats?.mtimeMs ?? 0 };
      }),
    );
    return aged.toSorted((a, b) => a.age - b.age).map(({ callId }) => callId);
  };

  /** Drops the oldest one of the agent that holds the most, until there is space for another one. */
  const makeSpace = async (bytes: number, callId: string, agent: string): Promise<void> => {
    const others = (await list()).filter((other) => other !== callId);
    const read = await Promise.all(others.map(async (id) => ({ id, record: await readRecord(rootOf(id)) })));
    let kept = read.flatMap(({ id, record }) => (record?.kind === 'kept' ? [{ id, ...record }] : []));
    for (;;) {
      const all = [...kept, { agent, bytes }];
      const isTooMuch = sum(all, (one) => one.bytes) > budget.bytes;
      if (!isTooMuch && all.length <= budget.count) return;
      const held = (who: string): number => sum(all, (one) => (one.agent === who ? (isTooMuch ? one.bytes : 1) : 0));
      const most = Math.max(...kept.map((one) => held(one.agent)));
      const dropped = kept.find((one) => held(one.agent) === most);
      if (dropped === undefined) return;
      await keepReason(dropped.id, dropped.key, 'dropped');
      kept = kept.filter((one) => one !== dropped);
    }
  };

  return {
    find: (callId) => readRecord(rootOf(callId)),
    isCurrent: (callId, kept, rules) =>
      lockFolder(kept.workingDirectory, place, () => isCurrent(changeIn(rootOf(callId), kept), rules)),
    async show(callId, effectHash, signal) {
      const kept = await readSealed(rootOf(callId), effectHash);
      if (kept === undefined) return undefined;
      const { triedHosts } = kept.effect;
      const about = { ...kept, ...(triedHosts === undefined ? {} : { triedHosts }) };
      const { effect } = await describeChange(changeIn(rootOf(callId), kept), about, { signal, limits: WHOLE_LIMITS });
      return effect.effectHash === effectHash ? effect : undefined;
    },
    async keep(callId, { key, agent, draft, leftOut, result, triedHosts, signal }) {
      const { bytes, changes: _, ...found } = await describeChange(draft, { leftOut, result, triedHosts }, { signal });
      if (bytes > budget.bytes) return undefined;
      await makeSpace(bytes, callId, agent);
      const { plan, workingDirectory, git } = draft;
      const about = {
        key,
        agent,
        workingDirectory,
        plan,
        leftOut,
        result,
        bytes,
        ...(git === undefined ? {} : { git }),
      };
      await writeRecord(draft.root, { kind: 'kept', ...about, ...found });
      await put(draft.root, callId);
      return found;
    },
    keepReason,
    async hold(callId, effectHash) {
      const kept = await readSealed(rootOf(callId), effectHash);
      if (kept === undefined) return undefined;
      const hold = await holdFolder(kept.workingDirectory, place);
      if (await isCurrent(changeIn(rootOf(callId), kept))) return hold;
      await hold.release();
      return undefined;
    },
    async apply(callId, effectHash, rules, { apply, hold } = {}) {
      const found = await readSealed(rootOf(callId));
      if (found === undefined) throw gone();
      const applyFound = async (): Promise<KeptResult> => {
        // From now on, it is a draft of this process: if we are killed, the next start undoes and removes it.
        const root = newCallFolder(place.folder);
        const moment = new Date();
        await utimes(rootOf(callId), moment, moment).catch(() => undefined);
        await rename(rootOf(callId), root).catch(() => {
          throw gone();
        });
        try {
          const kept = await readSealed(root);
          if (kept === undefined || kept.workingDirectory !== found.workingDirectory) throw gone();
          const draft = changeIn(root, kept);
          if (!(await isAsSigned(draft, kept, { effectHash, rules }))) throw gone();
          const now = await readDiskClock(join(root, 'clock'));
          await (apply === undefined ? applyChange(place, draft, now) : apply(draft, now));
          return kept.result;
        } catch (error) {
          if (!(error instanceof ChangeConflict)) throw error;
          throw new ChangeConflict(error.conflicts, 'after it was rehearsed');
        } finally {
          await discardFolder(root);
        }
      };
      return await lockFolder(found.workingDirectory, place, applyFound, hold);
    },
    drop: (callId) => removeTree(rootOf(callId)),
    list,
  };
}

function sum<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((total, one) => total + value(one), 0);
}

function gone(): NoRehearsal {
  return new NoRehearsal(
    'none of its changes were applied: the rehearsal that was approved no longer exists. Try again',
  );
}
