import type { ChatState, StepNeeds, Store } from '../../ports/index.js';
import { A, C, step, stepWithEvents, W } from '../store-contract/samples.js';

export { step, stepWithEvents };

/** The state of a chat as the next step sees it. A copy, because the step may change its own. */
export async function stateOf(
  store: Store,
  chatId = C,
  how: Pick<StepNeeds, 'isReadOnly' | 'recent'> = {},
): Promise<ChatState | undefined> {
  const needs = { ...how, chats: [chatId] };
  const { value } = await store.step(W, needs, (reads) => {
    const state = reads.chat(chatId);
    const value = state === undefined ? undefined : structuredClone(state);
    return { value, writes: { changes: [], emissions: [], records: [], wakes: [] } };
  });
  return value;
}

/** The lookup keys for a call to the sample tool. */
export function callKeys(argumentsText = '{"command":"ls"}', keys: [string, string] = ['', ''], chatId = C) {
  return { chatId, agentId: A, toolName: 'shell_cmd', argumentsText, keys } as const;
}
