import { isIPv6 } from 'node:net';
import type { Clock } from '@countersign/core/ports';

const BURST = 20;
const REFILL_MS = 3_000;
const MAX_ADDRESSES = 10_000;

/** Counts wrong credentials per remote address, in bounded memory. */
export interface FailedAttempts {
  /** Seconds until this address may try again; undefined if it may now. */
  wait(address: string): number | undefined;
  failed(address: string): void;
}

export function createFailedAttempts(clock: Pick<Clock, 'now'>): FailedAttempts {
  /** Failures per network and the time of the last one, least recent first. */
  const counted = new Map<string, { failures: number; at: number }>();

  function failuresOf(key: string): number {
    const entry = counted.get(key);
    if (entry === undefined) return 0;
    return Math.max(0, entry.failures - (clock.now() - entry.at) / REFILL_MS);
  }

  return {
    wait(address) {
      const over = failuresOf(networkOf(address)) - (BURST - 1);
      return over <= 0 ? undefined : Math.ceil((over * REFILL_MS) / 1000);
    },
    failed(address) {
      const key = networkOf(address);
      const failures = Math.min(BURST, failuresOf(key) + 1);
      counted.delete(key);
      counted.set(key, { failures, at: clock.now() });
      const [oldest] = counted.keys();
      if (counted.size > MAX_ADDRESSES && oldest !== undefined) counted.delete(oldest);
    },
  };
}

/** One IPv6 customer has at least 2^64 addresses, so the whole /64 network counts as one. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
