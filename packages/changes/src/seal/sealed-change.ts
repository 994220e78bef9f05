import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EffectPaths } from '@countersign/core/ports';
import { effectSchema, noEffectReasonSchema, runEffectSchema } from '@countersign/protocol';
import { z } from 'zod';
import { writeDurably } from '../files/write-durably.js';
import { contentsSchema } from '../effect/contents.js';
import { hashEffect } from '../effect/effect-of.js';
import { gitChangeSchema } from '../git/git-change.js';
import { findMovedRefs } from '../git/move-refs.js';
import { listChanges } from '../effect/list-changes.js';
import { inspectLayer } from '../inspect/inspect-layer.js';
import { leftOutSchema } from '../inspect/left-out.js';
import type { LayerRules } from '../inspect/why-left-out.js';
import { checkPlan } from '../plan/check-plan.js';
import { planSchema } from '../plan/plan.js';
import type { PlannedChange } from '../plan/planned-change.js';

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
  refs: list.exactOptional(),
});

const sealedSchema = z.strictObject({
  kind: z.literal('kept'),
  /** Stands for everything that the change depends on besides the files in the working folder. */
  key: z.string(),
  /** The agent that proposed the call. */
  agent: z.string(),
  workingDirectory: z.string(),
  /** Names the version of each path that it replaces. The new files are in `upper`, beside the record. */
  plan: planSchema,
  /** What it does to the folder's repository. The new objects are beside the record. */
  git: gitChangeSchema.exactOptional(),
  leftOut: z.array(leftOutSchema).readonly(),
  result: resultSchema,
  /** Set for the change of a run. */
  run: runEffectSchema.exactOptional(),
  /** With the hash that people sign. */
  effect: effectSchema,
  /** Absent if there are too many paths. */
  paths: pathsSchema.exactOptional(),
  bytes: z.number().int(),
  /** For the change of a run: paths that only a person can allow. */
  needsPerson: list.exactOptional(),
  /** For the change of a run: to compare the next one with. */
  contents: contentsSchema.exactOptional(),
});

const recordSchema = z.discriminatedUnion('kind', [
  sealedSchema,
  /** The call isn't rehearsed again. */
  z.strictObject({ kind: z.literal('none'), key: z.string(), reason: noEffectReasonSchema }),
]);

/** A change that waits for a decision. Nothing adds to it: what is applied is what was signed. */
export type SealedChange = z.infer<typeof sealedSchema>;
export type KeptRecord = z.infer<typeof recordSchema>;

export const RECORD = 'rehearsal.json';

/** `root` also contains the change's `upper`. */
export async function writeRecord(root: string, record: KeptRecord): Promise<void> {
  await writeDurably(join(root, RECORD), JSON.stringify(record));
}

/** An unreadable record is as good as none. */
export async function readRecord(root: string): Promise<KeptRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(join(root, RECORD), 'utf8')));
  } catch {
    return undefined;
  }
}

export async function readSealed(root: string, effectHash?: string): Promise<SealedChange | undefined> {
  const found = await readRecord(root);
  if (found?.kind !== 'kept') return undefined;
  return effectHash === undefined || found.effect.effectHash === effectHash ? found : undefined;
}

export function changeIn(root: string, { plan, workingDirectory, git }: SealedChange): PlannedChange {
  return { plan, workingDirectory, root, upper: join(root, 'upper'), ...(git === undefined ? {} : { git }) };
}

/** Whether nobody has changed a path of it. With `rules`: and they leave out nothing else. The folder must be locked. */
export async function isCurrent(change: PlannedChange, rules?: LayerRules): Promise<boolean> {
  try {
    if (change.git?.branch === undefined) await checkPlan(change);
    if ((await findMovedRefs(change.workingDirectory, change.git?.refs ?? [])).length > 0) return false;
    return rules === undefined || (await inspectLayer(change.upper, change.workingDirectory, rules)).length === 0;
  } catch {
    return false;
  }
}

/** Whether applying it would have exactly this effect: checks all of its content again, at the last moment. */
export async function isAsSigned(
  change: PlannedChange,
  sealed: SealedChange,
  { effectHash, rules }: { effectHash: string; rules: LayerRules },
): Promise<boolean> {
  if ((await inspectLayer(change.upper, change.workingDirectory, rules)).length > 0) return false;
  return hashEffect(await listChanges(change), sealed) === effectHash;
}
