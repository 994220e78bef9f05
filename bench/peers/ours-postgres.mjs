import { homedir } from 'node:os';
import {
  addAgent,
  createChat,
  createRuntime,
  createWorld,
  listApprovals,
  publishMessage,
  decideCall,
  systemClock,
} from '@countersign/core';
import { openPostgres } from '@countersign/storage';
import { AGENT, bookRoom, scriptedProvider } from './ours.mjs';
import { historyOf, QUESTION } from './script.mjs';

const SIGNER = { who: { kind: 'person', id: 'human', name: 'human' }, via: 'bench' };

/** This project on PostgreSQL, in one process. */
export function describe({ name, url }) {
  return { name, packageName: 'countersign', subject: (work) => open(url, work) };
}

async function open(url, { tools: count, gated, history, streaming }) {
  const engine = createRuntime({
    store: await openPostgres(url),
    clock: systemClock,
    providers: [scriptedProvider(count)],
    tools: [bookRoom(gated)],
    findPlace: () => ({ workingDirectory: process.cwd(), home: homedir() }),
    onListenerFailure: fail,
    onError: fail,
  });
  await engine.start();
  const { runtime } = engine;
  const settings = { name: `bench ${process.hrtime.bigint()}`, streaming, turnLimit: 1000 };
  const world = await createWorld(runtime, settings, SIGNER);
  await addAgent(runtime, world.id, AGENT, SIGNER);
  const heard = new Map();
  const waiting = new Map();
  runtime.bus.subscribe(world.id, ({ event, chatId, data }) => {
    if (event === 'message' && data.role === 'assistant') heard.set(chatId, data.content);
    if (event === 'world' && data.type === waiting.get(chatId)?.type) waiting.get(chatId).resolve();
  });
  const another = async () => {
    const { id: chatId } = await createChat(runtime, world.id);
    const until = (type) => new Promise((resolve) => waiting.set(chatId, { type, resolve }));
    const say = (content) => publishMessage(runtime, { worldId: world.id, chatId, content, speaker: 'human' });
    const sayAndWait = async (content, type) => {
      const end = until(type);
      await say(content);
      await end;
    };
    // The first turn generates a title, which happens once per chat.
    await sayAndWait('Hello', 'idle');
    for (const { role, content } of historyOf(history)) if (role === 'user') await sayAndWait(content, 'idle');
    await engine.quiet();
    let approvals;
    return {
      async pause() {
        heard.delete(chatId);
        if (!gated) return;
        await sayAndWait(QUESTION, 'waiting');
        approvals = await listApprovals(runtime, world.id, { status: 'pending', chatId });
      },
      async finish() {
        if (gated) {
          const end = until('idle');
          for (const { approvalId, callHash } of approvals) {
            const decision = { tool_call_id: approvalId, callHash, decision: 'approve' };
            await decideCall(runtime, world.id, undefined, decision, SIGNER);
          }
          await end;
        } else await sayAndWait(QUESTION, 'idle');
        return heard.get(chatId);
      },
    };
  };
  return { ...(await another()), another, close: () => engine.close() };
}

function fail(error) {
  throw error;
}
