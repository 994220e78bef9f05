import type { Rehearsals, Tool } from '../ports/index.js';
import type { Runtime } from './runtime.js';

/** Deletes what is kept for a call that has ended or was never written. Doesn't wait for it. */
export function dropRehearsal(runtime: Pick<Runtime, 'report'>, tool: Tool | undefined, callId: string): void {
  const dropping = tool?.rehearsals?.drop(callId);
  dropping?.catch((error: unknown) => report(runtime, error));
}

/**
 * Deletes what an earlier process kept for calls that have ended. Calls that the store doesn't know may belong to another store on this machine;
 * the tool's own limits delete those.
 */
export async function dropEndedRehearsals(
  runtime: Pick<Runtime, 'report' | 'store'>,
  tools: Iterable<Tool>,
): Promise<void> {
  const all = new Set<Rehearsals>();
  for (const { rehearsals } of tools) if (rehearsals !== undefined) all.add(rehearsals);
  for (const rehearsals of all) {
    for (const callId of await rehearsals.list()) {
      const call = await runtime.store.read((reader) => reader.invocation(callId));
      if (call === undefined || call.settledAt === null) continue;
      await rehearsals.drop(callId).catch((error: unknown) => report(runtime, error));
    }
  }
}

function report(runtime: Pick<Runtime, 'report'>, error: unknown): void {
  runtime.report(error, 'failed to delete the rehearsal of a call that has ended');
}
