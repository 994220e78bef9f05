import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../files/write-durably.js';
import { gitChangeSchema } from '../git/git-change.js';
import { planSchema } from '../plan/plan.js';

const recordSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('kept'),
    /** When the call was applied, in milliseconds since 1970. */
    at: z.number(),
    workingDirectory: z.string(),
    /** The plan that reverts the call. */
    plan: planSchema,
    /** What the call wrote, by path. Files beyond a limit are missing, and are compared by their times. */
    contents: z.record(z.string(), z.string()).default({}),
    /** The refs that it moves back. Objects that they need are beside the record. */
    git: gitChangeSchema.exactOptional(),
    /** All calls that it reverts, if they were approved together. */
    callIds: z.array(z.string()).exactOptional(),
    /** The size of the old files. */
    bytes: z.number().int(),
  }),
  /** The call is reverted together with another one, which has the record. */
  z.strictObject({ kind: z.literal('with'), at: z.number(), callId: z.string() }),
  z.strictObject({ kind: z.literal('undone'), at: z.number() }),
]);

/** What is stored about a call that can be undone, or was. */
export type UndoRecord = z.infer<typeof recordSchema>;
export type KeptUndo = Extract<UndoRecord, { kind: 'kept' }>;

const FILE = 'undo.json';

export async function writeRecord(root: string, record: UndoRecord): Promise<void> {
  await writeDurably(join(root, FILE), JSON.stringify(record));
}

/** An unreadable record is as good as none. */
export async function readRecord(root: string): Promise<UndoRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(join(root, FILE), 'utf8')));
  } catch {
    return undefined;
  }
}
