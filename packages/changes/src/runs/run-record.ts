import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  endedRunSchema,
  runAgentSchema,
  runProcessSchema,
  runRequestSchema,
  whoSchema,
  type EndedRun,
} from '@countersign/protocol';
import { z } from 'zod';
import { writeDurably } from '../files/write-durably.js';

const list = z.array(z.string()).readonly();
const nsSchema = z
  .string()
  .regex(/^\d+$/)
  .transform((text) => BigInt(text));
const momentSchema = z.strictObject({ ns: nsSchema, steadyNs: z.strictObject({ before: nsSchema, after: nsSchema }) });

/** What is known when a program starts. */
const recordSchema = z.strictObject({
  id: z.string(),
  worldId: z.string(),
  /** The agent in whose name its changes are proposed. */
  agentId: z.string(),
  /** Who started it, in the form of the server. */
  by: z.unknown(),
  /** The working folder, real and absolute. */
  folder: z.string(),
  /** A moment before the program started: later changes by others conflict with its changes. */
  since: momentSchema,
  startedAt: z.number(),
  program: list,
  agent: runAgentSchema.exactOptional(),
  hidden: list,
  trackedHidden: z.boolean(),
  hosts: list,
  branch: z.string().exactOptional(),
  supervisor: runProcessSchema,
  /** Set for a part of another run, which a person has selected. */
  part: z
    .strictObject({
      of: z.string(),
      /** Ignored paths that it applies all the same. */
      include: list,
      /** Those who asked for changes to that run, and at the end the person who selected. */
      requesters: z.array(whoSchema).readonly(),
    })
    .exactOptional(),
  /** The programs that ran in the draft after the first one, and how the one before each ended. */
  rounds: z
    .array(z.strictObject({ program: list, ended: endedRunSchema }))
    .readonly()
    .exactOptional(),
});
export type RunRecord = z.infer<typeof recordSchema>;

/** All programs that ran in the draft, oldest first. */
export function programsOf({
  program,
  rounds = [],
}: Pick<RunRecord, 'program' | 'rounds'>): readonly (readonly string[])[] {
  return [program, ...rounds.map((round) => round.program)];
}

/**
 * What became of a run's changes. `waiting`: a call may apply them. `applying`: that call has begun to. `kept`: they were not applied, for this reason, and
 * a new call may. `sent-back`: somebody asked for changes. `restarted`: a program runs in the draft again, or has ended and isn't sealed yet. Only these
 * move: waiting → applying → applied, kept or waiting; kept → waiting; waiting or kept → sent-back → restarted → waiting, kept or unchanged; all but applying
 * and applied → discarded.
 */
const statusSchema = z.strictObject({
  state: z.enum(['waiting', 'applying', 'applied', 'unchanged', 'kept', 'discarded', 'sent-back', 'restarted']),
  /** With kept. */
  why: z.enum(['conflict', 'failed']).exactOptional(),
  reason: z.string().exactOptional(),
  /** The only call that may apply them. */
  callId: z.string().exactOptional(),
  chatId: z.string().exactOptional(),
  /** The number of calls that have been proposed. */
  calls: z.number().int(),
  /** What people asked to change, oldest first. */
  requests: z.array(runRequestSchema).readonly().exactOptional(),
  /** When the state changed, in milliseconds since 1970. */
  at: z.number(),
});
export type RunStatus = z.infer<typeof statusSchema>;

/** A run as its folder describes it. The folder is the truth: either the server or the supervisor may die at any moment. */
export interface KeptRun {
  readonly root: string;
  readonly record: RunRecord;
  /** Undefined while the program runs. */
  readonly ended: EndedRun | undefined;
  /** Undefined until its changes have been sealed. */
  readonly status: RunStatus | undefined;
}

export const RECORD = 'run.json';
export const ENDED = 'ended.json';
const STATUS = 'status.json';

export async function writeRunRecord(root: string, record: RunRecord): Promise<void> {
  const text = JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  await writeDurably(join(root, RECORD), text);
}

export async function writeStatus(root: string, status: RunStatus): Promise<void> {
  await writeDurably(join(root, STATUS), JSON.stringify(status));
}

/** Written by the supervisor, or by the server if that died. The server reads it even if nobody tells it. */
export async function writeEnded(root: string, ended: EndedRun): Promise<void> {
  await writeDurably(join(root, ENDED), JSON.stringify(endedRunSchema.parse(ended)));
}

/** Undefined if there is no such file, or an unreadable one. */
async function read<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

export const readRunRecord = (root: string): Promise<RunRecord | undefined> => read(join(root, RECORD), recordSchema);
export const readEnded = (root: string): Promise<EndedRun | undefined> => read(join(root, ENDED), endedRunSchema);
export const readStatus = (root: string): Promise<RunStatus | undefined> => read(join(root, STATUS), statusSchema);
