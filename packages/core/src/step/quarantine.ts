import type { TurnRecord } from '../ports/index.js';

/** A turn that was interrupted this often may be the cause (S3). */
const SUSPECT_AFTER = 2;

/** It was interrupted twice together with others. Such turns run one at a time, so that a third interruption shows which of them it was. */
export function isSuspect({ interruptions }: Pick<TurnRecord, 'interruptions'>): boolean {
  return interruptions >= SUSPECT_AFTER;
}

/** Of the turns that may have frozen or killed a process, one is run here at a time (S3). */
export interface Quarantine {
  /** False: one is in it already, perhaps this very turn, which another claim has taken. */
  enter(turnId: string): boolean;
  /** True: it was in it, and the next one may enter. */
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
