import { maskSecrets } from '@countersign/core';
import { SERVER_LOG, type Clock, type Store } from '@countersign/core/ports';
import type { Signer } from '@countersign/protocol';

const RECORDED: ReadonlySet<number> = new Set([401, 403, 429]);
/** Further refusals within the window are only counted: nobody may fill the log with them, or hide those of others. */
const WINDOW_MS = 60_000;
const MOST_OF_ONE = 10;
const MOST_RECORDS = 300;
/** How many are named in the record that counts the rest. */
const MOST_NAMED = 20;

export interface Refusal {
  status: number;
  method: string;
  path: string;
  detail: string;
  /** Undefined if the credential is missing or wrong. */
  signer: Signer | undefined;
  address: string;
}

/** Writes refused requests to the server's audit log (LOG1.8). */
export function createRefusalLog(
  { store, clock }: { store: Pick<Store, 'transact'>; clock: Pick<Clock, 'now'> },
  report: (error: unknown) => void,
): (refusal: Refusal) => Promise<void> {
  let window = newWindow(-Infinity);

  async function write(why: string, signer: Signer | undefined): Promise<void> {
    await store.transact(SERVER_LOG, async (tx) => {
      await tx.lockServerLog();
      tx.record({ kind: 'refusal', why: maskSecrets(why), ...signer });
    });
  }

  return async ({ status, method, path, detail, signer, address }) => {
    if (!RECORDED.has(status)) return;
    const now = clock.now();
    const past = now - window.since >= WINDOW_MS ? window : undefined;
    if (past !== undefined) window = newWindow(now);
    // An address alone could be a proxy, and a person alone an attacker with their token.
    const source = signer === undefined ? address : `${address} (${signer.who.name})`;
    const from = window.sources.get(source) ?? { seen: new Set(), left: 0 };
    const same = [status, method, path].join(' ');
    const isRecorded = !from.seen.has(same) && from.seen.size < MOST_OF_ONE && window.records < MOST_RECORDS;
    if (isRecorded) {
      from.seen.add(same);
      window.records += 1;
    } else from.left += 1;
    // Beyond the most records, further sources are only counted together.
    if (window.sources.size < MOST_RECORDS) window.sources.set(source, from);
    else if (!window.sources.has(source)) window.others += from.left;
    try {
      const leftOut = past === undefined ? undefined : describeLeftOut(past);
      if (leftOut !== undefined) await write(leftOut, undefined);
      if (isRecorded) await write(`${status}: ${method} ${path.slice(0, 200)} from ${address}. ${detail}`, signer);
    } catch (error) {
      report(error);
    }
  };
}

interface Window {
  readonly since: number;
  readonly sources: Map<string, { readonly seen: Set<string>; left: number }>;
  records: number;
  /** Refusals of sources that are not in the map. */
  others: number;
}

function newWindow(since: number): Window {
  return { since, sources: new Map(), records: 0, others: 0 };
}

/** How many refusals have no record of their own, and from where. */
function describeLeftOut({ sources, others }: Window): string | undefined {
  const counted = [...sources].filter(([, { left }]) => left > 0).toSorted(([, a], [, b]) => b.left - a.left);
  const total = counted.reduce((sum, [, { left }]) => sum + left, others);
  if (total === 0) return undefined;
  const named = counted.slice(0, MOST_NAMED);
  const rest = named.reduce((sum, [, { left }]) => sum - left, total);
  const parts = named.map(([source, { left }]) => `${left} from ${source}`);
  return `${total} more requests were refused: ${[...parts, ...(rest === 0 ? [] : [`${rest} from others`])].join(', ')}`;
}
