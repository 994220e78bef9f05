import type { RunDrafts } from '@countersign/tools';

/** What the routes and the sweep of runs need of the home. */
export interface Runs {
  /** Or why this server can't run programs in drafts. */
  readonly drafts: RunDrafts | { readonly refused: string };
  /** The folder of the kept homes of agents. */
  readonly homes: string;
}

/** What was denied or never applied is kept this long after that. */
export const KEPT_MS = 14 * 24 * 3_600_000;
