import type { Provider } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { openTestWorld, tool } from './testing/fixture.js';

describe('requests to a provider and its responses', () => {
  const twoTurns = { calls: [{ name: 'look', id: 'vendor-1' }], providerState: { thought: 1 } };

  it('[MODEL11] [MODEL11.3] thinking is stored masked, and is never sent to a model, parsed for mentions or shown to the gate', async () => {
    const key = 'AKIAIOSFODNN7EXAMPLE';
    const { chat, provider, world } = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: [
        { thinking: `@Bob look() ${key}`, calls: [{ name: 'look' }] },
        { say: 'done', thinking: '@Bob, take over' },
        'ok',
      ],
      tools: [tool('look', () => 'sea')],
    });
    await world.setPolicy(['allow look']);
    await chat.send('@Ada hi');
    await chat.settled();
    await chat.send('@Ada more');
    await chat.settled();
    expect(provider.requests).toHaveLength(3);
    expect(JSON.stringify(provider.requests.map(({ messages }) => messages))).not.toMatch(/take over|look\(\)/);
    const messages = await chat.messages();
    const thoughts = messages.flatMap(({ thinking = [] }) => thinking);
    expect(thoughts).toEqual([expect.stringContaining('@Bob look() '), '@Bob, take over']);
    expect(JSON.stringify(messages)).not.toContain(key);
    expect(messages.filter(({ sender }) => sender === 'bob')).toEqual([]);
  });

  it('[MODEL10] an agent’s model settings reach its provider, and the context size limits what it sees', async () => {
    const settings = { topP: 0.9, thinking: 'high' as const, parallelToolCalls: false };
    const { chat, provider } = await openTestWorld({
      agents: [{ name: 'Ada', ...settings, contextTokens: 6_000 }],
    });
    await chat.send(`first ${'x'.repeat(20_000)}`);
    await chat.settled();
    await chat.send('second');
    await chat.settled();
    const [first, second] = provider.requests;
    expect(first).toMatchObject(settings);
    expect(first).not.toHaveProperty('contextTokens');
    expect(JSON.stringify(second?.messages)).not.toContain('first x');
  });

  it('[MODEL10.2] a setting that the provider does not support is refused at its field', async () => {
    let accepts = false;
    const plain: Provider = {
      ...scripted([]),
      name: 'plain',
      checkSettings: (_, { topP }) =>
        topP === undefined || accepts ? undefined : { field: 'topP', detail: 'No top-p here.' },
    };
    const { world } = await openTestWorld({ providers: [plain] });
    const agent = { name: 'Bob', provider: 'plain', model: 'any' };
    const refused = { code: 'invalid', field: 'topP', message: 'No top-p here.' };
    await expect(world.addAgent({ ...agent, topP: 0.5 })).rejects.toMatchObject(refused);
    await world.addAgent(agent);
    await expect(world.updateAgent('bob', { topP: 0.5 })).rejects.toMatchObject(refused);
    await world.updateAgent('bob', { temperature: 0.5 });
    // A provider can lose a setting later. The agent can still be deactivated, but not called.
    accepts = true;
    await world.updateAgent('bob', { topP: 0.5 });
    accepts = false;
    await world.updateAgent('bob', { active: false });
    await expect(world.updateAgent('bob', { temperature: 1 })).rejects.toMatchObject(refused);
  });

  it('[MODEL1] a provider gets messages and schemas, and nothing else', async () => {
    const { chat, provider } = await openTestWorld({
      agents: [{ name: 'Ada', temperature: 0.5, maxTokens: 77, model: 'big' }],
      tools: [tool('look', () => 'sea')],
    });
    await chat.send('hi');
    await chat.settled();
    const request = provider.requests[0];
    expect(Object.keys(request ?? {}).toSorted()).toEqual(
      [
        'maxTokens',
        'messages',
        'model',
        'onChunk',
        'onThinking',
        'purpose',
        'signal',
        'stream',
        'temperature',
        'tools',
      ].toSorted(),
    );
    expect(request).toMatchObject({ model: 'big', temperature: 0.5, maxTokens: 77, purpose: 'answer', stream: true });
    expect(request?.tools).toEqual([{ name: 'look', description: 'the tool look', parameters: { type: 'object' } }]);
  });

  it('[MODEL1.1] providerState is stored and returned to the same provider and model', async () => {
    const { chat, provider } = await openTestWorld({
      script: [twoTurns, { say: 'done', providerState: 'sealed' }, 'ok'],
      tools: [tool('look', () => 'sea')],
    });
    await chat.send('one');
    await chat.settled();
    expect(provider.requests[1]?.messages.at(-2)).toMatchObject({ role: 'assistant', providerState: { thought: 1 } });
    await chat.send('two');
    await chat.settled();
    expect(provider.requests[2]?.messages.flatMap((m) => ('providerState' in m ? [m.providerState] : []))).toEqual([
      { thought: 1 },
      'sealed',
    ]);
  });

  it('[MODEL1.1] providerState and vendor ids never reach another model or provider, and are used again with the first one', async () => {
    const { world, chat, provider } = await openTestWorld({
      script: [twoTurns, { say: 'done', providerState: 'sealed' }, 'ok', 'ok', 'ok'],
      tools: [tool('look', () => 'sea')],
    });
    const states = (): string => JSON.stringify(provider.requests.at(-1)?.messages);
    await chat.send('one');
    await chat.settled();
    await world.updateAgent('ada', { model: 'other' });
    await chat.send('two');
    await chat.settled();
    expect(states()).not.toMatch(/thought|sealed|vendor-1/);
    await world.updateAgent('ada', { model: 'any' });
    await chat.send('three');
    await chat.settled();
    expect(states()).toMatch(/thought.*vendor-1.*sealed/);
  });

  it('[MODEL1.1] [MODEL5] an agent’s providerState is never sent for another agent', async () => {
    const { chat, provider } = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: [{ say: '@Bob hello', providerState: 'of Ada' }, '<world>PASS</world>'],
    });
    await chat.send('@Ada greet Bob');
    await chat.settled();
    expect(provider.requests[1]?.messages.at(-1)).toEqual({ role: 'user', name: 'Ada', content: '@Bob hello' });
  });

  it('[MODEL5] a vendor id that is repeated, in the same turn or a later one, becomes two calls with our own ids', async () => {
    const ran: unknown[] = [];
    const same = (n: number) => ({ name: 'look', id: 'call_1', arguments: { n } });
    const opened = await openTestWorld({
      script: [{ calls: [same(1), same(2)] }, { calls: [same(3)] }, 'first', { calls: [same(4)] }, 'second'],
      tools: [tool('look', ({ n }) => (ran.push(n), `saw ${String(n)}`))],
    });
    await opened.chat.send('one');
    expect(await opened.chat.settled()).toBe('idle');
    await opened.chat.send('two');
    expect(await opened.chat.settled()).toBe('idle');
    expect(ran).toEqual([1, 2, 3, 4]);
    const ids = opened.toolEvents().map((event) => event.invocation_id);
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => !/^call_[0-9a-f]{32}$/.test(id))).toEqual([]);
    const results = opened.provider.requests[1]?.messages.filter((m) => m.role === 'tool');
    expect(results?.map((m) => [m.vendorId, m.content])).toEqual([
      ['call_1', '{"result":"saw 1"}'],
      ['call_1', '{"result":"saw 2"}'],
    ]);
  });
});
