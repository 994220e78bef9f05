import { errorMessage } from '@countersign/core/ports';
import type { Connection } from '../connect-server.js';

export interface Refresher {
  begin(from: Connection): void;
  /** Resolves when all changes announced so far are listed, or listing failed. */
  listed(): Promise<void>;
}

/** Runs one listing at a time, and one more if the tools have changed since, so that a server that keeps announcing changes can't flood us. */
export function createRefresher(list: (from: Connection) => Promise<void>, failed: (words: string) => void): Refresher {
  let stale = false;
  let busy = false;
  let round: Promise<void> | undefined;
  const begin = (from: Connection): void => {
    stale = true;
    if (busy) return;
    busy = true;
    const work = async (): Promise<void> => {
      while (stale) {
        stale = false;
        round = list(from);
        await round;
      }
    };
    work()
      .catch((error: unknown) => failed(errorMessage(error)))
      .finally(() => {
        busy = false;
        round = undefined;
      });
  };
  return {
    begin,
    async listed() {
      // The second round started after this call. Don't wait for more: a server that never stops announcing changes would block the call
      // forever.
      await round?.catch(() => undefined);
      await round?.catch(() => undefined);
    },
  };
}
