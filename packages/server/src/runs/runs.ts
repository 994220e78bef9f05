import { CountersignError } from '@countersign/protocol';
import type { KeptRun, RunDrafts } from '@countersign/tools';
import type { CommitKey } from '../receipts/commit-key.js';

/** What the routes and the sweep of runs need of the home. */
export interface Runs {
  /** Or why this server can't run programs in drafts. */
  readonly drafts: RunDrafts | { readonly refused: string };
  /** The folder of the kept homes of agents. */
  readonly homes: string;
  /** Signs receipts of commits. */
  readonly commitKey?: CommitKey;
}

interface HasRuns {
  readonly runs?: Runs | undefined;
}

/** What was denied or never applied is kept this long after that. */
export const KEPT_MS = 14 * 24 * 3_600_000;

/** When to look again after runs whose changes were applied or that nothing is left of, so that looking costs no more with each of them. */
export const atRest = new Map<string, number>();

/** Throws if this server can't run programs in drafts. */
export function draftsOf({ runs }: HasRuns): RunDrafts {
  const drafts = runs?.drafts ?? { refused: "This server can't run programs in drafts." };
  if ('refused' in drafts) throw new CountersignError('conflict', drafts.refused);
  return drafts;
}

/** Undefined if this server can't run programs in drafts. */
export function findDrafts({ runs }: HasRuns): RunDrafts | undefined {
  return runs === undefined || 'refused' in runs.drafts ? undefined : runs.drafts;
}

export async function readRuns({ kept }: Pick<RunDrafts, 'kept'>): Promise<KeptRun[]> {
  const found = await Promise.all((await kept.list()).map((id) => kept.read(id)));
  return found.filter((run) => run !== undefined);
}
