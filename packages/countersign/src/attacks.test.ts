import { mkdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../tests/support/scaled.js';
import { closeTestWorld, deferred, gated, openTestWorld, tool } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, lastResults, obedient, propose, recorder, remove } from './testing/obedient.js';
import { openRaw } from './testing/raw-database.js';

const inFolder = freshFolder();

/** Calls in one response. */
const FLOOD = scaled(3_000, 200);

describe('an old approval', () => {
  it('[CALL8] from an earlier turn does not apply to the same call in a later one', async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, remove('a'));
    const old = await t.onlyApproval();
    await t.world.decide(old, { decision: 'approve' });
    await t.chat.settled();
    await propose(t, remove('a'));
    const fresh = await t.onlyApproval();
    expect(fresh.callHash).toBe(old.callHash);
    await t.world.decide(old, { decision: 'approve' });
    await t.world.decide(old.toolCallId, { decision: 'approve' });
    const { turnId } = old;
    expect(
      await t.world.decideCall('ada', { tool_call_id: fresh.toolCallId, decision: 'approve', turnId }),
    ).toMatchObject({ status: 409, code: 'changed' });
    await t.world.quiet();
    expect(await t.onlyApproval()).toEqual(fresh);
    expect(runs).toHaveLength(1);
  });

  it('[CALL6] for a deleted chat, agent or world runs nothing', async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, remove('a'));
    const inChat = await t.onlyApproval();
    await t.chat.delete();
    expect(await t.world.decide(inChat, { decision: 'approve' })).toMatchObject({ status: 404 });
    const chat = await t.world.chat();
    await propose({ chat }, remove('b'));
    const ofAgent = await t.onlyApproval();
    await t.world.removeAgent('ada');
    expect(await t.world.decide(ofAgent, { decision: 'approve' })).toMatchObject({ status: 409, state: 'denied' });
    await t.world.delete();
    await expect(t.world.decide(ofAgent, { decision: 'approve' })).rejects.toMatchObject({ code: 'not-found' });
    await t.world.quiet();
    expect(runs).toEqual([]);
  });

  it('[CALL7] does not apply after the world moved to another working folder', async () => {
    const { runs, tool: removing } = recorder();
    await mkdir(inFolder('mine'));
    await mkdir(inFolder('theirs'));
    const t = await openTestWorld({ script: obedient, tools: [removing], workingDirectory: inFolder('mine') });
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await t.world.update({ workingDirectory: inFolder('theirs') });
    expect(await t.world.decide(approval, { decision: 'approve', scope: 'session' })).toMatchObject({ status: 409 });
    expect(await t.world.grants()).toEqual([]);
    expect(runs).toEqual([]);
  });
});

describe('a flood of calls', () => {
  it(`[TURN1] of ${FLOOD} calls in one response, 64 wait for a person and the rest fail`, async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, ...Array.from({ length: FLOOD }, (_, n) => remove(String(n))));
    expect(await t.world.approvals()).toHaveLength(64);
    expect(t.toolEvents().filter(({ type }) => type === 'TOOL_EXECUTION_FAILED')).toHaveLength(FLOOD - 64);
    expect(runs).toEqual([]);
  });

  it('[TURN1] [TURN11.1] calls with too many values together fail, and their arguments are truncated', async () => {
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`a${at}`, 'x'.repeat(100)]));
    const t = await openTestWorld({
      script: [{ calls: Array.from({ length: 10 }, () => ({ name: 'look', arguments: many })) }, 'done'],
      tools: [tool('look', () => 'seen')],
    });
    await t.chat.send('go');
    expect(await t.chat.settled()).toBe('idle');
    const failed = t.toolEvents().filter(({ type }) => type === 'TOOL_EXECUTION_FAILED');
    expect(failed).toHaveLength(9);
    expect(failed[0]).toMatchObject({ error: expect.stringContaining('more than 5000 values') as string });
    const answer = t.provider.requests.at(-1)?.messages.find(({ role }) => role === 'assistant');
    expect(JSON.stringify(answer).length).toBeLessThan(1_500_000);
  });

  it('[TURN1] [TURN11.1] megabytes of text and arguments are truncated to a readable size', async () => {
    const long = 'a+'.repeat(1_000_000);
    const t = await openTestWorld({
      script: [{ say: long, calls: [{ name: 'look', arguments: { long } }] }, 'done'],
      tools: [tool('look', () => 'seen')],
    });
    await t.chat.send('go');
    expect(await t.chat.settled()).toBe('idle');
    expect(t.toolEvents()).toMatchObject([
      { error: 'The arguments of your response are larger than 1 MB. Send less, or split it into several responses.' },
    ]);
    const answer = t.provider.requests.at(-1)?.messages.find(({ role }) => role === 'assistant');
    expect(answer?.content).toMatch(/\+\n\[1000000 characters were left out here\.\]$/);
    expect(JSON.stringify(answer).length).toBeLessThan(1_100_000);
  });

  it('[CALL19] with 200 waiting calls in all its chats, further calls of an agent that need approval fail', async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({
      script: obedient,
      tools: [removing, tool('look', () => 'seen')],
      agents: ['Ada', 'Bob'],
    });
    await t.world.update({ mainAgent: 'ada' });
    for (const count of [64, 64, 64]) {
      const chat = await t.world.chat();
      await propose({ chat }, ...Array.from({ length: count }, (_, n) => remove(String(n))));
    }
    const calls = [...Array.from({ length: 9 }, (_, n) => remove(`last ${n}`)), { name: 'look' }];
    await propose(t, ...calls);
    const waiting = await t.world.approvals();
    expect(waiting).toHaveLength(200);
    const failed = t.toolEvents().filter(({ type }) => type === 'TOOL_EXECUTION_FAILED');
    expect(failed).toMatchObject([
      {
        error: expect.stringMatching(
          /^Nothing ran\. 200 of your calls are already waiting for approval, most of them in the chats chat_\S+ \(64\), chat_\S+ \(64\), chat_\S+ \(64\)\. Wait until a person has decided on some of them\.$/,
        ) as string,
      },
    ]);
    // A call that needs no approval still runs.
    expect(t.toolEvents().filter(({ type }) => type === 'TOOL_EXECUTION_SUCCEEDED')).toMatchObject([
      { tool_name: 'look' },
    ]);
    for (const approval of waiting.filter(({ chatId }) => chatId === t.chat.id)) {
      await t.world.decide(approval, { decision: 'deny' });
    }
    await t.chat.settled();
    await propose(t, remove('again'));
    expect(await t.world.approvals()).toHaveLength(193);
    expect(runs).toEqual([]);
  });

  it('[CALL19] [CALL12.2] the waiting calls of one agent don’t block other agents', async () => {
    const t = await openTestWorld({ script: obedient, tools: [recorder().tool], agents: ['Ada', 'Bob'] });
    for (let chats = 0; chats < 4; chats += 1) {
      const chat = await t.world.chat();
      await t.world.update({ mainAgent: 'ada' });
      await propose({ chat }, ...Array.from({ length: 64 }, (_, n) => remove(String(n))));
    }
    await t.world.update({ mainAgent: 'bob' });
    await propose(t, remove('mine'));
    const waiting = await t.world.approvals();
    expect(waiting.filter(({ agentId }) => agentId === 'bob')).toHaveLength(1);
    expect(waiting).toHaveLength(201);
  });
});

describe('an edited call', () => {
  it('[CALL7.4] with an unknown outcome still tells the model what ran', async () => {
    const began = deferred();
    const removing = gated('remove', () => {
      began.resolve();
      return new Promise(() => undefined);
    });
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, remove('a'));
    await t.world.decide(await t.edit({ path: 'b' }), { decision: 'approve' });
    await began.promise;
    await t.chat.stop();
    await t.chat.send('what happened?');
    await t.chat.settled();
    const results = t.provider.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(results?.map(({ content }) => JSON.parse(content) as unknown)).toEqual([
      { error: 'stopped, outcome unknown', outcome: 'stopped', result: { edited_by_person: { path: 'b' } } },
    ]);
  });

  it('[CALL7.4] that needs approval again shows the edited arguments, not the original ones, and runs only with those', async () => {
    let content = 'old';
    const ran: unknown[] = [];
    const slow = deferred();
    const write = { ...gated('write', async (args) => ran.push(args)), fingerprint: async () => content };
    const t = await openTestWorld({ script: obedient, tools: [tool('slow', () => slow.promise), write] });
    await t.chat.send(JSON.stringify([{ name: 'slow' }, { name: 'write', arguments: { text: 'theirs' } }]));
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_STARTED');
    await t.world.decide(await t.edit({ text: 'mine' }), { decision: 'approve' });
    content = 'new';
    slow.resolve();
    expect(await t.chat.settled()).toBe('waiting');
    const renewed = await t.onlyApproval();
    expect(renewed.arguments).toEqual({ text: 'mine' });
    await t.world.decide(renewed, { decision: 'approve' });
    await t.chat.settled();
    expect(ran).toEqual([{ text: 'mine' }]);
    expect(lastResults(t)[1]).toMatchObject({ result: { edited_by_person: { text: 'mine' } } });
  });
});

describe('damage', () => {
  it('[CALL2] [CALL15] with an unreadable policy, everything needs approval, including calls that ran without it', async () => {
    const file = inFolder('harbour.db');
    const { runs, tool: removing } = recorder();
    const looked: unknown[] = [];
    const tools = [removing, tool('look', async (args) => looked.push(args))];
    const t = await openTestWorld({ script: obedient, tools, file, policy: ['allow remove'] });
    await closeTestWorld(t);
    const raw = openRaw(file);
    raw.prepare('update world_policies set policy = ?').run('["allow remove","deny ("]');
    raw.close();
    const again = await openTestWorld({ script: obedient, tools, file });
    expect(await propose(again, remove('a'), { name: 'look' })).toBe('waiting');
    expect(await again.world.approvals()).toHaveLength(2);
    expect([...runs, ...looked]).toEqual([]);
  });

  it('[CALL8] a decision that a crash interrupted does not count, and can be made again', async () => {
    const { runs, tool: removing } = recorder();
    let failing = false;
    const t = await openTestWorld({
      script: obedient,
      tools: [removing],
      probe: (moment) => {
        if (failing && moment === 'before decision') throw new Error('the power went out');
      },
    });
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    failing = true;
    await expect(t.world.decide(approval, { decision: 'approve' })).rejects.toThrow('power');
    failing = false;
    expect(await t.onlyApproval()).toEqual(approval);
    expect(runs).toEqual([]);
    expect(await t.world.decide(approval, { decision: 'approve' })).toMatchObject({ kind: 'recorded' });
    await t.chat.settled();
    expect(runs).toHaveLength(1);
  });
});

describe('concurrency', () => {
  it('[CALL8] of fifty concurrent decisions on ten calls, one counts per call, and approved calls run exactly once', async () => {
    const { runs, tool: removing } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [removing] });
    await propose(t, ...Array.from({ length: 10 }, (_, n) => remove(String(n))));
    const approvals = await t.world.approvals();
    const outcomes = await Promise.all(
      approvals.flatMap((approval) =>
        (['approve', 'deny', 'approve', 'deny', 'approve'] as const).map(async (decision, n) => {
          const id = n % 2 === 0 ? approval.approvalId : approval.toolCallId;
          const outcome = await t.world.decide(id, { decision }, { who: `hand ${n}` });
          return { call: approval.toolCallId, decision, kind: outcome.kind };
        }),
      ),
    );
    await t.chat.settled();
    await t.world.quiet();
    for (const { toolCallId } of approvals) {
      const counted = outcomes.filter(({ call, kind }) => call === toolCallId && kind === 'recorded');
      expect(counted).toHaveLength(1);
      const started = t.toolEvents(toolCallId).filter(({ type }) => type === 'TOOL_EXECUTION_STARTED');
      expect(started).toHaveLength(first(counted).decision === 'approve' ? 1 : 0);
    }
    const approved = outcomes.filter(({ decision, kind }) => decision === 'approve' && kind === 'recorded');
    expect(runs).toHaveLength(approved.length);
    expect(t.provider.requests).toHaveLength(2);
  });
});
