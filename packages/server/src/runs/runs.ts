import type { RunDrafts } from '@countersign/tools';
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

/** What was denied or never applied is kept this long after that. */
export const KEPT_MS = 14 * 24 * 3_600_000;
