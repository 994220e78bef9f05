import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { effectSchema, noEffectReasonSchema, type Effect, type NoEffectReason } from '@countersign/protocol';
import { z } from 'zod';
import { holdFolder, lockFolder } from '../files/lock-folder.js';
import type { PlannedChange } from '../plan/planned-change.js';
import { checkPlan } from '../plan/check-plan.js';
import { readDiskClock } from '../files/disk-clock.js';
import { ChangeConflict } from '../plan/change-conflict.js';
import type { ProcessLock } from '../files/lock-folder.js';
import type { EffectPaths, Hold } from '@countersign/core/ports';
import { effectPaths } from '../effect/effect-paths.js';
import { effectOf, hashEffect, WHOLE_LIMITS, type KeptResult, type Rehearsed } from '../effect/effect-of.js';
import { listChanges } from '../effect/list-changes.js';
import { inspectLayer } from '../inspect/inspect-layer.js';
import { leftOutSchema } from '../inspect/left-out.js';
import type { LayerRules } from '../inspect/why-left-out.js';
import { writeDurably } from '../apply/journal.js';
import { codeOf } from '../files/move.js';
import { KEPT, makeDraftsFolder, newCallFolder } from '../apply/call-folders.js';
import { applyChange, discardFolder } from '../apply/apply-change.js';
import type { ApplyChange } from '../apply/apply-change.js';
import { planSchema } from '../plan/plan.js';
import { removeTree } from '../files/remove-tree.js';

const resultSchema = z.strictObject({
  exitCode: z.number().int(),
  stdout: z.string(),
  stderr: z.string(),
  note: z.string().exactOptional(),
});

const list = z.array(z.string()).readonly();
const pathsSchema: z.ZodType<EffectPaths> = z.strictObject({
  added: list,
  changed: list,
  removed: list,
  outward: list,
  leftOut: list,
});

const recordSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('kept'),
    /** Stands for everything that the rehearsal depends on besides the files in the working folder. */
    key: z.string(),
    /** The agent that proposed the call. */
    agent: z.string(),
    workingDirectory: z.string(),
    plan: planSchema,
    leftOut: z.array(leftOutSchema).readonly(),
    result: resultSchema,
    effect: effectSchema,
    /** Absent if there are too many paths. */
    paths: pathsSchema.exactOptional(),
    bytes: z.number().int(),
  }),
  /** The call isn't rehearsed again. */
  z.strictObject({ kind: z.literal('none'), key: z.string(), reason: noEffectReasonSchema }),
]);
type KeptRecord = z.infer<typeof recordSchema>;
type KeptRehearsal = Extract<KeptRecord, { kind: 'kept' }>;

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

/** An effect, and all of its paths if they aren't too many. */
export interface FoundEffect {
  readonly effect: Effect;
  readonly paths?: EffectPaths;
}

/** Drafts of commands that were rehearsed and wait for approval. They survive restarts. */
export interface KeptRehearsals {
  find(callId: string): Promise<KeptRecord | undefined>;
  /** Whether applying it would still do what it says: nobody changed its paths, and the rules leave out nothing else. */
  isCurrent(callId: string, kept: KeptRehearsal, rules: LayerRules): Promise<boolean>;
  /** The kept effect with this hash, nearly complete. Undefined if nothing with it is kept. */
  show(callId: string, effectHash: string, signal: AbortSignal): Promise<Effect | undefined>;
  /** Keeps a planned draft. The working folder must be locked. Returns undefined if it alone exceeds the budget. */
  keep(callId: string, rehearsal: NewRehearsal): Promise<FoundEffect | undefined>;
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
interface NewRehearsal extends Required<Rehearsed> {
  readonly key: string;
  readonly agent: string;
  /** Ends the hashing of what the command wrote. */
  readonly signal: AbortSignal;
  readonly draft: PlannedChange;
}

const FILE = 'rehearsal.json';

/** `owner` tells apart servers that share the drafts folder: each lists and drops only its own. */
export function keptRehearsals(
  place: ProcessLock,
  owner: string,
  budget: RehearsalBudget = REHEARSAL_BUDGET,
): KeptRehearsals {
  const prefix = `${KEPT}${createHash('sha256').update(owner).digest('hex').slice(0, 12)}-`;
  const rootOf = (callId: string): string => {
    if (!/^[\w-]{1,120}$/.test(callId)) throw new Error('the call has no valid id');
    return join(place.folder, `${prefix}${callId}`);
  };

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
    await write(root, { kind: 'none', key, reason });
    await put(root, callId);
  };

  const list = async (): Promise<string[]> => {
    const names = (await readdir(place.folder).catch(() => [])).filter((name) => name.startsWith(prefix));
    const aged = await Promise.all(
      names.map(async (name) => {
        const stats = await stat(join(place.folder, name, FILE)).catch(() => undefined);
        return { callId: name.slice(prefix.length), age: stats?.mtimeMs ?? 0 };
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
      lockFolder(kept.workingDirectory, place, async () => {
        const draft = draftIn(rootOf(callId), kept);
        try {
          await checkPlan(draft);
          return (await inspectLayer(draft.upper, draft.workingDirectory, rules)).length === 0;
        } catch {
          return false;
        }
      }),
    async show(callId, effectHash, signal) {
      const kept = await readRecord(rootOf(callId));
      if (kept?.kind !== 'kept' || kept.effect.effectHash !== effectHash) return undefined;
      const draft = draftIn(rootOf(callId), kept);
      const { triedHosts } = kept.effect;
      const about = { ...kept, ...(triedHosts === undefined ? {} : { triedHosts }) };
      const effect = await effectOf(draft, await listChanges(draft, signal), about, { signal, limits: WHOLE_LIMITS });
      return effect.effectHash === effectHash ? effect : undefined;
    },
    async keep(callId, { key, agent, draft, leftOut, result, triedHosts, signal }) {
      const changes = await listChanges(draft, signal);
      const bytes = changes.reduce((sum, change) => sum + (change.do === 'put' ? change.bytes : 0), 0);
      if (bytes > budget.bytes) return undefined;
      const effect = await effectOf(draft, changes, { leftOut, result, triedHosts }, { signal });
      await makeSpace(bytes, callId, agent);
      const { plan, workingDirectory } = draft;
      const paths = effectPaths(changes, leftOut);
      const found = { effect, ...(paths === undefined ? {} : { paths }) };
      await write(draft.root, { kind: 'kept', key, agent, workingDirectory, plan, leftOut, result, bytes, ...found });
      await put(draft.root, callId);
      return found;
    },
    keepReason,
    async hold(callId, effectHash) {
      const kept = await readRecord(rootOf(callId));
      if (kept?.kind !== 'kept' || kept.effect.effectHash !== effectHash) return undefined;
      const hold = await holdFolder(kept.workingDirectory, place);
      try {
        await checkPlan(draftIn(rootOf(callId), kept));
        return hold;
      } catch {
        await hold.release();
        return undefined;
      }
    },
    async apply(callId, effectHash, rules, { apply, hold } = {}) {
      const found = await readRecord(rootOf(callId));
      if (found?.kind !== 'kept') throw gone();
      const applyFound = async (): Promise<KeptResult> => {
        // From now on, it is a draft of this process: if we are killed, the next start undoes and removes it.
        const root = newCallFolder(place.folder);
        const moment = new Date();
        await utimes(rootOf(callId), moment, moment).catch(() => undefined);
        await rename(rootOf(callId), root).catch(() => {
          throw gone();
        });
        try {
          const kept = await readRecord(root);
          if (kept?.kind !== 'kept' || kept.workingDirectory !== found.workingDirectory) throw gone();
          const draft = draftIn(root, kept);
          const { upper, workingDirectory } = draft;
          if ((await inspectLayer(upper, workingDirectory, rules)).length > 0) throw gone();
          if (hashEffect(await listChanges(draft), kept) !== effectHash) throw gone();
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

function draftIn(root: string, { plan, workingDirectory }: KeptRehearsal): PlannedChange {
  return { plan, workingDirectory, root, upper: join(root, 'upper') };
}

async function write(root: string, record: KeptRecord): Promise<void> {
  await writeDurably(join(root, FILE), JSON.stringify(record));
}

/** An unreadable record is as good as none. */
async function readRecord(root: string): Promise<KeptRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(join(root, FILE), 'utf8')));
  } catch {
    return undefined;
  }
}
