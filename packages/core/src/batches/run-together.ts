import { ToolFailure, type Hold } from '../ports/index.js';

/** Calls that take effect together. */
export interface Together {
  /** For one of them: `apply` resolves when what all of them change was applied. If it ends before that, nothing is applied. */
  member(): { readonly apply: () => Promise<void>; readonly hold: Hold };
  /** Applies nothing, unless it has begun. */
  cancel(): void;
}

/** Calls `act` once all of `count` calls have asked for it, and never if one of them can't. `end` is called once, in either case. */
export function runTogether(count: number, act: () => Promise<void>, end: () => Promise<void>): Together {
  let begin: (how: () => Promise<void>) => void = () => undefined;
  const begun = new Promise<() => Promise<void>>((resolve) => (begin = resolve));
  const done = actAndEnd(begun, end);
  // A call that was stopped no longer waits for it.
  done.catch(() => undefined);
  let waiting = count;
  let isOver = false;
  const finish = (work: () => Promise<void>): void => {
    if (isOver) return;
    isOver = true;
    begin(work);
  };
  const cancel = (): void => finish(() => Promise.reject(new ToolFailure(NOT_APPLIED)));
  return {
    cancel,
    member() {
      let hasAsked = false;
      return {
        apply() {
          hasAsked = true;
          waiting -= 1;
          if (waiting === 0) finish(act);
          return done;
        },
        hold: {
          release() {
            if (!hasAsked) cancel();
            return Promise.resolve();
          },
        },
      };
    },
  };
}

async function actAndEnd(begun: Promise<() => Promise<void>>, end: () => Promise<void>): Promise<void> {
  try {
    await (
      await begun
    )();
  } finally {
    await end();
  }
}

const NOT_APPLIED = 'nothing was applied: another call that was approved with it could not start';
