import { z } from 'zod';
import { ClientError, isTransient } from './http/client-error.js';
import type { Client } from './http/client.js';
import { backOff, pause } from './clock.js';
import { newClientMessageId } from './http/create-client.js';
import type { TranscriptMessage } from './state/state.js';
import { browserWakes } from './wakes.js';

const outgoingSchema = z.object({
  clientMessageId: z.string(),
  worldId: z.string(),
  /** Absent until the chat for this message has been created. */
  chatId: z.string().optional(),
  beginsChat: z.boolean(),
  content: z.string(),
  /** Stored in the chat already. */
  attachments: z.array(z.object({ id: z.string(), name: z.string() })).exactOptional(),
});

/** Progress of a message. `sent`: the server has it, and the stream will deliver it. */
type Progress =
  | { readonly kind: 'sending' }
  | { readonly kind: 'retrying'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'sent'; readonly messageId: string };

/** A message, from sending until it appears in the transcript. */
export type Outgoing = Readonly<z.infer<typeof outgoingSchema>> & { readonly progress: Progress };

export interface Outbox {
  readonly getState: () => readonly Outgoing[];
  readonly subscribe: (listener: () => void) => () => void;
  /** If `chatId` is absent, the message starts a chat. Returns its `clientMessageId`. */
  readonly send: (
    message: Pick<Outgoing, 'worldId' | 'content'> & Partial<Pick<Outgoing, 'chatId' | 'attachments'>>,
  ) => string;
  /** Sends a rejected message again, with the same id. */
  readonly retry: (clientMessageId: string) => void;
  /** Removes messages that appear in the transcript, or one that a person takes back to edit. */
  readonly remove: (clientMessageIds: readonly string[]) => void;
  /** Retries waiting messages immediately. */
  readonly retryNow: () => void;
}

export interface OutboxOptions {
  client: Client;
  /** The state saved before a page reload, and a function that saves unsent messages. */
  saved?: string | undefined;
  save?: (text: string) => void;
}

/**
 * Delivers messages in order, one at a time per chat, and retries until the server responds. All attempts use the same `clientMessageId`, so a
 * message is stored once (HTTP2).
 */
export function createOutbox({ client, saved, save }: OutboxOptions): Outbox {
  const listeners = new Set<() => void>();
  const sleepers = new Set<() => void>();
  const delivering = new Set<string>();
  let all: readonly Outgoing[] = readSaved(saved);

  function set(next: readonly Outgoing[]): void {
    all = next;
    save?.(JSON.stringify(all.filter(({ progress }) => progress.kind !== 'sent')));
    for (const listener of [...listeners]) listener();
  }
  const find = (id: string): Outgoing | undefined => all.find(({ clientMessageId }) => clientMessageId === id);
  function change(id: string, changes: Partial<Outgoing>): void {
    set(all.map((each) => (each.clientMessageId === id ? { ...each, ...changes } : each)));
  }

  /** One delivery at a time per lane, so that messages stay in order. */
  async function deliver(lane: string): Promise<void> {
    if (delivering.has(lane)) return;
    delivering.add(lane);
    try {
      for (;;) {
        const next = all.find((each) => laneOf(each) === lane && isWaiting(each));
        if (next === undefined) return;
        await deliverOne(next.clientMessageId);
      }
    } finally {
      delivering.delete(lane);
    }
  }

  async function deliverOne(id: string): Promise<void> {
    for (let failures = 0; ; failures += 1) {
      // The person may have removed it in the meantime.
      const message = find(id);
      if (message === undefined) return;
      try {
        const { worldId, content, attachments } = message;
        const chatId = message.chatId ?? (await client.createChat(worldId)).id;
        if (message.chatId === undefined) change(id, { chatId });
        const { messageId } = await client.send(worldId, chatId, {
          content,
          clientMessageId: id,
          ...(attachments && { attachments }),
        });
        change(id, { progress: { kind: 'sent', messageId } });
        return;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const isSignedOut = error instanceof ClientError && error.status === 401;
        if (!isSignedOut && !(error instanceof ClientError && isTransient(error))) {
          change(id, { progress: { kind: 'refused', why }, ...(await withoutEmptyChat(client, find(id))) });
          return;
        }
        change(id, { progress: { kind: 'retrying', why } });
        const wait = Math.max(backOff(failures, client.random), error.retryAfterMs ?? 0);
        // While signed out, each attempt would count as a failed login, so wait for sign-in.
        await pause(client.clock, isSignedOut ? LONGEST_TIMER_MS : wait, undefined, wakes);
      }
    }
  }

  function wakes(wake: () => void): () => void {
    sleepers.add(wake);
    const stop = browserWakes(wake);
    return () => {
      sleepers.delete(wake);
      stop();
    };
  }

  for (const lane of new Set(all.map(laneOf))) void deliver(lane);

  return {
    getState: () => all,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send({ worldId, chatId, content, attachments }) {
      const message: Outgoing = {
        clientMessageId: newClientMessageId(),
        worldId,
        ...(chatId === undefined ? {} : { chatId }),
        beginsChat: chatId === undefined,
        content,
        ...(attachments && { attachments }),
        progress: { kind: 'sending' },
      };
      set([...all, message]);
      void deliver(laneOf(message));
      return message.clientMessageId;
    },
    retry(id) {
      const message = find(id);
      if (message?.progress.kind !== 'refused') return;
      change(id, { progress: { kind: 'sending' } });
      void deliver(laneOf(message));
    },
    remove(ids) {
      if (all.some(({ clientMessageId }) => ids.includes(clientMessageId)))
        set(all.filter(({ clientMessageId }) => !ids.includes(clientMessageId)));
    },
    retryNow() {
      for (const wake of [...sleepers]) wake();
    },
  };
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

function laneOf({ worldId, chatId, beginsChat }: Outgoing): string {
  return beginsChat ? `new ${worldId}` : (chatId ?? '');
}

/** Whether the server may not have the message yet. */
export function isWaiting({ progress }: Outgoing): boolean {
  return progress.kind === 'sending' || progress.kind === 'retrying';
}

/** Deletes the chat that was created for a rejected message, because an empty one would stay in the list. The next attempt creates another. */
async function withoutEmptyChat(client: Client, message: Outgoing | undefined): Promise<{ chatId?: undefined }> {
  if (message?.beginsChat !== true || message.chatId === undefined) return {};
  const { worldId, chatId } = message;
  try {
    // Someone else may have written in it.
    if ((await client.messages(worldId, chatId, { limit: 1 })).items.length > 0) return {};
    await client.deleteChat(worldId, chatId);
  } catch (error) {
    if (!(error instanceof ClientError && error.status === 404)) return {};
  }
  return { chatId: undefined };
}

function readSaved(saved: string | undefined): readonly Outgoing[] {
  try {
    const parsed = z.array(outgoingSchema).safeParse(JSON.parse(saved ?? '[]'));
    return (parsed.data ?? []).map((message) => ({ ...message, progress: { kind: 'sending' } }));
  } catch {
    return [];
  }
}

/** The messages that the transcript does not show yet. The stream may deliver a message before the response to its request arrives. */
export function notYetShown(outgoing: readonly Outgoing[], lines: readonly TranscriptMessage[]): readonly Outgoing[] {
  const shown = new Set(lines.map(({ clientMessageId }) => clientMessageId));
  return outgoing.filter(({ clientMessageId }) => !shown.has(clientMessageId));
}
