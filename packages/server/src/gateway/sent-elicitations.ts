/** The elicitations that clients haven't answered. Each answer arrives in a request of its own. */
export interface SentElicitations {
  /** `end` returns whether it was still open, or undefined if it was called before. */
  add(key: string): { end(): boolean | undefined };
  answer(key: string): void;
}

export function createElicitations(): SentElicitations {
  const open = new Set<string>();
  return {
    add(key) {
      open.add(key);
      let isOver = false;
      return {
        end() {
          if (isOver) return undefined;
          isOver = true;
          return open.delete(key);
        },
      };
    },
    answer: (key) => void open.delete(key),
  };
}
