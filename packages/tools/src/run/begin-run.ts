import { findSystemProgram } from '@countersign/changes';
import { startNetwork, type StartedNetwork } from './network/hold-network.js';
import { findPrivateInSystem } from './system-view.js';

/** What a run needs whatever the server says about it. */
export interface BegunRun {
  readonly network: StartedNetwork | undefined;
  readonly privateInSystem: Promise<readonly string[]>;
  /** Must always be called. */
  close(): Promise<void>;
}

/**
 * Begins a run before the server is asked, because this takes as long as everything else. Starts nothing of the person's. Loads little itself, so that
 * the rest can be loaded meanwhile.
 */
export function beginRun(): BegunRun {
  const bubblewrap = findSystemProgram('bwrap');
  const network = bubblewrap === undefined ? undefined : startNetwork(bubblewrap);
  const leaving = new AbortController();
  const privateInSystem = findPrivateInSystem(leaving.signal);
  return {
    network,
    privateInSystem,
    async close() {
      leaving.abort();
      await network?.close();
    },
  };
}
