import type { ToolEvent } from '@countersign/protocol';
import type { MessageRecord, StoreReader } from '../../ports/index.js';
import { readAllMessages } from '../read-all-messages.js';

const PAGE = 500;

/** Everything that is true of a world, read once: what its index rows are made from. */
export interface Truth {
  /** Of all chats; within a chat in order. */
  messages: readonly MessageRecord[];
  /** Results and decisions, by the id they answer. */
  answers: ReadonlyMap<string, MessageRecord>;
  /** Lifecycle events of a call, in order, with their time. */
  lifecycles: ReadonlyMap<string, readonly { type: ToolEvent['type']; at: number }[]>;
  recordedEnds: ReadonlyMap<string, { outcome: string; at: number }>;
  /** When each revoked grant was revoked. */
  revoked: ReadonlyMap<string, number>;
}

export async function readTruth(reader: StoreReader, worldId: string): Promise<Truth> {
  const messages: MessageRecord[] = [];
  for (const chat of await reader.chats(worldId)) {
    for await (const message of readAllMessages(reader, chat.id)) messages.push(message);
  }
  const answers = new Map<string, MessageRecord>();
  for (const message of messages) if (message.toolCallId !== null) answers.set(message.toolCallId, message);
  return { messages, answers, ...(await readEvents(reader, worldId)) };
}

async function readEvents(
  reader: StoreReader,
  worldId: string,
): Promise<Pick<Truth, 'lifecycles' | 'recordedEnds' | 'revoked'>> {
  const lifecycles = new Map<string, { type: ToolEvent['type']; at: number }[]>();
  const recordedEnds = new Map<string, { outcome: string; at: number }>();
  const revoked = new Map<string, number>();
  for (let after = 0; ;) {
    const page = await reader.events(worldId, { after, limit: PAGE });
    for (const event of page) {
      if (event.event === 'tool') {
        const life = lifecycles.get(event.data.invocation_id) ?? [];
        life.push({ type: event.data.type, at: event.at });
        lifecycles.set(event.data.invocation_id, life);
      } else if (event.event === 'world' && event.data.type === 'turn-ended' && event.data.turnId !== undefined) {
        recordedEnds.set(event.data.turnId, { outcome: event.data.outcome ?? 'stopped', at: event.at });
      } else if (event.event === 'crud' && event.data.entity === 'grant' && event.data.operation === 'delete') {
        revoked.set(event.data.id, event.at);
      }
    }
    const last = page.at(-1);
    if (last === undefined) return { lifecycles, recordedEnds, revoked };
    after = last.id;
  }
}
