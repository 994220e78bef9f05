import type { TurnRecord } from '../ports/index.js';

/** A turn that was interrupted this often may be the cause (S3). */
const SUSPECT_AFTER = 2;

/** Suspects were interrupted twice together with other turns. They run one at a time, so that a third interruption identifies the culprit. */
export function isSuspect({ interruptions }: Pick<TurnRecord, 'interruptions'>): boolean {
  return interruptions >= SUSPECT_AFTER;
}

/** Runs one suspect at a time in this process (S3). */
export interface Quarantine {
  /** False if a suspect is already running, possibly this turn through another claim. */
  enter(turnId: string): boolean;
  /** True if it was in quarantine; then the next one may enter. */
  leave(turnId: string): boolean;
}

export function createQuarantine(): Quarantine {
  let inside: string | undefined;
  return {
    enter(turnId) {
      if (inside !== undefined) return false;
      inside = turnId;
      return true;
    },
    leave(turnId) {
      if (inside !== turnId) return false;
      inside = undefined;
      return true;
    },
  };
}
