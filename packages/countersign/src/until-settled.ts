import type { Engine, EventListener } from '@countersign/core';
import { onAbort } from '@countersign/core/ports';
import { CountersignError, type ChatStatus } from '@countersign/protocol';

/** Resolves when nothing runs in a chat; it may wait for people. Rejects if the world is closed before that. */
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
    // No event follows closing, so without this the caller would wait forever.
    const onClosing = (): void =>
      reject(new CountersignError('closed', 'the world was closed before this chat had settled'));
    const endWaiting = onAbort(closing, onClosing);
    end = () => {
      endListening();
      endWaiting();
    };
  });
  // Prevents an unhandled rejection if nobody awaits it.
  heard.catch(() => undefined);
  try {
    // Subscribe first, then read the status, or a change in between would be missed.
    const now = await chat.status();
    return now === 'working' ? await heard : now;
  } finally {
    end();
  }
}
