import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld } from '../testing/fixture.js';
import { notices, said, talk } from '../testing/talk.js';

afterEach(closeTestWorlds);

describe('titles', () => {
  it('[M7] a model titles a chat when it first becomes idle, and only then', async () => {
    const opened = await openTestWorld({ model: { title: '# "Tides at noon"\n' } });
    expect(await opened.chat.title()).toBe('New chat');
    await talk(opened, 'when is high tide?');
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('Tides at noon');
    expect(opened.events.filter((e) => e.event === 'system' && e.data.type === 'title')).toHaveLength(1);
    await talk(opened, 'and tomorrow?');
    await opened.world.quiet();
    expect(opened.events.filter((e) => e.event === 'system' && e.data.type === 'title')).toHaveLength(1);
  });

  it('[M7] a failure leaves the default title, without a message in the chat', async () => {
    const opened = await openTestWorld();
    const lines = await talk(opened, 'hello');
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('New chat');
    expect(said(await opened.chat.messages())).toEqual(lines);
    expect(notices(opened.events)).toEqual([]);
    expect(opened.errors).toEqual([]);
  });
});
