import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { summarize, type Figures } from './measure.js';
import type { ServerBench } from './server.js';

export const READERS = 500;

export interface ReadersResult {
  readers: number;
  /** KiB of heap and buffers per reader in the server. */
  perReader: number;
  /** From sending a message until the first and the last reader have it. */
  first: Figures;
  last: Figures;
  /** The number of lost frames. */
  lost: number;
}

/** Messages from the readers' process: that all readers are connected, or when they received a message. */
export type ReaderNews = { ready: true } | { number: number; first: string; last: string; count: number };

/** Many readers on one chat, in a separate process so that their memory isn't measured. */
export async function measureReaders(
  { url, token, chatPath, post }: ServerBench,
  messages: number,
): Promise<ReadersResult> {
  const before = usedKiB();
  const file = fileURLToPath(new URL('server-reader-process.js', import.meta.url));
  const readers = fork(file, [`${url}/api${chatPath}/events`, token, String(READERS)]);
  const news = (): Promise<[ReaderNews]> => once(readers, 'message') as Promise<[ReaderNews]>;
  try {
    await news();
    const after = usedKiB();
    const first: number[] = [];
    const last: number[] = [];
    let lost = 0;
    for (let number = 0; number < messages; number += 1) {
      const read = news();
      const sentAt = process.hrtime.bigint();
      await post(`${chatPath}/messages`, { content: `@human message ${number}` });
      const [told] = await read;
      if (!('number' in told) || told.number !== number) throw new Error('unexpected message from the readers');
      first.push(Number(BigInt(told.first) - sentAt) / 1000);
      last.push(Number(BigInt(told.last) - sentAt) / 1000);
      lost += READERS - told.count;
    }
    const perReader = (after - before) / READERS;
    return { readers: READERS, perReader, first: summarize(first), last: summarize(last), lost };
  } finally {
    readers.kill();
  }
}

/** Doesn't use resident memory: pages left by earlier suites would hide the difference. */
function usedKiB(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024;
}
