import { maskSecrets } from '@countersign/core';
import { SERVER_LOG, type Clock, type Store } from '@countersign/core/ports';
import type { Signer } from '@countersign/protocol';

const RECORDED: ReadonlySet<number> = new Set([401, 403, 429]);
/** Further refusals within the window are only counted: nobody may fill the log with them. */
const WINDOW_MS = 60_000;
const MOST_RECORDS = 30;

export interface Refusal {
  status: number;
  method: string;
  path: string;
  detail: string;
  /** Undefined if the credential is missing or wrong. */
  signer: Signer | undefined;
  address: string;
}

/** Writes refused requests to the server's audit log (A16.9). */
export function createRefusalLog(
  { store, clock }: { store: Pick<Store, 'transact'>; clock: Pick<Clock, 'now'> },
  report: (error: unknown) => void,
): (refusal: Refusal) => Promise<void> {
  let window = { since: -Infinity, seen: new Set<string>(), uncounted: 0 };

  async function write(why: string, signer: Signer | undefined): Promise<void> {
    await store.transact(SERVER_LOG, async (tx) => {
      await tx.lockServerLog();
      tx.record({ kind: 'refusal', why: maskSecrets(why), ...signer });
    });
  }

  return async ({ status, method, path, detail, signer, address }) => {
    if (!RECORDED.has(status)) return;
    const now = clock.now();
    let left = 0;
    if (now - window.since >= WINDOW_MS) {
      left = window.uncounted;
      window = { since: now, seen: new Set(), uncounted: 0 };
    }
    const same = [status, method, path, signer?.who.id, address].join(' ');
    const isKnown = window.seen.has(same) || window.seen.size >= MOST_RECORDS;
    if (isKnown) window.uncounted += 1;
    else window.seen.add(same);
    try {
      if (left > 0) await write(`${left} more requests were refused`, undefined);
      if (!isKnown) await write(`${status}: ${method} ${path.slice(0, 200)} from ${address}. ${detail}`, signer);
    } catch (error) {
      report(error);
    }
  };
}
