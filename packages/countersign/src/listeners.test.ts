import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld, tool } from './testing/fixture.js';

afterEach(closeTestWorlds);

describe('listeners', () => {
  it('[WORLD10] a listener that throws or rejects is reported with its event, and the others get every event', async () => {
    const opened = await openTestWorld({ script: ['hello'] });
    const heard: string[] = [];
    opened.world.on('message', () => {
      throw new Error('thrown');
    });
    opened.world.on('message', () => Promise.reject(new Error('rejected')));
    opened.world.on('message', ({ content }) => {
      heard.push(content);
    });
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('idle');
    expect(heard).toEqual(['hi', 'hello']);
    expect(opened.errors.map(({ error, what }) => [String(error), what.replace(/\d+/, 'n')])).toEqual(
      expect.arrayContaining([
        ['Error: thrown', 'a listener failed on message n'],
        ['Error: rejected', 'a listener failed on message n'],
      ]),
    );
    expect(opened.errors).toHaveLength(4);
  });

  it('[WORLD10] a promise from another realm is awaited like one of ours', async () => {
    const opened = await openTestWorld({ script: ['hello'] });
    opened.world.on('sse', () => runInNewContext(`Promise.reject(new Error('from afar'))`) as Promise<void>);
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect(String(opened.errors[0]?.error)).toBe('Error: from afar');
  });

  it('[WORLD10] a listener that never finishes blocks nobody', async () => {
    const opened = await openTestWorld({
      tools: [tool('look', () => 'sea')],
      script: [{ calls: [{ name: 'look' }] }, 'ok'],
    });
    opened.world.subscribe(() => new Promise<void>(() => undefined));
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('idle');
  });

  it('[WORLD10] an error handler that fails stops neither the turn nor other listeners', async () => {
    const heard: string[] = [];
    const opened = await openTestWorld({
      script: ['hello'],
      onError: () => {
        throw new Error('the reporter is broken too');
      },
    });
    opened.world.on('message', () => {
      throw new Error('thrown');
    });
    opened.world.on('message', ({ content }) => {
      heard.push(content);
    });
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('idle');
    expect(heard).toEqual(['hi', 'hello']);
  });

  it('[WORLD10] a listener may throw a value without text, and an error handler may be asynchronous and fail', async () => {
    const wordless = runInNewContext('Object.create(null)') as Error;
    const opened = await openTestWorld({ script: ['hello'], onError: () => Promise.reject(wordless) });
    opened.world.on('message', () => {
      throw wordless;
    });
    opened.world.on('message', () => Promise.reject(wordless));
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('idle');
  });

  it('[WORLD10] a listener that unsubscribes or adds another during an event doesn’t affect delivery to the rest', async () => {
    const opened = await openTestWorld({ script: ['one', 'two'] });
    const first: string[] = [];
    const later: string[] = [];
    const end = opened.world.on('message', ({ content }) => {
      first.push(content);
      end();
      opened.world.on('message', (message) => {
        later.push(message.content);
      });
    });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect(first).toEqual(['hi']);
    expect(later).toEqual(['one']);
  });

  it('[WORLD10] changing an event does not change the transcript', async () => {
    const opened = await openTestWorld({ script: ['hello'] });
    opened.world.on('message', (message) => {
      Reflect.set(message, 'content', 'changed');
    });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await opened.chat.messages()).map((m) => m.content)).toEqual(['hi', 'hello']);
  });

  it('[WORLD10] changing an event affects neither the other listeners nor those who wait for the chat', async () => {
    const opened = await openTestWorld({
      tools: [tool('look', () => 'sea')],
      script: [{ calls: [{ name: 'look' }] }, 'ok'],
    });
    const heard: string[] = [];
    opened.world.subscribe((event) => {
      Reflect.set(event.data, 'type', 'working');
      Reflect.set(event, 'chatId', 'another');
      if (event.event === 'message') Reflect.set(event.data.tool_calls?.[0]?.function ?? {}, 'name', 'nothing');
    });
    opened.world.on('message', ({ tool_calls: calls = [] }) => {
      heard.push(...calls.map((call) => call.function.name));
    });
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('idle');
    expect(heard).toEqual(['look']);
  });

  it('[WORLD10] a message sent from inside a listener is not lost', async () => {
    const opened = await openTestWorld({ script: ({ messages }) => `re ${messages.at(-1)?.content}` });
    let sent = false;
    opened.world.on('message', async ({ role }) => {
      if (role !== 'assistant' || sent) return;
      sent = true;
      await opened.chat.send('and this');
    });
    await opened.chat.send('first');
    await opened.heard((event) => event.event === 'message' && event.data.content === 're and this');
    expect((await opened.chat.messages()).map((m) => m.content)).toEqual([
      'first',
      're first',
      'and this',
      're and this',
    ]);
  });

  it('[WORLD12] agents receive chat messages and their own results through two separate channels', async () => {
    const opened = await openTestWorld({
      tools: [tool('look', () => 'sea')],
      script: [{ calls: [{ name: 'look' }] }, 'ok'],
    });
    const roles: string[] = [];
    opened.world.on('message', ({ role, content }) => {
      if (content !== '') roles.push(role);
    });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect(roles).toEqual(['user', 'tool', 'assistant']);
    expect(opened.provider.requests).toHaveLength(2);
  });
});
