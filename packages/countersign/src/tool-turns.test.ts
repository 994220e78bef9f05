import { toolEventSchema } from '@countersign/protocol';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedReply } from './index.js';
import {
  closeTestWorld,
  closeTestWorlds,
  deferred,
  gated,
  openTestWorld,
  tool,
  type TestWorldOptions,
} from './testing/fixture.js';
import { notices } from './testing/talk.js';
import { calls, lifecycle, openCalling, results, run } from './testing/tool-turn.js';

afterEach(closeTestWorlds);

describe('a tool turn', () => {
  it('[TURN1] [TURN5] all calls become invocations immediately, and the model is called once more with results in call order', async () => {
    const opened = await openCalling(['a', 'b', 'a', 'c'], {
      tools: ['a', 'b', 'c'].map((name) => tool(name, () => `${name} ran`)),
    });
    expect(await run(opened)).toBe('idle');
    const asking = (await opened.chat.messages()).filter((m) => m.tool_calls !== undefined);
    expect(asking.map((m) => m.tool_calls?.map((call) => call.function.name))).toEqual([['a', 'b', 'a', 'c']]);
    expect(opened.provider.requests).toHaveLength(2);
    expect(results(opened)).toEqual(['a', 'b', 'a', 'c'].map((name) => ({ result: `${name} ran` })));
    // One assistant message with all calls, as the model made them.
    expect(opened.provider.requests[1]?.messages.map((m) => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'tool',
    ]);
  });

  it('[TURN1] the first 64 calls of a response run, each once and in order, and the rest fail', async () => {
    let ran = 0;
    const many = Array.from({ length: 80 }, (_, n) => ({ name: 'count', arguments: { n } }));
    const opened = await openCalling(many, { tools: [tool('count', ({ n }) => ((ran += 1), n))] });
    expect(await run(opened)).toBe('idle');
    expect(ran).toBe(64);
    const error =
      'Nothing ran. A response may contain at most 64 tool calls, but this one had 80. Make the remaining calls in your next responses.';
    expect(results(opened)).toEqual(many.map((_, n) => (n < 64 ? { result: n } : { error })));
    expect((await opened.chat.messages({ limit: 5000 })).at(-1)?.content).toBe('done');
  });

  it('[TURN2] [TURN3] every event belongs to one family and names its owner and call', async () => {
    const opened = await openTestWorld({
      script: [calls('ask', 'ask', 'fine', 'broken'), calls('fine'), 'done'],
      tools: [
        gated('ask', () => 'asked'),
        tool('fine', () => ({ n: 1 })),
        tool('broken', () => {
          throw new Error('it broke');
        }),
      ],
    });
    expect(await run(opened)).toBe('waiting');
    const [first, second] = await opened.world.approvals();
    await opened.world.decide(first?.approvalId ?? '', { decision: 'approve', reason: 'go ahead' });
    await opened.world.decide(second?.approvalId ?? '', { decision: 'deny' });
    expect(await opened.chat.settled()).toBe('idle');
    const events = opened.toolEvents();
    for (const event of events) {
      expect(toolEventSchema.safeParse(event)).toMatchObject({ success: true });
      expect(event).toMatchObject({ agent_id: 'ada', agent_name: 'Ada' });
    }
    expect(new Set(events.map((event) => event.type)).size).toBe(6);
    expect(events.find((event) => event.type === 'TOOL_APPROVED')).toMatchObject({ reason: 'go ahead' });
    expect(events.find((event) => event.type === 'TOOL_DENIED')).toMatchObject({ reason: 'no reason given' });
    expect(events.find((event) => event.type === 'TOOL_EXECUTION_SUCCEEDED')).toMatchObject({ result: { n: 1 } });
    expect(events.find((event) => event.type === 'TOOL_EXECUTION_FAILED')).toMatchObject({ error: 'it broke' });
    // Successive tool turns of one turn have different ids.
    expect(new Set(events.map((event) => event.turn_id)).size).toBe(2);
  });

  it('[TURN3.1] [SAFE6] arguments, results and errors in events are masked, and the tool gets the real ones', async () => {
    const secret = 'sk-proj-Zk3vQ8mT1xW6yB0nC5dF7gH9jL2pR4sU';
    let got: unknown;
    const opened = await openCalling([{ name: 'send', arguments: { key: secret } }, 'fail'], {
      tools: [
        tool('send', (args, { output }) => {
          got = args;
          output(`using ${secret} \n`);
          return `sent ${secret}`;
        }),
        tool('fail', () => {
          throw new Error(`bad ${secret}`);
        }),
      ],
    });
    await run(opened);
    expect(got).toEqual({ key: secret });
    expect(JSON.stringify(opened.events)).not.toContain(secret);
    expect(JSON.stringify(await opened.chat.messages())).not.toContain(secret);
    expect(results(opened)).toEqual([{ result: `sent ${secret}` }, { error: `bad ${secret}` }]);
  });

  it('[TURN4.2] each call only moves forward and ends exactly once; a denied call never starts', async () => {
    const opened = await openCalling(['ask', 'ask', 'free', 'nowhere'], {
      tools: [gated('ask', () => 'x'), tool('free', () => 'y')],
    });
    await run(opened);
    const [first, second] = await opened.world.approvals();
    await opened.world.decide(second?.approvalId ?? '', { decision: 'deny' });
    await opened.world.decide(first?.approvalId ?? '', { decision: 'approve' });
    await opened.chat.settled();
    const lives = [first?.toolCallId, second?.toolCallId].map((id) => opened.toolEvents(id).map((event) => event.type));
    expect(lives).toEqual([
      ['TOOL_APPROVAL_REQUESTED', 'TOOL_APPROVED', 'TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_SUCCEEDED'],
      ['TOOL_APPROVAL_REQUESTED', 'TOOL_DENIED'],
    ]);
    expect(lifecycle(opened).filter((line) => !line.startsWith('ask'))).toEqual([
      'nowhere: FAILED',
      'free: STARTED',
      'free: SUCCEEDED',
    ]);
  });

  it('[TURN4.3] editing the arguments keeps the invocation, and its events have them from then on', async () => {
    const ran: unknown[] = [];
    const opened = await openCalling([{ name: 'move', arguments: { to: 'sea' } }], {
      tools: [gated('move', (args) => (ran.push(args), 'moved'))],
    });
    await run(opened);
    const approval = await opened.onlyApproval();
    await opened.world.decide(await opened.edit({ to: 'port' }), { decision: 'approve' });
    await opened.chat.settled();
    expect(ran).toEqual([{ to: 'port' }]);
    const events = opened.toolEvents();
    expect(events.filter(({ type }) => type === 'TOOL_APPROVAL_REQUESTED')).toMatchObject([
      { arguments: { to: 'sea' } },
      { arguments: { to: 'port' } },
    ]);
    expect(new Set(events.map((event) => event.invocation_id))).toEqual(new Set([approval.toolCallId]));
    expect(events.find((event) => event.type === 'TOOL_APPROVED')).toMatchObject({ arguments: { to: 'port' } });
    expect(events.find((event) => event.type === 'TOOL_EXECUTION_STARTED')).toMatchObject({
      arguments: { to: 'port' },
    });
  });

  it('[TURN5] the model is not called before the last call has settled, in any order', async () => {
    const opened = await openCalling(['ask', 'ask', 'free'], {
      tools: [gated('ask', () => 'x'), tool('free', () => 'y')],
    });
    await run(opened);
    const approvals = await opened.world.approvals();
    expect(approvals).toHaveLength(2);
    for (const [index, approval] of approvals.toReversed().entries()) {
      expect(opened.provider.requests).toHaveLength(1);
      await opened.world.decide(approval, { decision: index === 0 ? 'approve' : 'deny', reason: 'r' });
      await opened.world.quiet();
    }
    expect(opened.provider.requests).toHaveLength(2);
    expect(results(opened)).toEqual([
      { error: 'User denied approval for ask', reason: 'r' },
      { result: 'x' },
      { result: 'y' },
    ]);
  });
});

describe('unexpected results and decisions', () => {
  it('[TURN6] a second decision changes nothing and says so', async () => {
    const ran: unknown[] = [];
    const opened = await openCalling(['ask'], { tools: [gated('ask', () => (ran.push(1), 'once'))] });
    await run(opened);
    const approval = await opened.onlyApproval();
    await opened.world.decide(approval, { decision: 'approve' });
    await opened.chat.settled();
    const messages = await opened.chat.messages();
    const events = opened.toolEvents();
    expect(await opened.world.decide(approval, { decision: 'approve' })).toMatchObject({
      kind: 'repeated',
      status: 200,
      state: 'succeeded',
    });
    expect(await opened.world.decide(approval, { decision: 'deny' })).toMatchObject({
      kind: 'refused',
      status: 409,
      code: 'settled',
      state: 'succeeded',
    });
    await opened.world.quiet();
    expect(ran).toHaveLength(1);
    expect(await opened.chat.messages()).toEqual(messages);
    expect(opened.toolEvents()).toEqual(events);
  });

  it('[TURN6] a decision for an unknown id, a vendor id, a call without an approval or another turn has no effect', async () => {
    const opened = await openTestWorld({
      script: [calls({ name: 'free', id: 'vendor-7' }), calls('ask'), 'done'],
      tools: [gated('ask', () => 'x'), tool('free', () => 'y')],
    });
    await run(opened);
    const approval = await opened.onlyApproval();
    const free = opened.toolEvents().find((event) => event.tool_name === 'free');
    const before = await opened.chat.messages();
    const decide = (tool_call_id: string, more: object = {}) =>
      opened.world.decideCall('ada', { tool_call_id, decision: 'approve', ...more });
    expect(await decide('no-such-call')).toMatchObject({ status: 404, code: 'unknown' });
    expect(await decide('vendor-7')).toMatchObject({ status: 404, code: 'unknown' });
    expect(await decide(free?.invocation_id ?? '')).toMatchObject({ status: 409, code: 'settled' });
    expect(await decide(approval.approvalId, { turnId: free?.turn_id })).toMatchObject({
      status: 409,
      code: 'changed',
    });
    await opened.world.quiet();
    expect(await opened.chat.messages()).toEqual(before);
    expect(opened.provider.requests).toHaveLength(2);
    expect(await opened.chat.status()).toBe('waiting');
  });

  it('[TURN7] recognizes late duplicates from the stored records, many turns later and after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-'));
    try {
      const file = join(folder, 'late.db');
      const ran: unknown[] = [];
      const options: TestWorldOptions = {
        file,
        tools: [gated('ask', () => (ran.push(1), 'x'))],
        script: ({ messages }) => (messages.at(-1)?.content === 'go' ? calls('ask') : 'ok'),
      };
      const opened = await openTestWorld(options);
      await run(opened);
      const approval = await opened.onlyApproval();
      await opened.world.decide(approval, { decision: 'approve' });
      await opened.chat.settled();
      for (let turn = 0; turn < 30; turn += 1) {
        await opened.chat.send(`turn ${turn}`);
        await opened.chat.settled();
      }
      expect(await opened.world.decide(approval, { decision: 'approve' })).toMatchObject({ kind: 'repeated' });
      await closeTestWorld(opened);
      const again = await openTestWorld(options);
      expect(await again.world.decide(approval, { decision: 'approve' })).toMatchObject({ kind: 'repeated' });
      expect(await again.world.decide(approval, { decision: 'deny' })).toMatchObject({ status: 409 });
      await again.world.quiet();
      expect(ran).toHaveLength(1);
      expect(again.provider.requests).toHaveLength(0);
    } finally {
      await closeTestWorlds();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the order of execution', () => {
  /** Tools that report when they run, and finish when the test tells them to. */
  function slow(name: string, more: object = {}) {
    const entered = deferred();
    const leave = deferred<unknown>();
    return {
      entered: entered.promise,
      leave: leave.resolve,
      tool: tool(
        name,
        async () => {
          entered.resolve();
          return leave.promise;
        },
        more,
      ),
    };
  }

  it('[TURN8] a result is stored and shown before the next call starts', async () => {
    const opened = await openCalling(['one', 'two'], { tools: [tool('one', () => 1), tool('two', () => 2)] });
    await run(opened);
    const order = opened.events.flatMap((event) =>
      event.event === 'message' && event.data.role === 'tool'
        ? ['result']
        : event.event === 'tool'
          ? [`${event.data.tool_name} ${event.data.type.slice(15)}`]
          : [],
    );
    expect(order).toEqual(['one STARTED', 'result', 'one SUCCEEDED', 'two STARTED', 'result', 'two SUCCEEDED']);
  });

  it('[TURN9] calls run one after another by default', async () => {
    const first = slow('first');
    const opened = await openCalling(['first', 'second'], { tools: [first.tool, tool('second', () => 2)] });
    await opened.chat.send('go');
    await first.entered;
    expect(lifecycle(opened)).toEqual(['first: STARTED']);
    first.leave('x');
    await opened.chat.settled();
    expect(lifecycle(opened)).toEqual(['first: STARTED', 'first: SUCCEEDED', 'second: STARTED', 'second: SUCCEEDED']);
  });

  it('[TURN9] read-only calls run in parallel up to the limit, with results in call order', async () => {
    const readers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => slow(name, { readOnly: true }));
    const opened = await openCalling(['a', 'b', 'c', 'd', 'e', 'f'], { tools: readers.map((reader) => reader.tool) });
    await opened.chat.send('go');
    await Promise.all(readers.slice(0, 4).map((reader) => reader.entered));
    await turnsOfTheLoop();
    expect(lifecycle(opened)).toEqual(['a: STARTED', 'b: STARTED', 'c: STARTED', 'd: STARTED']);
    readers[3]?.leave('d first');
    await readers[4]?.entered;
    for (const [index, reader] of readers.entries()) reader.leave(index);
    await opened.chat.settled();
    expect(results(opened)).toEqual([0, 1, 2, 'd first', 4, 5].map((result) => ({ result })));
  });

  it('[TURN9] maxParallelTools is a setting of the world', async () => {
    const readers = ['a', 'b', 'c'].map((name) => slow(name, { readOnly: true }));
    const opened = await openCalling(['a', 'b', 'c'], {
      maxParallelTools: 2,
      tools: readers.map((reader) => reader.tool),
    });
    await opened.chat.send('go');
    await Promise.all(readers.slice(0, 2).map((reader) => reader.entered));
    await turnsOfTheLoop();
    expect(lifecycle(opened)).toEqual(['a: STARTED', 'b: STARTED']);
    for (const reader of readers) reader.leave('x');
    await opened.chat.settled();
  });

  it('[TURN9] a writing call between read-only calls runs alone', async () => {
    const reader = slow('read', { readOnly: true });
    const opened = await openCalling(['read', 'write', 'peek'], {
      tools: [reader.tool, tool('write', () => 1), tool('peek', () => 2, { readOnly: true })],
    });
    await opened.chat.send('go');
    await reader.entered;
    await turnsOfTheLoop();
    expect(lifecycle(opened)).toEqual(['read: STARTED']);
    reader.leave(0);
    await opened.chat.settled();
    expect(lifecycle(opened).slice(2)).toEqual([
      'write: STARTED',
      'write: SUCCEEDED',
      'peek: STARTED',
      'peek: SUCCEEDED',
    ]);
  });

  it('[TURN2] [TURN4] a denial is stored and shown immediately, while a slow sibling is still running', async () => {
    const sibling = slow('sibling');
    const opened = await openCalling(['ask', 'sibling'], { tools: [gated('ask', () => 'x'), sibling.tool] });
    await opened.chat.send('go');
    await sibling.entered;
    await opened.world.decide(await opened.onlyApproval(), { decision: 'deny', reason: 'no' });
    expect(lifecycle(opened)).toEqual(['ask: APPROVAL_REQUESTED', 'sibling: STARTED', 'ask: DENIED']);
    const denied = (await opened.chat.messages()).at(-1);
    expect(denied).toMatchObject({ role: 'tool', content: expect.stringContaining('User denied') as string });
    expect(opened.provider.requests).toHaveLength(1);
    sibling.leave('y');
    expect(await opened.chat.settled()).toBe('idle');
    expect(results(opened)).toEqual([{ error: 'User denied approval for ask', reason: 'no' }, { result: 'y' }]);
  });

  it('[TURN5] an approved call runs as soon as it is allowed to, while others are still waiting', async () => {
    const opened = await openCalling(['ask', 'ask'], { tools: [gated('ask', () => 'x')] });
    await run(opened);
    const [, second] = await opened.world.approvals();
    await opened.world.decide(second?.approvalId ?? '', { decision: 'approve' });
    expect(await opened.chat.settled()).toBe('waiting');
    await opened.world.quiet();
    expect(opened.toolEvents(second?.toolCallId).at(-1)?.type).toBe('TOOL_EXECUTION_SUCCEEDED');
    expect(await opened.chat.status()).toBe('waiting');
  });

  it('[TURN12] tool events come after the end of the stream that requested them', async () => {
    const opened = await openTestWorld({
      script: [{ say: 'I will look', calls: [{ name: 'look' }, { name: 'ask' }, { name: 'nowhere' }] }, 'done'],
      tools: [tool('look', () => 'sea'), gated('ask', () => 'x')],
    });
    await run(opened);
    const order = opened.events.flatMap((event) =>
      event.event === 'sse' ? [event.data.type] : event.event === 'tool' ? ['tool'] : [],
    );
    expect(order.indexOf('tool')).toBeGreaterThan(order.indexOf('end'));
    expect(order.slice(0, order.indexOf('tool'))).toEqual(['start', 'chunk', 'chunk', 'chunk', 'end']);
  });
});

async function turnsOfTheLoop(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('the loop', () => {
  it('[TURN10] ends after maxIterations model calls with an error event and a message to the human', async () => {
    let ran = 0;
    const opened = await openTestWorld({
      maxIterations: 3,
      script: () => calls('again'),
      tools: [tool('again', () => (ran += 1))],
    });
    expect(await run(opened)).toBe('failed');
    expect([opened.provider.requests.length, ran]).toEqual([3, 3]);
    const last = (await opened.chat.messages()).at(-1);
    expect(last).toMatchObject({ role: 'system', content: expect.stringContaining('3 model calls') as string });
    expect(notices(opened.events)).toEqual([last?.content]);
    expect(opened.events.filter((event) => event.event === 'system').at(-1)).toMatchObject({ data: { type: 'error' } });
  });

  it('[TURN10] an answer in the last model call still counts, and the default limit is ten', async () => {
    const script: ScriptedReply[] = [...Array.from({ length: 9 }, () => calls('again')), 'made it'];
    const opened = await openTestWorld({ script, tools: [tool('again', () => 1)] });
    await run(opened);
    expect((await opened.chat.messages()).at(-1)?.content).toBe('made it');
    const endless = await openTestWorld({ script: () => calls('again'), tools: [tool('again', () => 1)] });
    await run(endless);
    expect(endless.provider.requests).toHaveLength(10);
  });

  it('[TURN10] after giving up, the next message starts again with all results in view', async () => {
    const opened = await openTestWorld({
      maxIterations: 1,
      script: ({ messages }) => (messages.at(-1)?.content === 'go' ? calls('look') : 'I saw it'),
      tools: [tool('look', () => 'sea')],
    });
    await run(opened);
    await opened.chat.send('and?');
    await opened.chat.settled();
    expect(results(opened)).toEqual([{ result: 'sea' }]);
    expect((await opened.chat.messages()).at(-1)?.content).toBe('I saw it');
  });
});
