import type { Engine, EventListener } from '@countersign/core';
import { onAbort } from '@countersign/core/ports';
import { CountersignError, type ChatStatus } from '@countersign/protocol';
import type { Approver } from './approver.js';

type Settled = Exclude<ChatStatus, 'working'>;

interface WatchedChat {
  worldId: string;
  id: string;
  status: () => Promise<ChatStatus>;
}

/** Resolves when nothing runs in a chat, including `approve`; it may be waiting for people. Rejects if the world is closed before that. */
export async function untilSettled(
  engine: Engine,
  chat: WatchedChat,
  approver: Approver | undefined,
): Promise<Settled> {
  for (;;) {
    const settled = await untilNothingRuns(engine, chat);
    const busy = approver?.busy(chat.id);
    if (busy === undefined) return settled;
    await busy;
  }
}

/** Resolves when nothing runs in this process, including `approve`. */
export async function untilQuiet(engine: Engine, approver: Approver | undefined): Promise<void> {
  do {
    await engine.quiet();
    await approver?.busy();
  } while (approver?.busy() !== undefined);
  await engine.quiet();
}

async function untilNothingRuns({ runtime, closing }: Engine, chat: WatchedChat): Promise<Settled> {
  let end = (): void => undefined;
  const heard = new Promise<Settled>((resolve, reject) => {
    const onWorld: EventListener = (event) => {
      if (event.event !== 'world' || event.chatId !== chat.id) return;
      if (event.data.type === 'idle' || event.data.type === 'waiting') resolve(event.data.type);
    };
    const endListening = runtime.bus.subscribe(chat.worldId, onWorld, 'world');
    // No event follows once the world is closed, so without this the caller would wait forever.
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
    // Subscribe before reading the status: otherwise, a change in between would be missed.
    const now = await chat.status();
    return now === 'working' ? await heard : now;
  } finally {
    end();
  }
}
