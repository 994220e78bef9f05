import { ProviderError, type Provider } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { describe, expect, it } from 'vitest';
import { closeTestWorld, openTestWorld, tool } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { breathe, lastMessage, sse, systemEvents } from './testing/model-fixture.js';

const inFolder = freshFolder();

describe('when a model call fails', () => {
  it('[MODEL4.1] a retryable failure is retried after the vendor’s delay, not sooner', async () => {
    const clock = createFakeClock();
    const opened = await openTestWorld({
      clock,
      script: [{ fail: new ProviderError('rate-limited', 'slow down', { retryAfterMs: 7_000 }) }, 'here I am'],
    });
    await opened.chat.send('hi');
    await breathe();
    clock.advance(6_999);
    await breathe();
    expect(opened.provider.requests).toHaveLength(1);
    const settled = opened.chat.settled();
    clock.advance(1);
    expect(await settled).toBe('idle');
    expect(opened.provider.requests).toHaveLength(2);
    expect((await lastMessage(opened)).content).toBe('here I am');
    expect(systemEvents(opened)).toEqual([
      { type: 'notice', message: 'Rate limited by scripted, trying again in 7 s.' },
    ]);
  });

  it.each(['rate-limited', 'overloaded', 'network'] as const)(
    '[MODEL4.1] [LIB7] a model that is %s gets three attempts with growing delays, then an error, and the chat stays usable',
    async (kind) => {
      const clock = createFakeClock();
      let broken = true;
      const opened = await openTestWorld({
        clock,
        script: () => (broken ? { fail: new ProviderError(kind, 'not now') } : 'back again'),
      });
      await opened.chat.send('hi');
      await breathe();
      expect(opened.provider.requests).toHaveLength(1);
      clock.advance(500);
      await breathe();
      expect(opened.provider.requests).toHaveLength(2);
      clock.advance(999);
      await breathe();
      expect(opened.provider.requests).toHaveLength(2);
      clock.advance(1);
      expect(await opened.chat.settled()).toBe('failed');
      expect(opened.provider.requests).toHaveLength(3);
      const { role, content } = await lastMessage(opened);
      expect(await opened.chat.failure()).toEqual({ agentId: 'ada', reason: content });
      expect([role, content]).toEqual([
        'system',
        expect.stringMatching(/^Ada could not answer\. .*send your message again/),
      ]);
      expect(systemEvents(opened)).toMatchObject([
        { type: 'error', message: content, messageId: expect.any(String) as string },
      ]);
      broken = false;
      await opened.chat.send('hello?');
      expect(await opened.chat.settled()).toBe('idle');
      expect(await opened.chat.failure()).toBeUndefined();
      expect((await lastMessage(opened)).content).toBe('back again');
      // Nothing is lost: the failed message is in the view of the next call.
      expect(
        opened.provider.requests
          .at(-1)
          ?.messages.map((m) => m.content)
          .slice(1),
      ).toEqual(['hi', 'hello?']);
    },
  );

  it.each(['auth', 'no-key', 'context-too-long', 'bad-request'] as const)(
    '[MODEL4.2] %s is not retried and becomes an error that says what to do',
    async (kind) => {
      const opened = await openTestWorld({ script: [{ fail: new ProviderError(kind, 'the vendor said no') }, 'ok'] });
      await opened.chat.send('hi');
      expect(await opened.chat.settled()).toBe('failed');
      expect(opened.provider.requests).toHaveLength(1);
      const { role, content } = await lastMessage(opened);
      expect([role, content]).toEqual(['system', expect.stringContaining('the vendor said no')]);
      expect(systemEvents(opened)).toMatchObject([
        { type: 'error', message: content, messageId: expect.any(String) as string },
      ]);
      expect(sse(opened).at(-1)).toMatchObject({ type: 'error' });
      await opened.chat.send('again');
      await opened.chat.settled();
      expect((await lastMessage(opened)).content).toBe('ok');
    },
  );

  it('[MODEL4] a missing key is reported as missing, not as refused', async () => {
    const missing = new ProviderError('no-key', 'Set OPENAI_API_KEY and restart.');
    const opened = await openTestWorld({ script: [{ fail: missing }] });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toBe(
      `Ada could not answer. No API key is set for ${opened.provider.name}. Set OPENAI_API_KEY and restart.`,
    );
  });

  it('[MODEL4] a delay longer than a person would wait fails immediately with an error', async () => {
    const opened = await openTestWorld({
      clock: createFakeClock(),
      script: [{ fail: new ProviderError('rate-limited', 'tomorrow', { retryAfterMs: 86_400_000 }) }],
    });
    await opened.chat.send('hi');
    expect(await opened.chat.settled()).toBe('failed');
    expect((await lastMessage(opened)).content).toContain('rate limiting requests');
  });

  it('[MODEL4] a failure during a turn keeps the calls and results so far', async () => {
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'look' }] }, { fail: new ProviderError('auth', 'expired') }, 'The sea.'],
      tools: [tool('look', () => 'sea')],
    });
    await opened.chat.send('look');
    await opened.chat.settled();
    await opened.chat.send('so?');
    await opened.chat.settled();
    const shown = opened.provider.requests.at(-1)?.messages.map((m) => m.role);
    expect(shown).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  });

  it('[MODEL4] a provider that is not configured is reported, and can be replaced by another one', async () => {
    const nowhere: Provider = { name: 'nowhere', generate: () => Promise.reject(new Error('nobody asks it')) };
    const file = inFolder('world.db');
    const before = await openTestWorld({ file, agents: [{ name: 'Ada', provider: 'nowhere' }], providers: [nowhere] });
    await closeTestWorld(before);
    const opened = await openTestWorld({ file });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toContain('"nowhere", which is not set up here');
    await opened.world.updateAgent('ada', { provider: 'scripted' });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect((await lastMessage(opened)).content).toBe('ok');
  });

  it('[MODEL4] a secret in an error is masked for people', async () => {
    const secret = 'sk-proj-Zk3vQ8mT1xW6yB0nC5dF7gH9jL2pR4sU';
    const opened = await openTestWorld({ script: [{ fail: new ProviderError('auth', `bad key ${secret}`) }] });
    await opened.chat.send('hi');
    await opened.chat.settled();
    expect(JSON.stringify([opened.events, await opened.chat.messages()])).not.toContain(secret);
  });
});
