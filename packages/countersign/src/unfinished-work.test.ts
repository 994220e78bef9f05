import { setImmediate } from 'node:timers/promises';
import { addAgent, createChat, createRuntime, createWorld, publishMessage, type Engine } from '@countersign/core';
import type { GenerateRequest, LLMResponse, Store } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulatedProcess, type SimulatedProcess } from './testing/simulated-process.js';
import { person } from './testing/test-engine.js';

const clock = createFakeClock();
let store: Store;
let simulated: SimulatedProcess;
let engine: Engine;
let asked: { words: string; answer: () => void }[] = [];
let worldId = '';
let chats = { here: '', elsewhere: '' };

beforeEach(async () => {
  store = await openSqlite(':memory:', { clock });
  begin();
  ({ id: worldId } = await createWorld(engine.runtime, { name: 'left', streaming: false }, person));
  await addAgent(engine.runtime, worldId, { name: 'Ada', provider: 'lab', model: 'm', tools: [] }, person);
  const chat = async (title: string): Promise<string> => (await createChat(engine.runtime, worldId, title)).id;
  chats = { here: await chat('here'), elsewhere: await chat('elsewhere') };
});
afterEach(async () => {
  simulated.die();
  await store.close();
});

/** The next process on the store, after the previous one has died. */
function begin(): void {
  asked = [];
  simulated = createSimulatedProcess(store, clock, () => undefined);
  const generate = ({ messages }: GenerateRequest): Promise<LLMResponse> =>
    new Promise((resolve) => {
      const answer = (): void => resolve({ type: 'text', content: 'Aye.', usage: { inputTokens: 1, outputTokens: 1 } });
      asked.push({ words: messages.at(-1)?.content ?? '', answer });
    });
  engine = createRuntime({
    store: simulated.store,
    clock: simulated.clock,
    probe: simulated.probe,
    providers: [{ name: 'lab', generate }],
    findPlace: () => ({ workingDirectory: '/', home: '/root' }),
    onError: () => undefined,
    onListenerFailure: () => undefined,
  });
}

async function crash(unfinished: 'resume' | 'leave'): Promise<void> {
  await settle();
  simulated.die();
  begin();
  await engine.start(unfinished);
  await settle();
}

async function say(chat: keyof typeof chats, content: string): Promise<void> {
  await publishMessage(engine.runtime, { worldId, chatId: chats[chat], speaker: 'human', content });
  await settle();
}

/** A step is committed in the next event loop iteration, and some steps cause further ones. */
async function settle(): Promise<void> {
  for (let round = 0; round < 40; round += 1) await setImmediate();
}

const words = (): string[] => asked.map((one) => one.words);

describe('a short-lived command that acts in one chat', () => {
  it('[TERM4.2] [STORE3] neither ends the culprit in another chat nor starts the turns that wait for it', async () => {
    await say('elsewhere', 'first elsewhere');
    await crash('resume');
    await say('elsewhere', 'second elsewhere');
    await say('here', 'first here');
    await crash('leave');
    await say('here', 'second here');
    expect(words()).toEqual([expect.stringContaining('first here')]);
    const left = await store.read((reader) => reader.unfinishedTurns(chats.elsewhere));
    expect(left.map(({ state, owner, interruptions }) => [state, owner, interruptions])).toEqual([
      ['open', null, 2],
      ['queued', null, 0],
    ]);
  });

  it('[TERM4.2] [STORE3] continues each chat that it acts in, even though only one interrupted turn runs at a time', async () => {
    await say('here', 'first here');
    await say('elsewhere', 'first elsewhere');
    await crash('resume');
    await crash('leave');
    await say('here', 'second here');
    await say('elsewhere', 'second elsewhere');
    expect(words()).toEqual([expect.stringContaining('first here')]);
    asked[0]?.answer();
    await settle();
    expect(words().some((one) => one.includes('first elsewhere'))).toBe(true);
  });
});
