import { setImmediate } from 'node:timers/promises';
import { CountersignError } from '@countersign/protocol';
import type { MessageRecord, ModelMessage } from '../ports/index.js';
import { titleFrom } from '../facts/title-from.js';
import { commit } from '../step/commit.js';
import type { Runtime } from '../step/runtime.js';
import { untilAborted } from '../ports/until-aborted.js';

const LOOK_AT = 8;
const ASK = 'Give this conversation a title of at most six words. Answer with the title alone.';

/**
 * Lets a model title a chat when it first becomes idle (WORLD7). If no agent has answered, the first message stays the title. Returns `failed` if the
 * model could not be asked: the caller may try again later.
 */
export async function titleChat(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  signal: AbortSignal,
): Promise<'done' | 'not-yet' | 'failed'> {
  // Yield first: the previous turn has just handled the same messages, which may be long.
  await setImmediate();
  const found = await runtime.store.read(async (reader) => {
    const chat = await reader.chat(chatId);
    if (chat === undefined || chat.titled) return 'done';
    const snapshot = await runtime.caches.snapshots.read(reader, worldId);
    const messages = await reader.messages(chatId, { after: 0, limit: LOOK_AT });
    // A notice about a failed turn has an agent too. The model that just failed would only fail again.
    const speaker = messages.findLast((message) => message.role === 'assistant')?.agentId;
    const agent = speaker === undefined || speaker === null ? undefined : snapshot?.agent(speaker);
    if (agent !== undefined) return { agent, messages };
    // Its first message stays the title.
    return messages.some(({ role }) => role === 'user') ? { title: undefined } : undefined;
  });
  if (found === 'done') return 'done';
  if (found === undefined) return 'not-yet';
  const suggested = 'title' in found ? found : await suggest(runtime, found.agent.definition, found.messages, signal);
  if (signal.aborted) return 'not-yet';
  if (suggested === undefined) return 'failed';
  const { title } = suggested;
  await commit(runtime, 'title', worldId, { chats: [chatId] }, (step) => {
    const chat = step.tx.chat(chatId);
    if (chat === undefined || chat.titled) return;
    step.tx.write({ kind: 'chat-titled', chatId, title });
  }).catch((error: unknown) => {
    // The world was deleted while its chat was being titled.
    if (!(error instanceof CountersignError) || error.code !== 'not-found') throw error;
  });
  return 'done';
}

async function suggest(
  runtime: Runtime,
  agent: { provider: string; model: string },
  messages: readonly MessageRecord[],
  signal: AbortSignal,
): Promise<{ title: string | undefined } | undefined> {
  const provider = runtime.providers.get(agent.provider);
  if (provider === undefined) return undefined;
  try {
    const response = await untilAborted(
      () =>
        provider.generate({
          purpose: 'title',
          model: agent.model,
          messages: [{ role: 'system', content: ASK }, ...messages.flatMap(spoken), { role: 'user', content: ASK }],
          tools: [],
          stream: false,
          onChunk: () => undefined,
          signal,
        }),
      signal,
    );
    return { title: titleFrom(response.content) };
  } catch {
    // Nobody waits for a title, so any failure keeps the first message for now (WORLD7).
    return undefined;
  }
}

function spoken(message: MessageRecord): ModelMessage[] {
  if (message.content === '' || (message.role !== 'user' && message.role !== 'assistant')) return [];
  return [{ role: message.role, content: message.content.slice(0, 2000) }];
}
