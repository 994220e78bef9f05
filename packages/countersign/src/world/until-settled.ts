import { turnFailure, type Engine, type EventListener } from '@countersign/core';
import { onAbort } from '@countersign/core/ports';
import { CountersignError, type ChatStatus } from '@countersign/protocol';
import type { Approver } from '../approver.js';

/** How a chat settled. */
export type Settled = 'idle' | 'waiting' | 'failed';

interface WatchedChat {
  worldId: string;
  id: string;
  find: () => Promise<{ status: ChatStatus; lastSeq: number; humanSeq: number }>;
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
  /** Whether a turn may have ended without an answer. Otherwise, the messages needn't be read. */
  let mayHaveFailed = false;
  const heard = new Promise<'idle' | 'waiting'>((resolve, reject) => {
    const onWorld: EventListener = (event) => {
      if (event.event !== 'world' || event.chatId !== chat.id) return;
      if (event.data.type === 'turn-ended') mayHaveFailed = true;
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
    const { status: now, lastSeq, humanSeq } = await chat.find();
    mayHaveFailed ||= lastSeq > humanSeq;
    const settled = now === 'working' ? await heard : now;
    if (settled === 'waiting' || !mayHaveFailed) return settled;
    return (await turnFailure(runtime, chat.id)) === undefined ? 'idle' : 'failed';
  } finally {
    end();
  }
}
