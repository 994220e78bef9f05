import {
  clientToolResultSchema,
  parseInput,
  type ClientToolResult,
  type ToolResultOutcome,
} from '@countersign/protocol';
import type { ClientRecord, InvocationRecord, Tool } from '../ports/index.js';
import { resumeTurn } from '../step/move-turn.js';
import { commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import type { Settlement } from '../facts/fact.js';
import { settleCall } from '../calls/settle-call.js';
import { refused } from '../decisions/find-call.js';

/** A client with its tools. */
export interface ClientWithTools {
  record: ClientRecord;
  /** By the names that agents use. */
  tools: ReadonlyMap<string, Tool>;
}

/** Calls forwarded to a client that are still unanswered. */
export async function pendingCalls(runtime: Runtime, { record, tools }: ClientWithTools): Promise<InvocationRecord[]> {
  return await runtime.store.read(async (reader) => {
    const turns = (await reader.unfinishedTurns()).filter(
      (turn) => turn.worldId === record.worldId && turn.iteration > 0,
    );
    const calls = await Promise.all(turns.map((turn) => reader.invocations(turn.id, turn.iteration)));
    return calls.flat().filter((call) => call.status === 'started' && tools.has(call.toolName));
  });
}

/** Fails the pending calls of a client that disconnected, because nothing else can answer them. */
export async function failPendingCalls(runtime: Runtime, client: ClientWithTools, error: string): Promise<void> {
  for (const call of await pendingCalls(runtime, client)) await settle(runtime, call, { kind: 'failed', error });
}

/** Handles a client's result for a call. Only the client that received the call may answer it, once (A18). */
export async function answerClientCall(
  runtime: Runtime,
  client: ClientWithTools | undefined,
  input: ClientToolResult,
): Promise<ToolResultOutcome> {
  const result = parseInput(clientToolResultSchema, input, 'result');
  const call = await runtime.store.read((reader) => reader.invocation(result.tool_call_id));
  if (call === undefined) return refused('unknown', 'there is no call with this id');
  if (client === undefined || call.worldId !== client.record.worldId || !client.tools.has(call.toolName)) {
    return refused('foreign', 'this call belongs to another client');
  }
  const settlement: Settlement =
    result.error === undefined
      ? { kind: 'succeeded', result: result.content ?? '' }
      : { kind: 'failed', error: result.error };
  const state = await settle(runtime, call, settlement);
  if (state !== 'recorded') return refused('settled', 'this call is not waiting for a result', state);
  return { kind: 'recorded', status: 200, invocationId: call.id, state: settlement.kind };
}

/** Settles a forwarded call and wakes its turn. Returns `recorded`, or the state of a call that was no longer waiting. */
async function settle(runtime: Runtime, call: InvocationRecord, settlement: Settlement): Promise<string> {
  return await commit(runtime, 'client-result', call.worldId, { chats: [call.chatId] }, (step) => {
    const current = step.tx.invocation(call.id);
    if (current?.status !== 'started') return (current ?? call).status;
    settleCall(runtime, step, current, settlement);
    if (resumeTurn(runtime, step, current.turnId)) runtime.dispatch.wake(step, current.turnId);
    return 'recorded';
  });
}
