import type { RegisteredTool, ToolClaims } from '../ports/index.js';
import type { Runtime } from './runtime.js';

/** Deletes what is kept for a call that has ended or was never written. Doesn't wait for it. */
export function dropRehearsal(
  runtime: Pick<Runtime, 'report'>,
  tool: RegisteredTool | undefined,
  callId: string,
): void {
  const dropping = tool?.claims?.rehearsals?.drop(callId);
  dropping?.catch((error: unknown) => report(runtime, error));
}

/**
 * Deletes what an earlier process kept for calls that have ended. Calls that the store doesn't know may belong to another store on this machine;
 * the tool's own limits delete those.
 */
export async function dropEndedRehearsals(
  runtime: Pick<Runtime, 'report' | 'store'>,
  tools: Iterable<RegisteredTool>,
): Promise<void> {
  const all = new Set<NonNullable<ToolClaims['rehearsals']>>();
  for (const { claims } of tools) if (claims?.rehearsals !== undefined) all.add(claims.rehearsals);
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
