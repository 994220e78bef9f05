import { ProviderError } from '@countersign/core/ports';
import type { ScriptedReply } from '@countersign/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, deferred, gated, openTestWorld, tool } from '../testing/fixture.js';
import { said, talk } from '../testing/talk.js';

afterEach(closeTestWorlds);

describe('the turn limit', () => {
  const chatter = { agents: ['Ada', 'Bob'], turnLimit: 2, script: () => 'and you?' };

  it('[WORLD6] counts turns, not model calls or events; the agent hands over once and then stays silent', async () => {
    const opened = await openTestWorld({
      ...chatter,
      tools: [tool('look', () => 'sea')],
      script: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? '@Bob and you?' : { calls: [{ name: 'look' }, { name: 'look' }] },
    });
    const lines = await talk(opened, '@Ada start');
    const handover = expect.stringMatching(/^(ada|bob): @human .*2 turns/) as string;
    expect(lines).toEqual([
      'human: @Ada start',
      'ada: @Bob and you?',
      'bob: @Ada and you?',
      'ada: @Bob and you?',
      'bob: @Ada and you?',
      handover,
    ]);
    expect(await opened.chat.status()).toBe('idle');
  });

  it('[WORLD6] an agent that has reached its limit stays silent until a person writes to it', async () => {
    const opened = await openTestWorld({ ...chatter, script: () => '@Bob @Ada and you?' });
    const first = await talk(opened, '@Ada start');
    await opened.world.quiet();
    expect(said(await opened.chat.messages())).toEqual(first);
    const handovers = (lines: readonly string[]): string[] => lines.filter((line) => line.includes('@human'));
    expect(handovers(first).length).toBeGreaterThan(0);
    expect(new Set(handovers(first)).size).toBe(handovers(first).length);
    const second = await talk(opened, '@Ada go on');
    expect(second.length).toBeGreaterThan(first.length + 2);
  });

  it('[WORLD6] [WORLD12] decisions reset no limit', async () => {
    const opened = await openTestWorld({
      ...chatter,
      turnLimit: 1,
      tools: [gated('look', () => 'sea')],
      script: ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'and you?' : { calls: [{ name: 'look' }] }),
      agents: ['Ada', 'Bob'],
    });
    await opened.chat.send('@Ada start');
    for (let asked = 0; (await opened.chat.settled()) === 'waiting'; asked += 1) {
      expect(asked).toBeLessThan(3);
      await opened.world.decide(await opened.onlyApproval(), { decision: 'approve' });
    }
    expect(opened.toolEvents().filter((event) => event.type === 'TOOL_APPROVED')).toHaveLength(1);
    expect(said(await opened.chat.messages())).toEqual(['human: @Ada start', 'ada: and you?']);
  });

  it('[WORLD6] [WORLD11] answers every message of a person who writes more often than the limit while an agent works', async () => {
    const busy = deferred();
    const opened = await openTestWorld({
      turnLimit: 2,
      script: async ({ messages }) => {
        await busy.promise;
        return `re ${messages.at(-1)?.content}`;
      },
    });
    for (const number of [1, 2, 3, 4, 5]) await opened.chat.send(`m${number}`);
    busy.resolve();
    await opened.chat.settled();
    const answers = said(await opened.chat.messages()).filter((line) => line.startsWith('ada'));
    expect(answers).toEqual([1, 2, 3, 4, 5].map((number) => `ada: re m${number}`));
  });
});

describe('the order of final messages', () => {
  it.each<[string, ScriptedReply, string]>([
    ['an answer', 'my answer', 'ada: my answer'],
    ['a failure', { fail: new ProviderError('auth', 'expired') }, 'system: Ada could not answer.'],
  ])('[WORLD6] %s comes before the handover message of the turn queued after it', async (_, reply, words) => {
    const busy = deferred();
    const opened = await openTestWorld({
      agents: [{ name: 'Ada', model: 'slow' }, 'Bob'],
      turnLimit: 1,
      script: async ({ model }) => {
        if (model !== 'slow') return '@Ada and you?';
        await busy.promise;
        return reply;
      },
    });
    await opened.chat.send('both of you');
    await opened.heard((event) => event.event === 'message' && event.data.agentId === 'bob');
    busy.resolve();
    await opened.chat.settled();
    const lines = said(await opened.chat.messages()).slice(2);
    expect(lines).toEqual([
      expect.stringContaining(words),
      expect.stringContaining('ada: @human I have taken 1 turns'),
    ]);
  });
});
