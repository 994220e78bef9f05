/** A queue with many writers and one reader, in order. */
export interface Queue<T> {
  push(item: T): void;
  /** Items pushed before are still read. */
  end(): void;
  read(): AsyncGenerator<T, void, undefined>;
}

export function createQueue<T>(): Queue<T> {
  const items: T[] = [];
  let ended = false;
  let wake = (): void => undefined;
  return {
    push(item) {
      items.push(item);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *read() {
      for (;;) {
        while (items.length > 0) yield* items.splice(0);
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
