import type { Message, WorldEvent } from '@countersign/protocol';
import { ProviderError } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, deferred, gated, openTestWorld, tool } from './testing/fixture.js';

afterEach(closeTestWorlds);

const spoken = (messages: readonly Message[]): string[] => messages.map((m) => `${m.role}: ${m.content}`);
/** The title of a chat is no notice. */
const isNotice = (event: WorldEvent): boolean => event.event === 'system' && event.data.type !== 'title';
const never = (): Promise<never> => new Promise<never>(() => undefined);

describe('stopping a chat', () => {
  it('[WORLD9.1] [WORLD9.3] [WORLD14.3] while the model streams: the call is aborted, the chat is idle immediately, and the partial answer is kept', async () => {
    const asked = deferred<AbortSignal>();
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: async (request) => {
        if (request.messages.length > 2) return 'Continued.';
        request.onThinking?.('what now');
        request.onChunk('@Bob half an ');
        asked.resolve(request.signal);
        return never();
      },
    });
    await opened.chat.send('@Ada go');
    const signal = await asked.promise;
    await opened.chat.stop();
    expect(await opened.chat.status()).toBe('idle');
    expect(signal.aborted).toBe(true);
    const stoppedBy = { kind: 'token', id: 'program', name: 'program' };
    const partial = { content: '@Bob half an', thinking: 'what now', stoppedBy };
    expect((await opened.chat.messages()).slice(1)).toMatchObject([partial]);
    await opened.world.quiet();
    // The text that names Bob addresses nobody.
    expect(spoken(await opened.chat.messages())).toEqual(['user: @Ada go', 'assistant: @Bob half an']);
    expect(opened.events.filter((event) => event.event === 'sse').at(-1)).toMatchObject({ data: { type: 'error' } });
    expect(opened.events.filter(isNotice)).toEqual([]);
    await opened.chat.send('@Ada and?');
    await opened.chat.settled();
    expect(opened.provider.requests.at(-1)?.messages.slice(1)).toEqual([
      { role: 'user', content: '@Ada go' },
      { role: 'assistant', content: '@Bob half an' },
      { role: 'user', name: 'system', content: 'A person stopped your answer here.' },
      { role: 'user', content: '@Ada and?' },
    ]);
  });

  it('[WORLD9.3] after the last chunk, before the answer is stored: the answer is kept', async () => {
    let stop: Promise<void> | undefined;
    const opened = await openTestWorld({
      script: ['All of it.'],
      probe: (now) => {
        if (now === 'after model-call') stop = opened.chat.stop();
      },
    });
    await opened.chat.send('go');
    await expect.poll(() => stop !== undefined).toBe(true);
    await stop;
    await opened.world.quiet();
    expect(spoken(await opened.chat.messages())).toEqual(['user: go', 'assistant: All of it.']);
  });

  it('[WORLD9] before the model has written anything: nothing is kept, and a notice says who stopped it', async () => {
    const asked = deferred();
    const opened = await openTestWorld({
      script: async () => {
        asked.resolve();
        return never();
      },
    });
    await opened.chat.send('go');
    await asked.promise;
    await opened.chat.stop();
    expect(spoken(await opened.chat.messages())).toEqual(['user: go']);
    const stoppedBy = { kind: 'token', id: 'program', name: 'program' };
    const notice = { type: 'notice', message: 'Stopped by program.', stoppedBy };
    expect(opened.events.filter(isNotice)).toMatchObject([{ data: notice }]);
  });

  it('[WORLD9] an answer from a model that ignored its abort signal is dropped', async () => {
    const asked = deferred();
    const answer = deferred<string>();
    const opened = await openTestWorld({
      script: async () => {
        asked.resolve();
        return answer.promise;
      },
    });
    await opened.chat.send('go');
    await asked.promise;
    await opened.chat.stop();
    answer.resolve('too late');
    await opened.world.quiet();
    expect(spoken(await opened.chat.messages())).toEqual(['user: go']);
  });

  it('[WORLD9.1] [TURN3.2] a tool that ignores its abort signal fails immediately with outcome unknown, and its late result changes nothing', async () => {
    const running = deferred<AbortSignal>();
    const late = deferred<string>();
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'deaf' }, { name: 'next' }] }, 'not to be said'],
      tools: [
        tool('deaf', (_, { signal }) => {
          running.resolve(signal);
          return late.promise;
        }),
        tool('next', () => 'ran'),
      ],
    });
    await opened.chat.send('go');
    const signal = await running.promise;
    await opened.chat.stop();
    expect([await opened.chat.status(), signal.aborted]).toEqual(['idle', true]);
    const ends = () => opened.toolEvents().map((event) => [event.tool_name, event.type]);
    const expected = [
      ['deaf', 'TOOL_EXECUTION_STARTED'],
      ['deaf', 'TOOL_EXECUTION_FAILED'],
      ['next', 'TOOL_DENIED'],
    ];
    expect(ends()).toEqual(expected);
    expect(opened.toolEvents()[1]).toMatchObject({ error: 'stopped, outcome unknown', outcome: 'stopped' });
    expect(opened.toolEvents()[2]).toMatchObject({ reason: 'stopped' });
    const kept = await opened.chat.messages();
    late.resolve('done after all');
    await opened.world.quiet();
    expect(await opened.chat.messages()).toEqual(kept);
    expect(ends()).toEqual(expected);
    expect(opened.provider.requests).toHaveLength(1);
    expect(opened.errors).toEqual([]);
  });

  it('[WORLD9.1] a tool that fails because it was stopped has outcome unknown, not its own error', async () => {
    const running = deferred();
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'obedient' }] }],
      tools: [
        tool('obedient', (_, { signal }) => {
          running.resolve();
          const { promise: ended, reject } = deferred();
          signal.addEventListener('abort', () => reject(new Error('I was told to stop')));
          return ended;
        }),
      ],
    });
    await opened.chat.send('go');
    await running.promise;
    await opened.chat.stop();
    await opened.world.quiet();
    expect(opened.toolEvents().at(-1)).toMatchObject({ error: 'stopped, outcome unknown' });
    expect(opened.toolEvents()).toHaveLength(2);
  });

  it('[WORLD9.2] pending approvals are denied as stopped, and can’t be approved afterwards', async () => {
    const ran: unknown[] = [];
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'ask' }, { name: 'ask' }] }, 'not to be said'],
      tools: [gated('ask', () => ran.push(1))],
    });
    await opened.chat.send('go');
    expect(await opened.chat.settled()).toBe('waiting');
    const approvals = await opened.world.approvals();
    await opened.chat.stop();
    expect(await opened.chat.status()).toBe('idle');
    expect(await opened.world.approvals()).toEqual([]);
    expect(opened.toolEvents().filter((event) => event.type === 'TOOL_DENIED')).toMatchObject([
      { reason: 'stopped' },
      { reason: 'stopped' },
    ]);
    for (const approval of approvals) {
      expect(await opened.world.decide(approval, { decision: 'approve' })).toMatchObject({
        status: 409,
        state: 'denied',
      });
    }
    await opened.world.quiet();
    expect(ran).toEqual([]);
    expect(opened.provider.requests).toHaveLength(1);
  });

  it('[WORLD9] an approved call that waits for its turn does not run', async () => {
    const ran: unknown[] = [];
    const running = deferred();
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'slow' }, { name: 'ask' }] }, 'not to be said'],
      tools: [
        tool('slow', () => {
          running.resolve();
          return never();
        }),
        gated('ask', () => ran.push(1)),
      ],
    });
    await opened.chat.send('go');
    await running.promise;
    await opened.world.decide(await opened.onlyApproval(), { decision: 'approve' });
    await opened.chat.stop();
    await opened.world.quiet();
    expect(ran).toEqual([]);
    expect(opened.toolEvents().at(-1)).toMatchObject({ tool_name: 'ask', type: 'TOOL_DENIED', reason: 'stopped' });
  });

  it('[WORLD9.2] queued turns of every agent end too', async () => {
    const asked = deferred();
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: async () => {
        asked.resolve();
        return never();
      },
    });
    await opened.chat.send('one');
    await opened.chat.send('two');
    await opened.chat.send('three');
    await asked.promise;
    await opened.chat.stop();
    await opened.world.quiet();
    expect(await opened.chat.status()).toBe('idle');
    expect(opened.provider.requests.length).toBeLessThanOrEqual(2);
    expect(spoken(await opened.chat.messages())).toEqual(['user: one', 'user: two', 'user: three']);
    expect(opened.events.filter((event) => event.event === 'world' && event.data.outcome === 'stopped')).toHaveLength(
      6,
    );
  });

  it('[WORLD9] works during the delay between retries', async () => {
    const clock = createFakeClock();
    const asked = deferred();
    const opened = await openTestWorld({
      clock,
      script: () => {
        asked.resolve();
        return { fail: new ProviderError('overloaded', 'busy') };
      },
    });
    await opened.chat.send('go');
    await asked.promise;
    await opened.chat.stop();
    await opened.world.quiet();
    clock.advance(60_000);
    await opened.world.quiet();
    expect(opened.provider.requests).toHaveLength(1);
    expect(await opened.chat.status()).toBe('idle');
  });

  it('[WORLD9] right after sending, at every step, leaves the chat idle with nothing running', async () => {
    for (const moment of [
      'model-call',
      'tool-calls',
      'start-invocation',
      'tool-execution',
      'settle-invocation',
      'answer',
    ]) {
      for (const side of ['before', 'after']) {
        let stop: Promise<void> | undefined;
        let stopped = false;
        const ranAfter: unknown[] = [];
        const opened = await openTestWorld({
          script: [{ calls: [{ name: 'work' }, { name: 'work' }] }, 'done'],
          tools: [tool('work', () => (stopped ? ranAfter.push(moment) : 'x'))],
          probe: (now) => {
            if (now !== `${side} ${moment}` || stop !== undefined) return;
            stop = opened.chat.stop().then(() => void (stopped = true));
          },
        });
        await opened.chat.send('go');
        await opened.world.quiet();
        await stop;
        await opened.world.quiet();
        expect([moment, side, await opened.chat.status(), ranAfter, opened.errors]).toEqual([
          moment,
          side,
          'idle',
          [],
          [],
        ]);
        const ends = new Map<string, number>();
        for (const { invocation_id, type } of opened.toolEvents()) {
          if (/SUCCEEDED|FAILED|DENIED/.test(type)) ends.set(invocation_id, (ends.get(invocation_id) ?? 0) + 1);
        }
        expect([...ends.values()].filter((count) => count !== 1)).toEqual([]);
      }
    }
  });

  it('[WORLD9] a stopped chat continues with the next message; stopping an idle one does nothing', async () => {
    const asked = deferred();
    let calls = 0;
    const opened = await openTestWorld({
      script: async () => {
        calls += 1;
        if (calls > 1) return 'here again';
        asked.resolve();
        return never();
      },
    });
    await opened.chat.stop();
    expect(opened.events.filter(isNotice)).toEqual([]);
    await opened.chat.send('go');
    await asked.promise;
    await opened.chat.stop();
    await opened.chat.send('again');
    expect(await opened.chat.settled()).toBe('idle');
    expect(spoken(await opened.chat.messages()).at(-1)).toBe('assistant: here again');
  });

  it('[WORLD9] stopping one chat does not affect the others', async () => {
    const both = deferred();
    const opened = await openTestWorld({
      script: async ({ messages }) => {
        await both.promise;
        return `re ${messages.at(-1)?.content}`;
      },
    });
    const other = await opened.world.chat();
    await opened.chat.send('a');
    await other.send('b');
    await opened.chat.stop();
    both.resolve();
    expect(await other.settled()).toBe('idle');
    expect(spoken(await other.messages())).toEqual(['user: b', 'assistant: re b']);
  });
});

describe('deleting', () => {
  it('[WORLD9] a chat during a turn stops it first: its tool is aborted, and its late result is ignored', async () => {
    const running = deferred<AbortSignal>();
    const late = deferred<string>();
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'deaf' }] }, 'not to be said'],
      tools: [
        tool('deaf', (_, { signal }) => {
          running.resolve(signal);
          return late.promise;
        }),
      ],
    });
    await opened.chat.send('go');
    const signal = await running.promise;
    await opened.chat.delete();
    expect(signal.aborted).toBe(true);
    late.resolve('x');
    await opened.world.quiet();
    expect(await opened.world.chats()).toEqual([]);
    await expect(opened.chat.send('hello?')).rejects.toMatchObject({ code: 'not-found' });
    await expect(opened.chat.status()).rejects.toMatchObject({ code: 'not-found' });
    expect(opened.errors).toEqual([]);
    expect(opened.provider.requests).toHaveLength(1);
  });

  it('[WORLD9] a chat with a pending approval also deletes the approval', async () => {
    const opened = await openTestWorld({ script: [{ calls: [{ name: 'ask' }] }], tools: [gated('ask', () => 'x')] });
    await opened.chat.send('go');
    await opened.chat.settled();
    const approval = await opened.onlyApproval();
    await opened.chat.delete();
    expect(await opened.world.approvals({})).toEqual([]);
    expect(await opened.world.decide(approval, { decision: 'approve' })).toMatchObject({ status: 404 });
  });

  it('[WORLD9] an agent removed during a turn ends its turns, and the others continue', async () => {
    const running = deferred<AbortSignal>();
    const opened = await openTestWorld({
      agents: ['Ada', 'Bob'],
      script: async ({ messages, signal }) => {
        if (messages.at(-1)?.content !== '@Ada go') return 'here';
        running.resolve(signal);
        return never();
      },
    });
    await opened.chat.send('@Ada go');
    const signal = await running.promise;
    await opened.world.removeAgent('ada');
    expect(signal.aborted).toBe(true);
    await opened.world.quiet();
    expect(await opened.chat.status()).toBe('idle');
    await opened.chat.send('who is left?');
    await opened.chat.settled();
    expect(spoken(await opened.chat.messages()).slice(1)).toEqual(['user: who is left?', 'assistant: here']);
    expect(opened.errors).toEqual([]);
  });

  it('[WORLD9] an agent removed while it waits for a person ends its approval', async () => {
    const opened = await openTestWorld({ script: [{ calls: [{ name: 'ask' }] }], tools: [gated('ask', () => 'x')] });
    await opened.chat.send('go');
    await opened.chat.settled();
    const approval = await opened.onlyApproval();
    await opened.world.removeAgent('ada');
    expect(await opened.world.approvals()).toEqual([]);
    expect(await opened.chat.status()).toBe('idle');
    expect(await opened.world.decide(approval, { decision: 'approve' })).toMatchObject({ status: 409 });
  });

  it('[WORLD9] rejects everyone who waits for a chat of a deleted world', async () => {
    const asked = deferred();
    const opened = await openTestWorld({
      script: async () => {
        asked.resolve();
        return never();
      },
    });
    await opened.chat.send('go');
    await asked.promise;
    const settled = opened.chat.settled();
    await opened.world.delete();
    expect(await settled).toBe('idle');
    await opened.world.quiet();
    expect(opened.errors).toEqual([]);
  });
});
