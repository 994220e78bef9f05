/** An ordered queue with several writers and one reader. */
export interface Queue<T> {
  push(item: T): void;
  /** Ends the queue. Items that were already pushed are still read. */
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
