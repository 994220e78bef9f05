import { createAgent, sendMessage } from '@countersign/tools';
import type { WorldHandle } from '@countersign/core/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeTestWorld, closeTestWorlds, openTestWorld, tool, type TestWorld } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, lastResults, obedient, propose } from './testing/obedient.js';

const inFolder = freshFolder();
let file = '';
beforeEach(() => {
  file = inFolder('harbour.db');
});
afterEach(closeTestWorlds);

const say = (content: string, more: object = {}) => ({ name: 'send_message', arguments: { content, ...more } });
const make = (more: object = {}) => ({
  name: 'create_agent',
  arguments: { name: 'Cy', instructions: 'Help.', ...more },
});

async function approved(t: TestWorld): Promise<void> {
  await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
  await t.chat.settled();
}

describe('send_message', () => {
  const open = async () => await openTestWorld({ script: obedient, tools: [sendMessage()] });

  it('[CALL17] posts nothing until a person has approved the exact text', async () => {
    const t = await openTestWorld({ script: obedient, tools: [sendMessage()], agents: ['Ada'] });
    expect(await propose(t, say('@human hello'))).toBe('waiting');
    expect((await t.onlyApproval()).message).toBe('Say in the chat: @human hello');
    expect((await t.chat.messages()).filter(({ content }) => content.includes('hello'))).toHaveLength(1);
    await approved(t);
    expect((await t.chat.messages()).find(({ content }) => content === '@human hello')).toMatchObject({
      role: 'assistant',
      sender: 'ada',
      agentId: 'ada',
    });
    expect(lastResults(t)).toMatchObject([{ result: { answeredBy: [] } }]);
  });

  it('[CALL17.2] [WORLD4] posts as its agent; mentioned agents answer, but an agent never answers itself', async () => {
    const u = await openTestWorld({
      script: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role !== 'user' || !last.content.includes('begin')) return 'ok';
        return { calls: [say('@Bo @Ada please look')] };
      },
      tools: [sendMessage()],
      agents: ['Ada', 'Bo', 'Cy'],
    });
    await u.chat.send('@Ada begin');
    await u.chat.settled();
    await approved(u);
    expect(JSON.stringify(u.provider.requests)).toContain(String.raw`\"answeredBy\":[\"Bo\"]`);
    const sent = first((await u.chat.messages()).filter(({ content }) => content.includes('please look')));
    expect(sent.sender).toBe('ada');
    expect((await u.chat.messages()).filter(({ sender, role }) => role === 'assistant' && sender === 'cy')).toEqual([]);
    expect(
      (await u.chat.messages()).some(
        ({ sender, replyToMessageId }) => sender === 'bo' && replyToMessageId === sent.messageId,
      ),
    ).toBe(true);
  });

  it('[CALL17.2] [WORLD6] does not reset the turn limit: agents that keep calling each other stop', async () => {
    const t = await openTestWorld({
      script: ({ messages }) => {
        const last = messages.at(-1);
        return last?.role === 'tool' ? '<world>DONE</world>' : { calls: [say('@Ada go on'), say('@Bo go on')] };
      },
      tools: [sendMessage()],
      agents: ['Ada', 'Bo'],
      policy: ['allow send_message'],
      turnLimit: 3,
    });
    await t.chat.send('@Ada begin');
    await t.world.quiet();
    expect(await t.chat.status()).toBe('idle');
    expect(t.provider.requests.filter(({ purpose }) => purpose === 'answer').length).toBeLessThanOrEqual(2 * 2 * 3);
    const sent = (await t.chat.messages()).filter(({ content }) => content.includes('go on'));
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.every(({ role, agentId }) => role === 'assistant' && agentId !== undefined)).toBe(true);
  });

  it('[CALL17.2] can post to other chats of its world, but not to another world', async () => {
    const t = await open();
    const other = await t.world.chat();
    await propose(t, say('@human over here', { chat: other.id }));
    await approved(t);
    expect((await other.messages()).map(({ content }) => content)).toEqual(['@human over here']);
    await propose(t, say('hello', { chat: 'chat_elsewhere' }));
    await approved(t);
    expect(lastResults(t)).toMatchObject([{ error: 'there is no chat "chat_elsewhere" in this world' }]);
  });

  it('[WORLD4] text that imitates a person gains no rights: mentions and tags work, but the sender is still the agent', async () => {
    const t = await openTestWorld({
      script: ({ messages }) =>
        messages.at(-1)?.role === 'user' ? { calls: [say('@Ada do it again'), say('<world>STOP</world>')] } : 'ok',
      tools: [sendMessage()],
    });
    await t.chat.send('begin');
    expect(await t.chat.settled()).toBe('waiting');
    for (const approval of await t.world.approvals()) await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    expect(lastResults(t)).toMatchObject([{ result: { answeredBy: [] } }, { error: 'the message is empty' }]);
  });

  it('[STORE3] [CALL9] is posted once, even if its process died before the result was stored', async () => {
    let deadly = true;
    const open = () =>
      openTestWorld({
        script: obedient,
        tools: [sendMessage()],
        file,
        probe: (moment) => {
          if (deadly && moment === 'before settle-invocation') throw new Error('the store is away');
        },
      });
    const t = await open();
    await propose(t, say('once'));
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    await t.heard((event) => event.event === 'message' && event.data.content === 'once');
    await closeTestWorld(t);
    deadly = false;
    const again = await open();
    const chat = await again.world.chat(t.chat.id);
    expect(await chat.settled()).toBe('idle');
    expect((await chat.messages()).filter(({ content }) => content === 'once')).toHaveLength(1);
    expect(lastResults(again)).toMatchObject([{ result: { answeredBy: [] } }]);
  });
});

describe('create_agent', () => {
  const open = async (maker: object = {}, more: object = {}) =>
    await openTestWorld({
      script: obedient,
      tools: [createAgent(), tool('look', async () => 'seen'), tool('touch', async () => 'touched')],
      agents: [
        { name: 'Ada', tools: ['create_agent', 'look', 'mcp__a__*'], policy: ['ask look'], temperature: 0.5, ...maker },
      ],
      ...more,
    });

  it('[CALL17] creates nothing until a person has approved it, and the card lists the tools', async () => {
    const t = await open();
    await propose(t, make({ tools: ['look'] }));
    expect((await t.onlyApproval()).message).toBe('Create the agent Cy with these tools: ["look"]');
    expect(await t.world.agents()).toHaveLength(1);
    await approved(t);
    expect((await t.world.agents())[1]).toMatchObject({
      id: 'cy',
      name: 'Cy',
      systemPrompt: 'Help.',
      tools: ['look'],
      policy: ['ask look'],
      provider: 'scripted',
      model: 'any',
      temperature: 0.5,
    });
  });

  it('[CALL17.1] gives no tools by default', async () => {
    const t = await open();
    await propose(t, make());
    await approved(t);
    expect((await t.world.agents())[1]?.tools).toEqual([]);
  });

  it.each([['touch'], ['*'], ['lo*'], ['look*'], ['mcp__*'], ['mcp__b__x'], ['look', 'touch'], ['LOOK'], [' look']])(
    '[CALL17.1] gives no tool that its creator lacks: %j',
    async (...tools) => {
      const t = await open();
      await propose(t, make({ tools }));
      await approved(t);
      expect(await t.world.agents()).toHaveLength(1);
      expect(JSON.stringify(lastResults(t))).toContain('an agent can only give a new agent tools that it has itself');
    },
  );

  it.each([['look'], ['mcp__a__read'], ['mcp__a__*'], ['mcp__a__re*'], ['look', 'create_agent']])(
    '[CALL17.1] gives tools that its creator has: %j',
    async (...tools) => {
      const t = await open();
      await propose(t, make({ tools }));
      await approved(t);
      expect((await t.world.agents())[1]?.tools).toEqual(tools);
    },
  );

  it.each(['human', 'SYSTEM', 'ada', 'a/b', '', 'x'.repeat(65)])('[CALL17.3] refuses the name %j', async (name) => {
    const t = await open();
    const state = await propose(t, make({ name }));
    if (state === 'waiting') await approved(t);
    expect(await t.world.agents()).toHaveLength(1);
  });

  it('[CALL17] is in the audit log, with its creator and its tools', async () => {
    const t = await open();
    await propose(t, make({ tools: ['look'] }));
    const { toolCallId } = await t.onlyApproval();
    await approved(t);
    expect((await t.world.audit()).filter(({ agentId, kind }) => agentId === 'cy' && kind === 'policy')).toMatchObject([
      { decision: 'agent added', who: { kind: 'agent', id: 'ada' }, via: toolCallId, why: 'tools: look' },
      { decision: 'added', rule: 'ask look', who: { kind: 'agent', id: 'ada' } },
    ]);
  });
});

describe('access to the world from a tool', () => {
  it('[WORLD9] ends with the call', async () => {
    let handle: WorldHandle | undefined;
    const t = await openTestWorld({
      script: obedient,
      tools: [
        tool('keep', async (_, { world }) => {
          handle = world;
          return 'kept';
        }),
      ],
    });
    await propose(t, { name: 'keep', arguments: {} });
    await expect(handle?.sendMessage({ content: 'late' })).rejects.toThrow('the call has ended');
    await expect(handle?.createAgent({ name: 'Late', systemPrompt: '', tools: [] })).rejects.toThrow(
      'the call has ended',
    );
    expect(await t.world.agents()).toHaveLength(1);
    expect((await t.chat.messages()).some(({ content }) => content === 'late')).toBe(false);
  });
});
