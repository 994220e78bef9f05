import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  listMessages,
  publishMessage,
  decideCall,
} from '@countersign/core';
import { scripted } from '@countersign/core/testing';
import { readWho } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { first, recorder } from '../testing/obedient.js';
import { createTestEngine, person } from '../testing/test-engine.js';

const ada = { kind: 'person', id: 'p1', name: 'Ada Lovelace' } as const;

it('[LOG1.4] a turn knows whose message led to it, even through other agents, and models don’t', async () => {
  const model = scripted(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return 'done';
    if (last?.content.includes('please remove it') === true) {
      return { calls: [{ name: 'remove', arguments: { path: 'a' } }] };
    }
    return '@Bob please remove it';
  });
  const engine = await createTestEngine({ providers: [model], tools: [recorder().tool] });
  const { runtime } = engine;
  const { id: worldId } = await createWorld(runtime, { name: 'Quay' }, person);
  for (const name of ['Ann', 'Bob']) {
    await addAgent(runtime, worldId, { name, provider: 'scripted', model: 'any', tools: ['*'] }, person);
  }
  const { id: chatId } = await createChat(runtime, worldId);
  await publishMessage(runtime, { worldId, chatId, content: '@Ann tidy up', speaker: 'human', who: ada });
  await engine.quiet();
  const [asked] = await runtime.store.read((reader) => reader.unfinishedTurns(chatId));
  expect(asked).toMatchObject({ agentId: 'bob' });
  expect(readWho(asked?.requester ?? '')).toEqual(ada);

  const approval = first(await listApprovals(runtime, worldId));
  const decision = { tool_call_id: approval.approvalId, decision: 'approve', callHash: approval.callHash } as const;
  await decideCall(runtime, worldId, undefined, decision, { who: ada, via: 'Chrome on Linux' });
  await engine.quiet();
  const messages = await listMessages(runtime, chatId);
  const named = messages.filter(({ who }) => who !== undefined);
  expect(named.map(({ role, who }) => [role, who])).toEqual([
    ['user', ada],
    ['tool', ada],
  ]);
  expect(JSON.parse(named[1]?.content ?? '')).toMatchObject({ decision: 'approve', via: 'Chrome on Linux' });
  expect(JSON.stringify(model.requests)).not.toMatch(/Lovelace|Chrome|"p1"/);
});
