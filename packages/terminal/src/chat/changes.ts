/** Lets a loop sleep until something changes, without missing changes while it was busy. */
export interface Changes {
  readonly count: () => number;
  readonly tell: () => void;
  /** Resolves when there was a change after `count`, or after `ms`. */
  after(count: number, ms: number): Promise<void>;
}

export function createChanges(): Changes {
  let count = 0;
  let wake: () => void = () => undefined;
  return {
    count: () => count,
    tell() {
      count += 1;
      wake();
    },
    async after(seen, ms) {
      if (count !== seen) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, ms));
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = () => undefined;
    },
  };
}
