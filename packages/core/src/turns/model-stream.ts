import type { SSEEvent } from '@countersign/protocol';
import type { TurnRecord } from '../ports/index.js';
import { createChunkMasker, type ChunkMasker } from '../masking/index.js';
import type { Runtime } from '../step/runtime.js';
import { textOf } from '../ports/words-of.js';

/** Maximum number of attempts per model call (P4). */
export const TRIES = 3;

export interface ModelStream {
  /** Receives the chunks of this attempt until it ends or another one starts. */
  start(attempt: number): (text: string) => void;
  end(last: { type: 'end'; usage: SSEEvent['usage'] } | { type: 'error'; content: string }): void;
}

/** Publishes chunks without storing them (S6). Holds secrets back until they can be masked completely. */
export function streamTo(
  runtime: Runtime,
  turn: TurnRecord,
  messageId: string,
  agentName: string,
  streams: boolean,
): ModelStream {
  let attempt = 0;
  let offset = 0;
  /** Created lazily: many answers have no chunks. */
  let masker: ChunkMasker | undefined;
  let current = {};
  const send = (event: Omit<SSEEvent, 'messageId' | 'agentName' | 'agentId' | 'attempt'>): void => {
    runtime.bus.publishUnstored(turn.worldId, turn.chatId, {
      event: 'sse',
      data: { ...event, messageId, agentName, agentId: turn.agentId, attempt },
    });
  };
  const sendText = (content: string): void => {
    if (content === '') return;
    send({ type: 'chunk', content, offset });
    offset += content.length;
  };
  return {
    start(number) {
      attempt = turn.interruptions * TRIES + number;
      offset = 0;
      const own = (current = {});
      masker = undefined;
      send({ type: 'start' });
      // A provider may send chunks after it failed or answered. Drop them, or they would mix with the next attempt.
      return (text) => {
        if (!streams || current !== own) return;
        masker ??= createChunkMasker({ form: 'chat' });
        sendText(masker.push(textOf(text)));
      };
    },
    end(last) {
      const rest = masker?.end() ?? '';
      masker = undefined;
      current = {};
      sendText(rest);
      send(last.type === 'end' ? { type: 'end', ...(last.usage === undefined ? {} : { usage: last.usage }) } : last);
    },
  };
}
