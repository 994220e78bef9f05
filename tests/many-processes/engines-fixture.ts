import {
  addAgent,
  createChat,
  createRuntime,
  createWorld,
  listApprovals,
  publishMessage,
  type Engine,
} from '@countersign/core';
import { defineTool, type Provider, type Store, type Tool } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import type { WorldEvent } from '@countersign/protocol';
import { openPostgres } from '@countersign/storage';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export const signer = { who: { kind: 'person', id: 'ann', name: 'ann' }, via: 'test' } as const;

/** Counts runs outside of the engines, across all processes. */
export function countingTool(runs: Map<string, number>, during?: (key: string) => Promise<void>): Tool {
  return defineTool({
    name: 'stamp',
    description: 'Stamps a letter.',
    parameters: z.object({ key: z.string() }),
    approval: { required: true },
    async execute({ key }) {
      runs.set(key, (runs.get(key) ?? 0) + 1);
      await during?.(key);
      return `stamped ${key}`;
    },
  });
}

/** Requests one stamp named after the question, then says that it is done. */
export function stampingModel(): Provider {
  return scripted((request) => {
    const last = request.messages.at(-1);
    if (last?.role === 'tool') return 'Done.';
    return { say: 'One stamp.', calls: [{ name: 'stamp', arguments: { key: String(last?.content).slice(-8) } }] };
  });
}

/** One process's engine on a shared database. */
export async function openEngine(
  url: string,
  tools: readonly Tool[],
  provider = stampingModel(),
  change: (store: Store) => Store = (store) => store,
  probe?: (moment: string) => void,
): Promise<Engine> {
  // Fewer connections than in production: opening one takes longer than most tests use it.
  const store = change(await openPostgres(url, { maxConnections: 4 }));
  const engine = createRuntime({
    store,
    clock: {
      now: () => Date.now(),
      after(ms, fire) {
        const timer = setTimeout(fire, ms);
        return () => clearTimeout(timer);
      },
    },
    providers: [provider],
    tools,
    findPlace: () => ({ workingDirectory: '/', home: '/' }),
    onListenerFailure: (error) => {
      throw error;
    },
    onError: () => undefined,
    ...(probe === undefined ? {} : { probe }),
  });
  onTestFinished(() => engine.close());
  await engine.start();
  return engine;
}

export async function say(engine: Engine, worldId: string, chatId: string, content: string): Promise<void> {
  await publishMessage(engine.runtime, { worldId, chatId, content, speaker: 'human' });
}

/** Resolves with the first matching event. */
export function nextEvent(engine: Engine, worldId: string, fits: (event: WorldEvent) => boolean): Promise<WorldEvent> {
  return new Promise((resolve) => {
    const end = engine.runtime.bus.subscribe(worldId, (event) => {
      if (!fits(event)) return;
      end();
      resolve(event);
    });
  });
}

export interface Scene {
  worldId: string;
  chatId: string;
}

/** A world with one agent and a chat. */
export async function prepare(engine: Engine): Promise<Scene> {
  const { id: worldId } = await createWorld(engine.runtime, { name: 'Post office' }, signer);
  await addAgent(engine.runtime, worldId, { name: 'Clerk', provider: 'scripted', model: 'm', tools: ['*'] }, signer);
  const { id: chatId } = await createChat(engine.runtime, worldId);
  return { worldId, chatId };
}

export function isStatus(status: 'idle' | 'waiting') {
  return (event: WorldEvent): boolean => event.event === 'world' && event.data.type === status;
}

/** Sends a letter to one engine, waits until its stamp needs approval at another, and returns the approval. */
export async function approvalFor(letter: string, { worldId, chatId }: Scene, saidTo: Engine, waitsAt: Engine) {
  const waiting = nextEvent(waitsAt, worldId, isStatus('waiting'));
  await say(saidTo, worldId, chatId, letter);
  await waiting;
  const [approval] = await listApprovals(waitsAt.runtime, worldId, { status: 'pending' });
  return { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
}
