import { StepTransaction } from '../../facts/step-transaction.js';
import type { ChatState, StepNeeds, Store } from '../../ports/index.js';
import { A, C, W } from '../store-contract/samples.js';

/** One step in the chat of the samples, unless `needs` names others. Gives what `work` returns. */
export async function step<T>(
  store: Store,
  work: (tx: StepTransaction) => T,
  needs: Partial<StepNeeds> = {},
  worldId = W,
): Promise<T> {
  return (await stepWithEvents(store, work, needs, worldId)).value;
}

export function stepWithEvents<T>(
  store: Store,
  work: (tx: StepTransaction) => T,
  needs: Partial<StepNeeds> = {},
  worldId = W,
): ReturnType<typeof store.step<T>> {
  const all: StepNeeds = { chats: [C], ...needs };
  return store.step(worldId, all, (reads) => {
    const tx = new StepTransaction(worldId, all, reads);
    const value = work(tx);
    return { value, writes: tx.writes() };
  });
}

/** The state of a chat as the next step is given it. A copy: the step's own may change. */
export async function stateOf(store: Store, chatId = C): Promise<ChatState | undefined> {
  const needs = { chats: [chatId] };
  const { value } = await store.step(W, needs, (reads) => {
    const state = reads.chat(chatId);
    const value = state === undefined ? undefined : structuredClone(state);
    return { value, writes: { facts: [], emissions: [], records: [], wakes: [] } };
  });
  return value;
}

/** A call of the samples' tool, as grants and unknown outcomes are looked up. */
export function callKeys(argumentsText = '{"command":"ls"}', keys: [string, string] = ['', ''], chatId = C) {
  return { chatId, agentId: A, toolName: 'shell_cmd', argumentsText, keys } as const;
}
