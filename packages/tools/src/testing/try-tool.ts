import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { ToolFailure, type Tool, type ToolContext } from '@countersign/core/ports';

export type Tried = { ok: true; result: unknown } | { ok: false; error: string; result: unknown };

export interface Try {
  workingDirectory: string;
  signal?: AbortSignal;
  output?: ToolContext['output'];
  fingerprint?: string | undefined;
  invocationId?: string;
  protectedPaths?: ToolContext['protectedPaths'];
  mayCreate?: (path: string) => boolean;
  again?: () => void;
}

/** Calls a tool the way the runtime does: validates the arguments, runs it, and returns the error if it throws. */
export async function tryTool(tool: Tool, args: Record<string, unknown>, about: Try): Promise<Tried> {
  const checked = tool.validate(args);
  if (!checked.ok) return { ok: false, error: checked.error, result: undefined };
  try {
    const result = await tool.execute(checked.value, {
      worldId: 'world',
      agentId: 'agent',
      chatId: 'chat',
      invocationId: about.invocationId ?? 'call',
      workingDirectory: about.workingDirectory,
      signal: about.signal ?? new AbortController().signal,
      output: about.output ?? (() => undefined),
      ...(about.protectedPaths === undefined ? {} : { protectedPaths: about.protectedPaths }),
      ...(about.mayCreate === undefined ? {} : { mayCreate: about.mayCreate }),
      ...(about.again === undefined ? {} : { again: about.again }),
      ...(about.fingerprint === undefined ? {} : { fingerprint: about.fingerprint }),
    });
    return { ok: true, result };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { ok: false, error: words, result: error instanceof ToolFailure ? error.result : undefined };
  }
}

/** All processes in this working folder. One with an empty command line is a zombie. */
export function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      try {
        if (readlinkSync(`/proc/${id}/cwd`) !== folder) return [];
        const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return command === '' ? [] : [`${id} ${command}`];
      } catch {
        // It has ended in the meantime.
        return [];
      }
    });
}
