import { homedir } from 'node:os';
import {
  addAgent,
  createChat,
  createRuntime,
  createWorld,
  listApprovals,
  publishMessage,
  decideCall,
} from '@countersign/core';
import type { Emission, Store } from '@countersign/core/ports';
import { openSqlite } from '@countersign/storage';
import { systemClock } from 'countersign';
import { AGENT, benchProvider, benchTools } from './ours.js';
import { QUESTIONS, type Case } from './script.js';

/** One step of a turn and what it wrote: facts, events and audit records. */
export interface TracedTransaction {
  step: string;
  writes: readonly string[];
}

const SIGNER = { who: { kind: 'person', id: 'human', name: 'human' }, via: 'bench' } as const;

/** A turn's writes; with gated tools, from the pause onward. Steps that wrote nothing are omitted. */
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
    findPlace: () => ({ workingDirectory: process.cwd(), home: homedir() }),
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
  // The first turn generates the chat's title, which isn't part of a turn.
  await send(QUESTIONS.text);
  log.length = 0;
  await send(QUESTIONS[turn]);
  if (turn === 'three gated tools') {
    log.length = 0;
    for (const { approvalId } of await listApprovals(runtime, world.id, { status: 'pending' })) {
      await decideCall(runtime, world.id, undefined, { tool_call_id: approvalId, decision: 'approve' }, SIGNER);
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
    async step(worldId, needs, decide, onCommit) {
      let writes: string[] = [];
      const watch: typeof decide = (reads) => {
        const decided = decide(reads);
        const { changes, emissions, records } = decided.writes;
        writes = [...changes.map(({ kind }) => kind), ...emissions.map(nameOf), ...records.map(() => 'record')];
        return decided;
      };
      return await store.step(worldId, needs, watch, (events) => {
        onCommit?.(events);
        // The probe has already reported which step this was.
        note(writes);
      });
    },
  };
}

function nameOf(emission: Emission): string {
  const { event } = emission;
  return `emit ${event === 'tool' || event === 'world' ? emission.data.type : event}`;
}

function fail(error: unknown): never {
  throw error instanceof Error ? error : new Error(String(error));
}
