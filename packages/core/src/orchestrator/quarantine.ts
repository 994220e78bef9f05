/** Of the turns that may have frozen or killed a process, one is run here at a time (S3). */
export interface Quarantine {
  /** False: another one is in it. */
  enter(turnId: string): boolean;
  /** True: it was in it, and the next one may enter. */
  leave(turnId: string): boolean;
}

export function createQuarantine(): Quarantine {
  let inside: string | undefined;
  return {
    enter(turnId) {
      inside ??= turnId;
      return inside === turnId;
    },
    leave(turnId) {
      if (inside !== turnId) return false;
      inside = undefined;
      return true;
    },
  };
}
