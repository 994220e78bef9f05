import {
  createWorld,
  addAgent,
  createChat,
  listApprovals,
  publishMessage,
  publishToolResult,
  rebuildIndexes,
  revokeGrant,
  setPolicy,
  stopChat,
} from '@countersign/core';
import type { Engine } from '@countersign/core';
import { defineTool, ToolFailure, type StoreReader } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestEngine, person } from './testing/test-engine.js';

async function openEngine(ran: string[]): Promise<Engine> {
  const write = defineTool({
    name: 'write',
    description: 'writes',
    parameters: z.object({ path: z.string(), token: z.string().optional() }),
    approval: { required: true },
    execute: ({ path }) => {
      ran.push(path);
      if (path === 'lost') throw new ToolFailure('the line went dead', undefined, { outcomeUnknown: true });
      if (path === 'bluff') throw new Error('outcome unknown');
      return 'written';
    },
  });
  const look = defineTool({
    name: 'look',
    description: 'looks',
    parameters: z.object({}),
    readOnly: true,
    execute: () => 'seen',
  });
  return createTestEngine({
    providers: [
      scripted(({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'user' && last.content.startsWith('write')) {
          const calls = last.content
            .split(' ')
            .slice(1)
            .map((path) => ({ name: 'write', arguments: { path, token: 'sk-live-1234567890abcdef' } }));
          return { calls: [...calls, { name: 'look' }], usage: { inputTokens: 3, outputTokens: 2 } };
        }
        return last?.role === 'user' && last.content === 'pass' ? '<world>PASS</world>' : 'done';
      }),
    ],
    tools: [write, look],
  });
}

/** The rows of a world without what only a process knows. */
async function rows(reader: StoreReader, worldId: string): Promise<unknown> {
  const turns = [];
  const invocations = [];
  for (const chat of await reader.chats(worldId)) {
    const ended = await reader.endedTurns(chat.id, 'mason', { after: 0, before: 1e9, limit: 100 });
    for (const turn of [...ended, ...(await reader.unfinishedTurns(chat.id))]) {
      const { epoch: _e, rev: _r, owner: _o, interruptions: _i, begunSeq: _b, ...rest } = turn;
      turns.push(rest);
      for (let iteration = 1; iteration <= turn.iteration; iteration += 1) {
        for (const call of await reader.invocations(turn.id, iteration))
          invocations.push({ ...call, startedEpoch: null });
      }
    }
  }
  return {
    turns,
    invocations,
    approvals: await reader.approvals(worldId, {}),
    grants: (await reader.grantsOfWorld(worldId)).map((grant) => ({ ...grant, lastUsedAt: 0 })),
  };
}

describe('the indexes', () => {
  it('[A9] are rebuilt from messages and events, and work goes on from them', async () => {
    const ran: string[] = [];
    const engine = await openEngine(ran);
    const { runtime } = engine;
    await engine.start();
    const world = await createWorld(runtime, { name: 'Harbour', turnLimit: 50 }, person);
    await addAgent(runtime, world.id, { name: 'Mason', provider: 'scripted', model: 'm', tools: ['*'] }, person);
    const send = async (chatId: string, content: string): Promise<void> => {
      await publishMessage(runtime, { worldId: world.id, chatId, content, speaker: 'human' });
      await engine.quiet();
    };
    const decide = async (index: number, decision: object): Promise<void> => {
      const pending = await listApprovals(runtime, world.id, { status: 'pending' });
      const approval = pending[index];
      if (approval === undefined) throw new Error('nothing to decide');
      const outcome = await publishToolResult(
        runtime,
        world.id,
        'mason',
        { tool_call_id: approval.approvalId, decision: 'approve', ...decision },
        person,
      );
      expect(outcome).toMatchObject({ kind: 'recorded' });
      await engine.quiet();
    };

    const first = await createChat(runtime, world.id);
    await send(first.id, 'hello');
    await send(first.id, 'pass');
    await send(first.id, 'write a b c d');
    await decide(0, { scope: 'session', pattern: 'path=a *' });
    await decide(0, { decision: 'deny', reason: 'not this one' });
    await decide(0, { arguments: { path: 'c2', token: 'sk-l‹masked 1: 16 characters›cdef' } });
    await send(first.id, 'hello again');
    const second = await createChat(runtime, world.id);
    await send(second.id, 'write x');
    await stopChat(runtime, world.id, second.id, person);
    await send(second.id, 'write y');
    await decide(1, { scope: 'session' });
    const [, grant] = await runtime.store.read((reader) => reader.grantsOfWorld(world.id));
    expect(await revokeGrant(runtime, world.id, grant?.id ?? '', person)).toBe(true);
    // Whether an outcome is unknown is a field, whatever a tool says.
    const third = await createChat(runtime, world.id);
    await send(third.id, 'write lost bluff');
    await decide(1, {});
    await decide(1, {});

    const before = await runtime.store.read((reader) => rows(reader, world.id));
    await rebuildIndexes(runtime, world.id);
    const after = await runtime.store.read((reader) => rows(reader, world.id));
    expect(after).toEqual(before);
    expect(ran).toEqual(['a', 'c2', 'y', 'lost', 'bluff']);

    await decide(0, {});
    expect(ran).toEqual(['a', 'c2', 'y', 'lost', 'bluff', 'd']);
    const unfinished = await runtime.store.read((reader) => reader.unfinishedTurns());
    expect(unfinished).toEqual([]);
    await engine.close();
  });

  it('[A9] [A5] a grant that answered a rule with a secret in it still answers that rule, and no other', async () => {
    const ran: string[] = [];
    const engine = await openEngine(ran);
    const { runtime } = engine;
    await engine.start();
    const rule = 'ask write(* token=sk-live-1234567890abcdef)';
    const world = await createWorld(runtime, { name: 'Harbour', turnLimit: 50, policy: [rule] }, person);
    await addAgent(runtime, world.id, { name: 'Mason', provider: 'scripted', model: 'm', tools: ['*'] }, person);
    const { id: chatId } = await createChat(runtime, world.id);
    const send = async (content: string): Promise<void> => {
      await publishMessage(runtime, { worldId: world.id, chatId, content, speaker: 'human' });
      await engine.quiet();
    };
    await send('write a');
    const [approval] = await listApprovals(runtime, world.id, { status: 'pending' });
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve', scope: 'session' } as const;
    await publishToolResult(runtime, world.id, 'mason', decision, person);
    await engine.quiet();
    const before = await runtime.store.read((reader) => rows(reader, world.id));
    await rebuildIndexes(runtime, world.id);
    expect(await runtime.store.read((reader) => rows(reader, world.id))).toEqual(before);
    await send('write b');
    expect(ran).toEqual(['a', 'b']);

    // It looks the same when it is masked.
    const other = 'ask write(* token=sk-live-*)';
    await setPolicy(runtime, world.id, [other], person);
    await rebuildIndexes(runtime, world.id);
    await send('write c');
    expect(ran).toEqual(['a', 'b']);
    const messages = await runtime.store.read((reader) => reader.messages(chatId, { after: 0, limit: 100 }));
    const asked = messages.flatMap(({ toolCalls }) => toolCalls ?? []).filter(({ id }) => id.startsWith('approval'));
    expect(JSON.stringify(asked)).not.toContain('sk-live-1234567890abcdef');
    await engine.close();
  });
});
