import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunProcess } from '@countersign/protocol';
import { contentsSchema, type Contents } from '../effect/contents.js';
import { removeTree } from '../files/remove-tree.js';
import { writeDurably } from '../files/write-durably.js';
import { bringAllBack } from '../git/set-aside.js';
import { readSealed } from '../seal/sealed-change.js';
import { ENDED, writeRunRecord, type KeptRun, type RunRecord } from './run-record.js';

/** `hidden`: what rules hide from it. */
export interface Restarted {
  readonly program: readonly string[];
  readonly supervisor: RunProcess;
  readonly hidden: readonly string[];
  readonly trackedHidden: boolean;
}

/** The change that people looked at last. */
const LOOKED = 'looked.json';

/** Keeps what people were last asked about, so that the next card can say what is different. */
export async function keepLook(root: string): Promise<void> {
  const contents = (await readSealed(root))?.contents;
  if (contents !== undefined) await writeDurably(join(root, LOOKED), JSON.stringify(contents));
}

export async function readLook(root: string): Promise<Contents | undefined> {
  const text = await readFile(join(root, LOOKED), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : contentsSchema.parse(JSON.parse(text));
}

/** Makes a draft whole again for another program, whose supervisor is named, and notes how the one before ended. */
export async function reopenDraft(
  { root, record, ended }: KeptRun,
  { program, supervisor, ...rules }: Restarted,
): Promise<RunRecord> {
  await bringAllBack(root);
  for (const name of ['view', 'home']) await removeTree(join(root, name));
  const { rounds = [] } = record;
  const next = {
    ...{ ...record, supervisor },
    hidden: [...new Set([...record.hidden, ...rules.hidden])],
    trackedHidden: record.trackedHidden || rules.trackedHidden,
    rounds: [...rounds, ...(ended === undefined ? [] : [{ program, ended }])],
  };
  await writeRunRecord(root, next);
  await rm(join(root, ENDED), { force: true });
  return next;
}
