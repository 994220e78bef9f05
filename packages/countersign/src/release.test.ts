import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorld, closeTestWorlds, gated, openTestWorld, tool } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { about, first, obedient, propose, recorder, remove } from './testing/obedient.js';

const folder = freshFolder();
const MEG = { who: 'meg' };

afterEach(closeTestWorlds);

type Options = NonNullable<Parameters<typeof openTestWorld>[0]>;

async function open(options: Options = {}) {
  const { runs, tool: removing } = recorder();
  const t = await openTestWorld({ script: obedient, ...options, tools: [removing, ...(options.tools ?? [])] });
  const waiting = async () => (await t.world.approvals()).map(({ arguments: args }) => JSON.stringify(args));
  return { ...t, runs, waiting };
}

async function decisionOn(chat: Awaited<ReturnType<typeof open>>['chat'], approvalId: string | undefined) {
  const message = (await chat.messages()).find(({ tool_call_id: id }) => id === approvalId);
  return JSON.parse(message?.content ?? '{}') as unknown;
}

describe('a decision that covers more than its call', () => {
  it('[CALL5.4] for this chat: waiting calls that it covers run once each, and others keep waiting', async () => {
    const t = await open({ tools: [gated('stamp', async () => 'stamped')] });
    await propose(t, remove('a'), remove('b'), { name: 'stamp', arguments: { n: 1 } }, remove('c'));
    const [, second] = await t.world.approvals();
    await t.world.decide(
      about(await t.world.approvals(), 'a'),
      { decision: 'approve', scope: 'session', pattern: '*' },
      MEG,
    );
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }]);
    expect(await t.waiting()).toEqual(['{"n":1}']);
    expect(t.toolEvents(second?.toolCallId).map(({ type }) => type)).toEqual([
      'TOOL_APPROVAL_REQUESTED',
      'TOOL_APPROVED',
      'TOOL_EXECUTION_STARTED',
      'TOOL_EXECUTION_SUCCEEDED',
    ]);
    const records = (await t.world.audit()).filter(({ invocationId }) => invocationId === second?.toolCallId);
    expect(records).toMatchObject([
      { kind: 'request' },
      {
        kind: 'decision',
        decision: 'release',
        scope: 'session',
        who: { name: 'meg' },
        why: 'covered by a grant for this chat',
      },
      { kind: 'run', why: 'grant' },
      { kind: 'outcome' },
    ]);
    const told = await decisionOn(t.chat, second?.approvalId);
    expect(told).toMatchObject({ decision: 'approve', scope: 'session', released: true });
    // A late decision on the same card is refused, and nothing runs again.
    const late = await t.world.decide(second ?? first([]), { decision: 'approve' }, MEG);
    expect(late).toMatchObject({ status: 409, detail: 'this was already approved by meg' });
    expect(t.runs).toHaveLength(3);
  });

  it('[CALL5.4] for this chat: runs only calls of this agent in this chat, and with a pattern only matching ones', async () => {
    const t = await open();
    const other = await t.world.chat();
    await propose(t, remove('a1'), remove('a2'), remove('b'));
    await propose({ chat: other }, remove('a3'));
    const asked = about(await t.world.approvals(), 'a1');
    await t.world.decide(asked, { decision: 'approve', scope: 'session', pattern: 'path=a*' }, MEG);
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'a1' }, { path: 'a2' }]);
    expect((await t.waiting()).toSorted()).toEqual(['{"path":"a3"}', '{"path":"b"}']);
  });

  it('[CALL5.4] always, or a rule added to the policy: runs matching calls in every chat of the world', async () => {
    const t = await open();
    const other = await t.world.chat();
    await propose(t, remove('a1'), remove('b1'));
    await propose({ chat: other }, remove('a2'), remove('b2'));
    const asked = about(await t.world.approvals(), 'a1');
    await t.world.decide(asked, { decision: 'approve', scope: 'always', rule: 'allow remove(path=a*)' }, MEG);
    await t.chat.settled();
    await other.settled();
    expect(t.runs).toEqual([{ path: 'a1' }, { path: 'a2' }]);
    const b2 = about(await t.world.approvals(), 'b2');
    await t.world.setPolicy(['allow remove(path=b2)']);
    await other.settled();
    expect(t.runs).toEqual([{ path: 'a1' }, { path: 'a2' }, { path: 'b2' }]);
    expect(await t.waiting()).toEqual(['{"path":"b1"}']);
    const told = await decisionOn(other, b2.approvalId);
    expect(told).toMatchObject({ scope: 'always', released: true, rule: 'allow remove(path=b2)' });
    const released = (await t.world.audit()).filter(({ kind, rule }) => kind === 'decision' && rule !== undefined);
    expect(released.map(({ scope, rule }) => [scope, rule])).toEqual([
      ['always', 'allow remove(path=a*)'],
      ['always', 'allow remove(path=b2)'],
    ]);
  });

  it('[CALL5.6] [CALL2] never runs calls that an ask or deny rule matches, or that can only be approved once', async () => {
    const t = await open({ policy: ['ask remove(path=b*)'] });
    await propose(t, remove('a'), remove('b1'), remove('b2'), remove('c'));
    await t.world.setPolicy(['ask remove(path=b*)', 'deny remove(path=c)']);
    const asked = about(await t.world.approvals(), 'a');
    await t.world.decide(asked, { decision: 'approve', scope: 'session', pattern: '*' }, MEG);
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'a' }]);
    await t.world.decide(about(await t.world.approvals(), 'b1'), { decision: 'approve', scope: 'session' }, MEG);
    await t.chat.settled();
    expect(t.runs).toEqual([{ path: 'a' }, { path: 'b1' }]);
    expect(await t.waiting()).toEqual(['{"path":"b2"}', '{"path":"c"}']);
  });

  it('[CALL5.6] [CALL7] never runs a call that changed after it was shown, and never answers a question', async () => {
    let content = 'old';
    const runs: unknown[] = [];
    const write = {
      ...gated('write', async (args) => runs.push(args)),
      fingerprint: async ({ path }: { path: string }) => (path === 'b' ? content : ''),
    } as ReturnType<typeof gated>;
    const ask = {
      ...tool('ask_human', async () => undefined),
      question: () => ({ text: 'Which?', choices: [] }),
    };
    const t = await open({ tools: [write, ask] });
    const call = (path: string) => ({ name: 'write', arguments: { path } });
    await propose(t, call('a'), call('b'), call('c'), { name: 'ask_human', arguments: {} });
    content = 'new';
    const asked = about(await t.world.approvals(), 'a');
    await t.world.decide(asked, { decision: 'approve', scope: 'session', pattern: '*' }, MEG);
    await t.chat.settled();
    expect(runs).toEqual([{ path: 'a' }, { path: 'c' }]);
    await t.world.setPolicy(['allow *']);
    expect(await t.waiting()).toEqual(['{"path":"b"}', '{}']);
  });

  it('[CALL5.5] [STORE3] calls that a crash left waiting between decision and release run after the next start', async () => {
    const file = folder('release.db');
    const crashing = await open({
      file,
      probe: (moment) => {
        if (moment === 'before release') throw new Error('crash');
      },
    });
    await propose(crashing, remove('a'), remove('b'));
    const asked = about(await crashing.world.approvals(), 'a');
    await crashing.world.decide(asked, { decision: 'approve', scope: 'session', pattern: '*' }, MEG);
    await crashing.chat.settled();
    expect(crashing.runs).toEqual([{ path: 'a' }]);
    expect(crashing.errors).toHaveLength(1);
    expect(await crashing.waiting()).toEqual(['{"path":"b"}']);
    await closeTestWorld(crashing);

    const t = await open({ file });
    await t.heard((event) => event.event === 'tool' && event.data.type === 'TOOL_EXECUTION_SUCCEEDED');
    expect(t.runs).toEqual([{ path: 'b' }]);
    expect(await t.waiting()).toEqual([]);
    const last = (await t.world.audit()).findLast(({ kind }) => kind === 'decision');
    expect(last).toMatchObject({ scope: 'session', who: { name: 'meg' } });
  });

  it('[CALL5.5] [LOG1] a released call is recorded as decided by the author of its rule, even if someone else adds a rule later', async () => {
    let isDown = true;
    const t = await open({
      probe: (moment) => {
        if (isDown && moment === 'before release') throw new Error('crash');
      },
    });
    await propose(t, remove('a1'), remove('a2'), remove('b1'), remove('b2'));
    const always = async (path: string, rule: string, who: string) =>
      await t.world.decide(
        about(await t.world.approvals(), path),
        { decision: 'approve', scope: 'always', rule },
        { who },
      );
    await always('a1', 'allow remove(path=a*)', 'ada');
    isDown = false;
    await always('b1', 'allow remove(path=b*)', 'meg');
    await t.chat.settled();
    expect(t.runs).toHaveLength(4);
    const released = (await t.world.audit()).filter(({ kind, rule }) => kind === 'decision' && rule !== undefined);
    expect(released).toMatchObject([
      { who: { name: 'ada' }, rule: 'allow remove(path=a*)' },
      { who: { name: 'meg' }, rule: 'allow remove(path=b*)' },
    ]);
  });
});
