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

/** A client as far as its calls are concerned. */
export interface ClientWithTools {
  record: ClientRecord;
  /** By the names that agents know them by. */
  tools: ReadonlyMap<string, Tool>;
}

/** Calls forwarded to a client that it has not answered. */
export async function pendingCalls(runtime: Runtime, { record, tools }: ClientWithTools): Promise<InvocationRecord[]> {
  return await runtime.store.read(async (reader) => {
    const turns = (await reader.unfinishedTurns()).filter(
      (turn) => turn.worldId === record.worldId && turn.iteration > 0,
    );
    const calls = await Promise.all(turns.map((turn) => reader.invocations(turn.id, turn.iteration)));
    return calls.flat().filter((call) => call.status === 'started' && tools.has(call.toolName));
  });
}

/** The client is gone: nobody is left who could answer them. */
export async function failPendingCalls(runtime: Runtime, client: ClientWithTools, error: string): Promise<void> {
  for (const call of await pendingCalls(runtime, client)) await settle(runtime, call, { kind: 'failed', error });
}

/** What a client says came of a call. Only the client a call was forwarded to may answer it, once (A18). */
export async function answerClientCall(
  runtime: Runtime,
  client: ClientWithTools | undefined,
  input: ClientToolResult,
): Promise<ToolResultOutcome> {
  const result = parseInput(clientToolResultSchema, input, 'result');
  const call = await runtime.store.read((reader) => reader.invocation(result.tool_call_id));
  if (call === undefined) return refused('unknown', 'no call has this id');
  if (client === undefined || call.worldId !== client.record.worldId || !client.tools.has(call.toolName)) {
    return refused('foreign', 'this call belongs to another client');
  }
  const settlement: Settlement =
    result.error === undefined
      ? { kind: 'succeeded', result: result.content ?? '' }
      : { kind: 'failed', error: result.error };
  const state = await settle(runtime, call, settlement);
  if (state !== 'recorded') return refused('settled', 'this call is not waiting for an answer', state);
  return { kind: 'recorded', status: 200, invocationId: call.id, state: settlement.kind };
}

/** Settles a forwarded call and wakes its turn. Its state, if it was not waiting any more. */
async function settle(runtime: Runtime, call: InvocationRecord, settlement: Settlement): Promise<string> {
  return await commit(runtime, 'client-result', call.worldId, { chats: [call.chatId] }, (step) => {
    const current = step.tx.invocation(call.id);
    if (current?.status !== 'started') return (current ?? call).status;
    settleCall(runtime, step, current, settlement);
    if (resumeTurn(runtime, step, current.turnId)) runtime.dispatch.wake(step, current.turnId);
    return 'recorded';
  });
}
