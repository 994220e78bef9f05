import type { CallRecord } from '../ports/index.js';
import { nextStep } from '../turn/next-step.js';
import type { Runtime, Situation } from './runtime.js';

/**
 * The tool of the next call, if only another process can have it (STORE4.4): a program's own tools exist in that program alone. Undefined if one
 * process owns the store, or if the tool belongs to an MCP server, which any process can start.
 */
export function findMissingTool(runtime: Runtime, situation: Situation): string | undefined {
  if (runtime.store.shared === undefined) return undefined;
  const next = nextStep(situation);
  if (next.kind !== 'start') return undefined;
  const call = situation.invocations.find(({ id }) => id === next.invocationIds[0]);
  return call === undefined || hasTool(runtime, call) ? undefined : call.toolName;
}

/** Whether this process can run the call, or a client does. */
export function hasTool(
  runtime: Runtime,
  { worldId, toolName, runBy }: Pick<CallRecord, 'worldId' | 'toolName' | 'runBy'>,
): boolean {
  if (runtime.store.shared === undefined || runBy !== 'here') return true;
  return runtime.tools(worldId).has(toolName) || (runtime.mcp !== undefined && toolName.startsWith('mcp__'));
}

export function describeMissingTool(toolName: string): string {
  return `No running process has the tool "${toolName}". The call runs as soon as a program that has it is running. To give up, stop this chat.`;
}
