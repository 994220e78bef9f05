import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld } from '../testing/fixture.js';
import { notices, talk } from '../testing/talk.js';

afterEach(closeTestWorlds);

describe('who answers', () => {
  it('[WORLD2] a message without a mention goes to every active agent', async () => {
    const world = await openTestWorld({ agents: ['Ada', 'Bob', { name: 'Off', active: false }] });
    expect((await talk(world, 'hello all')).toSorted()).toEqual(['ada: ok', 'bob: ok', 'human: hello all']);
  });

  it('[WORLD2] with a main agent, a message without a mention goes only to that agent, and a mention goes to the mentioned agent', async () => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob'] });
    await opened.world.update({ mainAgent: 'bob' });
    expect(await talk(opened, 'hello')).toEqual(['human: hello', 'bob: ok']);
    expect((await talk(opened, '@Ada hello')).slice(2)).toEqual(['human: @Ada hello', 'ada: ok']);
  });

  it('[WORLD2] a world without an active agent reports that nobody answers', async () => {
    const opened = await openTestWorld({ agents: [{ name: 'Off', active: false }] });
    const why = 'the only agent, @Off, is inactive in this world. Activate an agent, then send your message again.';
    expect(await talk(opened, 'anybody?')).toEqual(['human: anybody?', `system: No agent will answer: ${why}`]);
    expect(notices(opened.events)).toEqual([`No agent will answer: ${why}`]);
  });

  it.each([
    ['@bob look', ['bob']],
    ['@BOB look', ['bob']],
    ['@Ada, @Bob look', ['ada', 'bob']],
    ['first\n  @bob second', ['bob']],
    ['@Bob Hi there', ['bob']],
    ['@Harbour Master report', ['harbour-master']],
    ['mail bob@x.com', ['ada', 'bob', 'harbour-master']],
    ['I saw @bob today', []],
    ['@human please', []],
  ])('[WORLD3] %j is answered by %j', async (content, answering) => {
    const { chat } = await openTestWorld({ agents: ['Ada', 'Bob', 'Harbour Master'] });
    await chat.send(content);
    await chat.settled();
    const speakers = (await chat.messages()).flatMap((m) => (m.role === 'assistant' ? [m.sender] : []));
    expect(speakers.toSorted()).toEqual(answering);
  });

  it.each([
    ['hey @bob', '@Bob is mentioned in the middle of a line'],
    ['@off hello', '@Off is inactive'],
  ])('[WORLD3.5] nobody answers %j, and a message in the chat says why', async (content, why) => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob', { name: 'Off', active: false }] });
    const { messageId } = await opened.chat.send(content);
    await opened.chat.settled();
    expect((await opened.chat.messages()).at(-1)).toMatchObject({
      role: 'system',
      sender: 'system',
      replyToMessageId: messageId,
      content: expect.stringContaining(why) as unknown,
    });
    // People see the notice, models don't, and it doesn't count as a turn.
    await opened.chat.send('@ada hello');
    await opened.chat.settled();
    expect(JSON.stringify(opened.provider.requests)).not.toContain('No agent will answer');
    expect((await opened.chat.messages()).at(-1)).toMatchObject({ sender: 'ada', content: 'ok' });
  });

  it('[WORLD3.5] an inactive agent among several mentions is named, and the others answer', async () => {
    const opened = await openTestWorld({ agents: ['Ada', { name: 'Off', active: false }] });
    const said = await talk(opened, '@Ada @Off hi');
    expect(said.toSorted()).toEqual([
      'ada: ok',
      'human: @Ada @Off hi',
      'system: @Off is inactive. Activate it to get an answer from it too.',
    ]);
    expect(notices(opened.events)).toEqual(['@Off is inactive. Activate it to get an answer from it too.']);
    expect(JSON.stringify(opened.provider.requests)).not.toContain('inactive');
  });

  it('[WORLD3.5] adds no notice for a message to people or from an agent that mentions nobody', async () => {
    const opened = await openTestWorld({ script: ['I asked @bob about it.'], agents: ['Ada', 'Bob'] });
    await talk(opened, '@human look');
    await talk(opened, '@ada look');
    expect(notices(opened.events)).toEqual([]);
  });

  it('[WORLD3.5] explains the same message once, even if it is sent twice', async () => {
    const { chat } = await openTestWorld({ agents: ['Ada', 'Bob'] });
    await chat.send('hey @bob', { clientMessageId: 'one' });
    await chat.send('hey @bob', { clientMessageId: 'one' });
    expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'system']);
  });

  it('[WORLD3.3] nobody answers a message to unknown names, and a notice says so', async () => {
    const opened = await openTestWorld({ agents: ['Ada'] });
    expect(await talk(opened, '@Zoe are you there?')).toEqual([
      'human: @Zoe are you there?',
      'system: No agent will answer: no agent here is called @Zoe. Agents you can mention: @Ada.',
    ]);
    expect(notices(opened.events)).toEqual([expect.stringContaining('@Zoe')]);
  });

  it('[WORLD4] an agent never answers itself, even if it mentions itself', async () => {
    const opened = await openTestWorld({ script: () => '@Ada again\n\n@Ada and again' });
    expect(await talk(opened, 'go')).toEqual(['human: go', 'ada: again\n\nand again']);
    expect(opened.provider.requests).toHaveLength(1);
  });

  it('[WORLD4] nobody answers an agent that mentions nobody', async () => {
    const opened = await openTestWorld({ agents: ['Ada', 'Bob'] });
    await talk(opened, '@Ada hello');
    expect(opened.provider.requests).toHaveLength(1);
  });

  it('[WORLD4] a person named like a user or an agent of another world is a person', async () => {
    const { chat, provider } = await openTestWorld();
    for (const sender of ['user7', 'Userella', 'assistant-fan']) {
      await chat.send('hello', { sender });
      await chat.settled();
    }
    expect(provider.requests).toHaveLength(3);
    expect(provider.requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'hello', name: 'Userella' });
  });

  it('[WORLD4] an agent named like a user is an agent: it is answered only if it mentions someone', async () => {
    const opened = await openTestWorld({ agents: ['user1', 'Bob'], turnLimit: 2 });
    await talk(opened, '@user1 hello');
    expect(opened.provider.requests).toHaveLength(1);
  });

  it.each(['ada', 'Ada', 'ADA', 'system', 'world', 'tool', '', ' ', 'x\u202Ey', 'x'.repeat(300)])(
    '[WORLD4] a client can’t send as %j',
    async (sender) => {
      const { chat } = await openTestWorld();
      await expect(chat.send('I am not who I say', { sender })).rejects.toMatchObject({
        code: 'invalid',
        field: 'sender',
      });
      expect(await chat.messages()).toEqual([]);
    },
  );
});
