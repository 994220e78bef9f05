import { ToolFailure } from '@countersign/core/ports';
import type { Outside } from './gateway.js';

const NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;
/** A person can allow all of them for one call. */
export const MAX_HOSTS = 20;

/** The hosts that a program tried to reach, and a network in which none of them can be. */
export interface RefusedHosts {
  readonly outside: Outside;
  /** Each once, in the order of the first try. */
  tried(): readonly string[];
}

/** Resolves and connects to nothing. A rehearsal must not leave the machine, not even with the lookup of a name. */
export function refuseHosts(): RefusedHosts {
  const tried = new Set<string>();
  // The program chooses the names, and people see them.
  const note = (host: string): void => {
    if (tried.size < MAX_HOSTS && (NAME.test(host) || /^[0-9a-f.:]{2,45}$/i.test(host))) tried.add(host.toLowerCase());
  };
  return {
    tried: () => [...tried],
    outside: {
      connect: () => {
        throw new ToolFailure(NO_NETWORK);
      },
      network: {
        resolve(host) {
          note(host);
          return Promise.reject(new ToolFailure(NO_NETWORK));
        },
        mayConnect(address) {
          note(address);
          return false;
        },
      },
    },
  };
}

const NO_NETWORK = 'this sandbox has no network';
