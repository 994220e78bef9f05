/** What the tabs of one browser share: a lock that one tab at a time holds, and a broadcast channel. */
export interface Tabs {
  /**
   * Waits for the lock and holds it while `work` runs. `lost` is aborted if another tab takes the lock by force. Resolves when the work is
   * done, the lock is lost, or the signal ended the wait; never rejects in these cases.
   */
  hold(name: string, how: Hold, work: (lost: AbortSignal) => Promise<void>): Promise<void>;
  openChannel(name: string, hear: (note: unknown) => void): { tell(note: unknown): void; close(): void };
}

interface Hold {
  signal: AbortSignal;
  /** Takes the lock from a tab that doesn't respond. */
  byForce: boolean;
  /** Never waits for other streams, nor gives way to them. */
  isEssential?: boolean;
}

/** For browsers in which tabs can't communicate. */
export function oneTab(): Tabs {
  return {
    hold: async (_name, { signal }, work) => {
      if (!signal.aborted) await work(new AbortController().signal);
    },
    openChannel: () => ({ tell: () => undefined, close: () => undefined }),
  };
}
