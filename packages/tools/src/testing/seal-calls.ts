import type { Drafted, ProtectedPaths, SealedBatch, Tool } from '@countersign/core/ports';

export interface CallToSeal {
  readonly tool: Tool;
  readonly args: Record<string, unknown>;
  readonly protectedPaths?: ProtectedPaths;
}

/** Rehearses calls one after another in one draft, like the runtime, up to the first that does nothing. `shell` makes the draft. */
export async function sealCalls(
  shell: Tool,
  workingDirectory: string,
  calls: readonly CallToSeal[],
): Promise<{ batch: SealedBatch; drafted: Drafted[] }> {
  const drafted: Drafted[] = [];
  const { signal } = new AbortController();
  const batch = await shell.batches?.seal(workingDirectory, signal, async (copy) => {
    for (const [index, { tool, args, protectedPaths }] of calls.entries()) {
      const about = { worldId: 'world', agentId: 'agent', chatId: 'chat', invocationId: `call-${index}`, signal };
      const rules = protectedPaths === undefined ? {} : { protectedPaths };
      const done = await tool.draft?.(args, { ...about, ...rules, workingDirectory, copy });
      if (done !== undefined) drafted.push(done);
      if (done === undefined || !('effect' in done)) return;
    }
  });
  if (batch === undefined) throw new Error('the tool makes no drafts for several calls');
  return { batch, drafted };
}
