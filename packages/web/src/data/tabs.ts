/** What the tabs of one browser have in common: a lock that one of them holds, and a channel that reaches all the others. */
export interface Tabs {
  /**
   * Waits for the lock and holds it while `work` runs. `lost` is aborted when another tab takes it by force. Resolves when the work is
   * done, the lock is lost, or the signal ended the wait; never rejects on those.
   */
  hold(name: string, how: Hold, work: (lost: AbortSignal) => Promise<void>): Promise<void>;
  openChannel(name: string, hear: (note: unknown) => void): { tell(note: unknown): void; close(): void };
}

interface Hold {
  signal: AbortSignal;
  /** Takes it from the tab that has it and does not answer. */
  byForce: boolean;
}

/** Where tabs can't find each other, each is by itself. */
export function oneTab(): Tabs {
  return {
    hold: async (_name, { signal }, work) => {
      if (!signal.aborted) await work(new AbortController().signal);
    },
    openChannel: () => ({ tell: () => undefined, close: () => undefined }),
  };
}
