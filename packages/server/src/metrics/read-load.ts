import { SILENT_MS, type Engine } from '@countersign/core';
import type { Workload } from '@countersign/core/ports';

export interface Load extends Workload {
  waitingApprovals: number;
  processes: number;
}

/** The workload of the whole store, across all processes. */
export async function readLoad({ runtime }: Engine): Promise<Load> {
  const { store, scheduler, clock } = runtime;
  const { shared } = store;
  const waitingApprovals = await store.read((reader) => reader.countPendingApprovals());
  if (shared !== undefined) {
    const processes = (await shared.living(SILENT_MS)).length;
    return { ...(await shared.workload(SILENT_MS)), waitingApprovals, processes };
  }
  const here = new Set(scheduler.running().map(({ turnId }) => turnId));
  const unfinished = await store.read((reader) => reader.unfinishedTurns());
  const open = unfinished.filter(({ state }) => state === 'open');
  const queued = open.filter(({ id }) => !here.has(id));
  const oldestMs = Math.max(0, ...queued.map(({ createdAt }) => clock.now() - createdAt));
  return { queued: queued.length, oldestMs, running: open.length - queued.length, waitingApprovals, processes: 1 };
}
