import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolFailure, type Tool, type ToolContext } from '@countersign/core/ports';

/** A folder with a real path, and what removes it. */
export async function makeFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'tools-test-')));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export type Tried = { ok: true; result: unknown } | { ok: false; error: string; result: unknown };

export interface Try {
  workingDirectory: string;
  signal?: AbortSignal;
  output?: ToolContext['output'];
}

/** A call as the runtime makes it: arguments checked, then run; what it throws is its error. */
export async function tryTool(tool: Tool, args: Record<string, unknown>, about: Try): Promise<Tried> {
  const checked = tool.validate(args);
  if (!checked.ok) return { ok: false, error: checked.error, result: undefined };
  try {
    const result = await tool.execute(checked.value, {
      worldId: 'world',
      agentId: 'agent',
      chatId: 'chat',
      invocationId: 'call',
      workingDirectory: about.workingDirectory,
      signal: about.signal ?? new AbortController().signal,
      output: about.output ?? (() => undefined),
    });
    return { ok: true, result };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { ok: false, error: words, result: error instanceof ToolFailure ? error.result : undefined };
  }
}
