import { homedir } from 'node:os';
import {
  addAgent,
  createChat,
  createRuntime,
  createWorld,
  listApprovals,
  publishMessage,
  publishToolResult,
} from '@countersign/core';
import type { Emission, Store, StoreTransaction } from '@countersign/core/ports';
import { openSqlite } from '@countersign/storage';
import { systemClock } from 'countersign';
import { AGENT, benchProvider, benchTools } from './ours.js';
import { QUESTIONS, type Case } from './script.js';

/** One transaction of a turn: the step it belongs to and what it wrote, in the words of the Store port. */
export interface TracedTransaction {
  step: string;
  writes: readonly string[];
}

const SIGNER = { who: 'human', client: 'bench' };
const WRITES = /^(?:append|insert|step|fence|change|settle|set|touch|clear|emit|record|update|delete|revoke)/;

/** What a turn writes; with gated tools, from the pause on. A transaction that wrote nothing (a lost race) is left out. */
export async function traceTurn(turn: Case): Promise<TracedTransaction[]> {
  const log: TracedTransaction[] = [];
  let step = '';
  const store = await openSqlite(':memory:');
  const engine = createRuntime({
    store: traced(store, (writes) => {
      if (writes.length > 0) log.push({ step, writes });
    }),
    clock: systemClock,
    providers: [benchProvider()],
    tools: benchTools,
    findPlace: async () => ({ workingDirectory: process.cwd(), home: homedir() }),
    onListenerFailure: fail,
    onError: fail,
    probe: (moment) => {
      step = moment.replace(/^after /, '');
    },
  });
  const { runtime } = engine;
  const world = await createWorld(runtime, { name: 'bench', streaming: false }, SIGNER);
  await addAgent(runtime, world.id, AGENT, SIGNER);
  const chat = await createChat(runtime, world.id);
  const send = async (content: string): Promise<void> => {
    await publishMessage(runtime, { worldId: world.id, chatId: chat.id, content, speaker: 'human' });
    await engine.quiet();
  };
  // The first turn is followed by the chat's title, which is no part of a turn.
  await send(QUESTIONS.text);
  log.length = 0;
  await send(QUESTIONS[turn]);
  if (turn === 'three gated tools') {
    log.length = 0;
    for (const { approvalId } of await listApprovals(runtime, world.id, { status: 'pending' })) {
      await publishToolResult(runtime, world.id, undefined, { tool_call_id: approvalId, decision: 'approve' }, SIGNER);
    }
    await engine.quiet();
  }
  const found = [...log];
  await engine.close();
  return found;
}

function traced(store: Store, note: (writes: string[]) => void): Store {
  return {
    ...store,
    async transact(worldId, work) {
      const writes: string[] = [];
      const done = await store.transact(worldId, (tx) => work(listening(tx, writes)));
      // After the probe has told which step it was.
      queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => note(writes))));
      return done;
    },
  };
}

function listening(tx: StoreTransaction, writes: string[]): StoreTransaction {
  return new Proxy(tx, {
    get(target, name: keyof StoreTransaction) {
      const verb = target[name] as (...values: unknown[]) => unknown;
      if (!WRITES.test(name)) return verb;
      return (...values: unknown[]) => {
        const result = verb(...values);
        if (!(result instanceof Promise)) {
          writes.push(name === 'emit' ? `emit ${nameOf(values[0] as Emission)}` : name);
          return result;
        }
        return result.then((value: unknown) => {
          if (value !== false) writes.push(name);
          return value;
        });
      };
    },
  });
}

function nameOf(emission: Emission): string {
  return emission.event === 'tool' || emission.event === 'world' ? emission.data.type : emission.event;
}

function fail(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}
