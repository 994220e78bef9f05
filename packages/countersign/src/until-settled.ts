import type { Engine, EventListener } from '@countersign/core';
import { onAbort } from '@countersign/core/ports';
import { CountersignError, type ChatStatus } from '@countersign/protocol';

/** Resolves when nothing is going on in a chat but, maybe, people being waited for. Rejects when the world is closed before that. */
export async function untilSettled(
  { runtime, closing }: Engine,
  chat: { worldId: string; id: string; status: () => Promise<ChatStatus> },
): Promise<Exclude<ChatStatus, 'working'>> {
  let end = (): void => undefined;
  const heard = new Promise<Exclude<ChatStatus, 'working'>>((resolve, reject) => {
    const onWorld: EventListener = (event) => {
      if (event.event !== 'world' || event.chatId !== chat.id) return;
      if (event.data.type === 'idle' || event.data.type === 'waiting') resolve(event.data.type);
    };
    const endListening = runtime.bus.subscribe(chat.worldId, onWorld, 'world');
    // Nothing is heard after it: without this, who waits would wait for ever.
    const onClosing = (): void =>
      reject(new CountersignError('closed', 'the world was closed before this chat had settled'));
    const endWaiting = onAbort(closing, onClosing);
    end = () => {
      endListening();
      endWaiting();
    };
  });
  // It may fail while nobody waits for it yet, or any more.
  heard.catch(() => undefined);
  try {
    // Listening first, then looking: the other way round a change in between would be missed.
    const now = await chat.status();
    return now === 'working' ? await heard : now;
  } finally {
    end();
  }
}
