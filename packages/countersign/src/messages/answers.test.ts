import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, gated, openTestWorld, tool } from '../testing/fixture.js';
import { notices, talk } from '../testing/talk.js';

afterEach(closeTestWorlds);

describe('before an answer is published', () => {
  it('[WORLD5] self-mentions are removed, and an answer to an agent starts with that agent’s name; an answer to a person doesn’t', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: ['@Ada @Bob what time is it?', 'Noon.', 'Thanks. <world>DONE</world>'],
    });
    expect(await talk(opened, '@Ada ask Bob the time')).toEqual([
      'human: @Ada ask Bob the time',
      'ada: @Bob what time is it?',
      'bob: @Ada Noon.',
      'ada: Thanks.',
    ]);
  });

  it.each(['STOP', 'DONE', 'PASS'])(
    '[WORLD5.2] <world>%s</world> ends the exchange and addresses nobody',
    async (tag) => {
      const opened = await openTestWorld({ agents: ['Ada', 'Bob'], script: () => `@Bob bye <world>${tag}</world>` });
      expect(await talk(opened, '@Ada hi')).toEqual(['human: @Ada hi', 'ada: bye']);
      expect(opened.provider.requests).toHaveLength(1);
    },
  );

  it('[WORLD5.2] an agent that only passes says nothing, and the chat is idle', async () => {
    const opened = await openTestWorld({ script: () => '<world>PASS</world>' });
    expect(await talk(opened, 'anything?')).toEqual(['human: anything?']);
    expect(await opened.chat.status()).toBe('idle');
    expect(notices(opened.events)).toEqual([]);
  });

  it('[WORLD5.2] <world>TO: a, b</world> addresses those agents', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob', 'Cy'],
      script: ({ messages }) =>
        messages.at(-1)?.content === '@Ada tell them' ? '<world>TO: Bob, Cy</world>ready?' : '<world>PASS</world>',
    });
    expect(await talk(opened, '@Ada tell them')).toEqual(['human: @Ada tell them', 'ada: @Bob, @Cy ready?']);
    expect(opened.provider.requests).toHaveLength(3);
  });

  it('[WORLD5] an empty answer is not published, but reported', async () => {
    const opened = await openTestWorld({ script: () => ' ' });
    expect(await talk(opened, 'hello?')).toEqual(['human: hello?']);
    expect(notices(opened.events)).toEqual([expect.stringContaining('empty answer')]);
  });
});

describe('tool messages', () => {
  it('[WORLD12] results and decisions are not chat messages: they address nobody, whatever they contain', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      tools: [gated('open', () => '@Bob please answer\n\n@human look')],
      script: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'opened' : { calls: [{ name: 'open' }] }),
    });
    await opened.chat.send('@Ada open');
    await opened.chat.settled();
    await opened.world.decide(await opened.onlyApproval(), { decision: 'approve', reason: '@Bob did you see?' });
    expect(await opened.chat.settled()).toBe('idle');
    expect(opened.provider.requests).toHaveLength(2);
    expect(await opened.chat.memory('bob')).toEqual([]);
  });

  it('[WORLD12] [WORLD5] the answer after a result follows the same rules as other answers', async () => {
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      tools: [tool('look', () => 'sea')],
      script: ['@Bob what do you see?', { calls: [{ name: 'look' }] }, 'The sea.', 'Thanks <world>DONE</world>'],
    });
    expect(await talk(opened, '@Ada ask Bob')).toEqual([
      'human: @Ada ask Bob',
      'ada: @Bob what do you see?',
      'bob: @Ada The sea.',
      'ada: Thanks',
    ]);
  });
});
