import {
  clientToolResultSchema,
  parseInput,
  type ClientToolResult,
  type ToolResultOutcome,
} from '@countersign/protocol';
import type { ClientRecord, CallRecord, Tool } from '../ports/index.js';
import type { Runtime } from '../step/runtime.js';
import { refused } from '../decisions/find-call.js';
import { endCall, openCalls } from './end-call.js';
import { reportCall } from './report-call.js';

/** A client with its tools. */
export interface ClientWithTools {
  record: ClientRecord;
  /** By the names that agents use. */
  tools: ReadonlyMap<string, Tool>;
}

/** Calls forwarded to a client that are still unanswered. */
export async function pendingCalls(runtime: Runtime, client: ClientWithTools): Promise<CallRecord[]> {
  return (await openCalls(runtime, 'client')).filter((call) => call.status === 'started' && runs(client, call));
}

/** Fails the pending calls of a client that disconnected, because nothing else can answer them. */
export async function failPendingCalls(runtime: Runtime, client: ClientWithTools, error: string): Promise<void> {
  for (const call of await pendingCalls(runtime, client)) await endCall(runtime, call, { kind: 'failed', error });
}

/** Handles a client's result for a call. Only the client that received the call may answer it, once (CALL16). */
export async function answerClientCall(
  runtime: Runtime,
  client: ClientWithTools | undefined,
  input: ClientToolResult,
): Promise<ToolResultOutcome> {
  const result = parseInput(clientToolResultSchema, input, 'result');
  const call = await runtime.store.read((reader) => reader.invocation(result.tool_call_id));
  if (call === undefined) return refused('unknown', 'there is no call with this id');
  if (client === undefined || !runs(client, call)) return refused('foreign', 'this call belongs to another client');
  const reported = await reportCall(runtime, call, result);
  if (reported.kind === 'recorded')
    return { kind: 'recorded', status: 200, invocationId: call.id, state: reported.state };
  // The response to the first one may have been lost.
  const { call: ended, isRepeat } = reported;
  if (isRepeat && (ended?.status === 'succeeded' || ended?.status === 'failed'))
    return { kind: 'recorded', status: 200, invocationId: call.id, state: ended.status };
  return refused('settled', 'this call is not waiting for a result', reported.call?.status);
}

function runs({ record, tools }: ClientWithTools, { worldId, toolName }: CallRecord): boolean {
  return worldId === record.worldId && tools.has(toolName);
}
