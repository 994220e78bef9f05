import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, gated, openTestWorld, type TestWorld } from '../testing/fixture.js';
import { notices, said, talk } from '../testing/talk.js';

afterEach(closeTestWorlds);

const titles = ({ events }: TestWorld): string[] =>
  events.flatMap((each) => (each.event === 'system' && each.data.type === 'title' ? [each.data.message] : []));

describe('titles', () => {
  it('[WORLD7] a model titles a chat when it first becomes idle, and only then', async () => {
    const opened = await openTestWorld({ model: { title: '# "Tides at noon"\n' } });
    expect(await opened.chat.title()).toBe('New chat');
    await talk(opened, 'when is high tide?');
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('Tides at noon');
    expect(titles(opened)).toEqual(['when is high tide?', 'Tides at noon']);
    await talk(opened, 'and tomorrow?');
    await opened.world.quiet();
    expect(titles(opened)).toHaveLength(2);
  });

  it('[WORLD7] a chat that waits for approval is called after its first message', async () => {
    const script = () => ({ calls: [{ name: 'remove' }] });
    const opened = await openTestWorld({ script, tools: [gated('remove', async () => 'ok')] });
    await opened.chat.send('  Remove\n x, the key is sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4 ');
    expect(await opened.chat.settled()).toBe('waiting');
    expect(await opened.chat.title()).toMatch(/^Remove x, the key is sk-A‹masked \d+: [^Q]*$/);
  });

  it('[WORLD7] only the start of a long message is searched for a title', async () => {
    const opened = await openTestWorld();
    await talk(opened, `${'\u202E'.repeat(100_000)}hello`);
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('New chat');
  });

  it('[WORLD7] a failure leaves the first message as the title, without a message in the chat', async () => {
    const opened = await openTestWorld();
    const lines = await talk(opened, 'hello');
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('hello');
    expect(said(await opened.chat.messages())).toEqual(lines);
    expect(notices(opened.events)).toEqual([]);
    expect(opened.errors).toEqual([]);
  });

  it('[WORLD7] the first message is the title of a chat whose first turn failed', async () => {
    const failing = (): never => {
      throw new Error('the model is overloaded');
    };
    const opened = await openTestWorld({ script: failing });
    await opened.chat.send('When is\n  high tide?');
    await opened.chat.settled();
    await opened.world.quiet();
    expect(await opened.chat.title()).toBe('When is high tide?');
    expect(titles(opened)).toEqual(['When is high tide?']);
  });

  it('[WORLD7] is retried after the next answer, at most three times in all', async () => {
    const asked: string[] = [];
    const failing = (times: number) => (): string => {
      asked.push('title');
      if (asked.length <= times) throw new Error('the model is overloaded');
      return 'Tides at noon';
    };
    const opened = await openTestWorld({ model: { title: failing(2) } });
    const talkOnce = async (): Promise<string> => {
      await talk(opened, 'hello');
      await opened.world.quiet();
      return await opened.chat.title();
    };
    expect([await talkOnce(), await talkOnce(), await talkOnce()]).toEqual(['hello', 'hello', 'Tides at noon']);
    await talkOnce();
    expect(asked).toHaveLength(3);
    asked.length = 0;
    const never = await openTestWorld({ model: { title: failing(99) } });
    for (let count = 0; count < 5; count += 1) {
      await talk(never, 'hello');
      await never.world.quiet();
    }
    expect(asked).toHaveLength(3);
  });
});
