import type { TriedHost } from '@countersign/protocol';
import { plainHost } from './host-list.js';

/** The program chooses the names, and people see them. */
const NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;
const ADDRESS = /^[0-9a-f.:]{2,45}$/i;
/** Hosts beyond this are counted as one with this name. */
const MAX_HOSTS = 1_000;
const OTHERS = '(others)';

export interface Tries {
  note(tried: { host: string; port: number | undefined; allowed: boolean }): void;
  /** Each host and port once, in the order of the first try. */
  list(): readonly TriedHost[];
}

export function countTries(): Tries {
  const tries = new Map<string, TriedHost>();
  return {
    note({ host, port = 0, allowed }) {
      const plain = plainHost(host);
      const isKnown = tries.has(`${plain} ${port} ${allowed}`);
      const isNamed = (NAME.test(plain) || ADDRESS.test(plain)) && (isKnown || tries.size < MAX_HOSTS);
      const name = isNamed ? plain : OTHERS;
      const key = isNamed ? `${plain} ${port} ${allowed}` : `${OTHERS} ${allowed}`;
      const { count = 0 } = tries.get(key) ?? {};
      tries.set(key, { host: name, port: isNamed ? port : 0, allowed, count: count + 1 });
    },
    list: () => [...tries.values()],
  };
}
