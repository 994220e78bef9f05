import {
  get,
  openChat,
  openWorldView,
  pendingApprovals,
  placeInQueue,
  sliceRows,
  values,
  type ChatStore,
} from '@countersign/client';
import { scripted, type ScriptedReply } from '@countersign/core/testing';
import type { GenerateRequest } from '@countersign/core/ports';
import fc from 'fast-check';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../packages/server/src/testing/free-port.js';
import { comparableChat, comparableWorld } from './comparable.js';
import { openHarbour, type Harbour } from './fixture.js';
import { runsFactor } from '../support/scaled.js';

const opened: Harbour[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const harbour of opened.splice(0)) await harbour.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Follows the last message: `call look, remove` makes two calls, anything else gets an answer. */
function obey({ messages, model }: GenerateRequest): ScriptedReply {
  const last = messages.at(-1);
  if (last?.role === 'tool') return model === 'Ada' ? '@Ben I am done, your turn.' : 'All is done here.';
  const wanted = /call ([a-z, ]+)/.exec(last?.content ?? '')?.[1];
  if (wanted === undefined) return 'Aye, I have heard you well enough.';
  return {
    say: 'I would do this:',
    calls: wanted.split(', ').map((name) => ({ name, arguments: { what: 'the crate' } })),
  };
}

async function harbourWithAgents(): Promise<Harbour & { world: string; chat: string }> {
  const harbour = await openHarbour(scripted(obey, { title: 'Tidy up' }));
  opened.push(harbour);
  const { client } = harbour;
  const { id: world } = await client.createWorld({ name: 'Harbour' });
  for (const name of ['Ada', 'Ben']) {
    await client.createAgent(world, { name, provider: 'scripted', model: name, tools: ['*'] });
  }
  const { id: chat } = await client.createChat(world);
  return { ...harbour, world, chat };
}

/** Polls with a long timeout for slow machines. */
const eventually = async (check: () => unknown): Promise<unknown> =>
  await vi.waitFor(check, { timeout: 30_000, interval: 5 });
const ready = async (store: ChatStore): Promise<unknown> =>
  await eventually(() => expect(store.getState().loading).toEqual({ kind: 'ready' }));
const settled = async (store: ChatStore, status: 'idle' | 'waiting'): Promise<unknown> =>
  await eventually(() => expect(store.getState().status).toBe(status));

describe('a view of a chat, over HTTP', () => {
  it('[CALL3] [CALL12] [TURN13] follows a turn with three calls: one runs, two wait, one after the other', async () => {
    const { client, world, chat } = await harbourWithAgents();
    const view = openChat(client, world, chat);
    await ready(view);
    await client.send(world, chat, { content: '@Ben call look, remove, remove' });
    await eventually(() => expect(view.getState().queue).toHaveLength(2));
    await settled(view, 'waiting');
    const [first, second] = pendingApprovals(view.getState());
    if (first === undefined || second === undefined) throw new Error('two should wait');
    expect(first).toMatchObject({
      toolName: 'remove',
      agentId: 'ben',
      options: expect.arrayContaining(['deny']) as unknown,
    });
    const line = sliceRows(view.getState().transcript)
      .map((id) => get(view.getState().messages, id))
      .find((message) => message?.invocationIds.length === 3);
    const kinds = (): (string | undefined)[] =>
      (line?.invocationIds ?? []).map((id) => get(view.getState().invocations, id)?.status.kind);
    expect(kinds()).toEqual(['succeeded', 'asked', 'asked']);
    const written = view.getState().outputs.get(line?.invocationIds[0] ?? '')?.parts ?? [];
    const on = (wanted: string): string => written.map(({ stream, text }) => (stream === wanted ? text : '')).join('');
    expect([on('stdout'), on('stderr')]).toEqual(['looking at the crate\n', 'hm\n']);
    const edit = client.decide(world, first, { decision: 'approve', arguments: { what: 'the old crate' } });
    await expect(edit).rejects.toMatchObject({ status: 409, state: 'asked' });
    await eventually(() => expect(view.getState().queue).not.toContain(first.approvalId));
    const shown = pendingApprovals(view.getState()).find(({ invocationId }) => invocationId === first.invocationId);
    if (shown === undefined) throw new Error('the edited call should wait');
    expect(shown.arguments).toEqual({ what: 'the old crate' });
    await client.decide(world, shown, { decision: 'approve', reason: 'only that' });
    await client.decide(world, second, { decision: 'deny', reason: 'not this one' });
    await settled(view, 'idle');
    expect(kinds()).toEqual(['succeeded', 'succeeded', 'denied']);
    const edited = get(view.getState().invocations, first.invocationId);
    expect(edited).toMatchObject({
      arguments: { what: 'the crate' },
      editedArguments: { what: 'the old crate' },
      status: { kind: 'succeeded', result: 'removed the old crate' },
    });
    expect(get(view.getState().approvals, shown.approvalId)?.decision).toMatchObject({
      outcome: 'approved',
      scope: 'once',
      by: { kind: 'token', name: 'token' },
      reason: 'only that',
    });
    expect(get(view.getState().invocations, second.invocationId)?.status).toEqual({
      kind: 'denied',
      reason: 'not this one',
    });
    await eventually(() => expect(view.getState().title).toBe('Tidy up'));
    view.close();
  });

  it('[HTTP14] tells the slower one of two people who decided first', async () => {
    const { client, world, chat } = await harbourWithAgents();
    await client.registerClient(world, { label: 'terminal', approvals: true });
    const view = openChat(client, world, chat);
    await ready(view);
    await client.send(world, chat, { content: '@Ada call remove' });
    await settled(view, 'waiting');
    const [approval] = pendingApprovals(view.getState());
    if (approval === undefined) throw new Error('one should wait');
    await client.decide(world, approval, { decision: 'deny', reason: 'no' });
    await expect(client.decide(world, approval, { decision: 'approve' })).rejects.toMatchObject({
      kind: 'problem',
      status: 409,
      state: 'denied',
    });
    await eventually(() =>
      expect(get(view.getState().approvals, approval.approvalId)?.decision).toMatchObject({
        outcome: 'denied',
        by: { kind: 'token', name: 'token' },
        via: 'terminal',
      }),
    );
    view.close();
  });

  it('[HTTP2] a question is answered with text', async () => {
    const { client, world, chat } = await harbourWithAgents();
    const view = openChat(client, world, chat);
    await ready(view);
    await client.send(world, chat, { content: '@Ben call wonder' });
    await settled(view, 'waiting');
    const [approval] = pendingApprovals(view.getState());
    if (approval === undefined) throw new Error('one should wait');
    expect(approval.question).toMatchObject({ text: 'What about the crate?', choices: ['keep', 'sell'] });
    await client.answer(world, { toolCallId: approval.approvalId, content: 'paint it' });
    await settled(view, 'idle');
    expect(get(view.getState().approvals, approval.approvalId)?.decision?.outcome).toBe('answered');
    expect(get(view.getState().invocations, approval.invocationId)?.status).toEqual({
      kind: 'succeeded',
      result: { answer: 'paint it' },
    });
    view.close();
  });

  it('[WORLD9] after a stop, nothing is shown as running', async () => {
    const { client, world, chat } = await harbourWithAgents();
    const view = openChat(client, world, chat);
    await ready(view);
    await client.send(world, chat, { content: '@Ada call linger' });
    await eventually(() => {
      const calls = [...values(view.getState().invocations)];
      expect(calls.map(({ status }) => status.kind)).toEqual(['running']);
    });
    await client.stop(world, chat);
    await settled(view, 'idle');
    const { streams, openInvocations, notices } = view.getState();
    expect({ streams, openInvocations }).toEqual({ streams: [], openInvocations: [] });
    expect(notices).toMatchObject([{ type: 'notice', message: 'Stopped by you.' }]);
    view.close();
  });

  it('loads pages backwards without gaps', async () => {
    const { client, world, chat } = await harbourWithAgents();
    for (let n = 0; n < 12; n += 1) await client.send(world, chat, { content: `@human number ${n}` });
    const view = openChat(client, world, chat, { pageSize: 5 });
    await ready(view);
    expect(view.getState().transcript.length).toBe(5);
    await client.send(world, chat, { content: '@human number 12' });
    await eventually(() => expect(view.getState().transcript.length).toBe(6));
    while (view.getState().older.kind === 'more') await view.loadOlder();
    const said = sliceRows(view.getState().transcript).map((id) => get(view.getState().messages, id)?.content);
    expect(said).toEqual(Array.from({ length: 13 }, (_, n) => `@human number ${n}`));
    await view.loadOlder();
    view.close();
  });

  it('explains that a chat does not exist or was deleted', async () => {
    const { client, world, chat } = await harbourWithAgents();
    const missing = openChat(client, world, 'chat_of_nobody');
    await eventually(() => expect(missing.getState().connection.kind).toBe('closed'));
    const view = openChat(client, world, chat);
    await ready(view);
    await client.deleteChat(world, chat);
    await eventually(() => expect(view.getState().deleted).toBe(true));
    missing.close();
    view.close();
  });
});

describe('a server that restarts', () => {
  it('[STORE6] [STORE3] nothing is lost or duplicated; with an older store, the view shows the data of that store', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-client-'));
    folders.push(folder);
    const file = join(folder, 'home', 'harbour.db');
    await mkdir(join(folder, 'home'));
    const open = async (at: number): Promise<Harbour> => {
      const harbour = await openHarbour(scripted(obey), { file, port: at });
      opened.push(harbour);
      return harbour;
    };
    const close = async (harbour: Harbour): Promise<void> => {
      opened.splice(opened.indexOf(harbour), 1);
      await harbour.close();
    };
    const port = await freePort();
    let harbour = await open(port);
    const { client } = harbour;
    const { id: world } = await client.createWorld({ name: 'Harbour' });
    await client.createAgent(world, { name: 'Ada', provider: 'scripted', model: 'Ada', tools: ['*'] });
    const { id: chat } = await client.createChat(world);
    const whole = openWorldView(client, world);
    const view = whole.openChat(chat);
    await ready(view);
    await client.send(world, chat, { content: '@Ada call remove' });
    await eventually(() => expect(view.getState().queue).toHaveLength(1));

    await close(harbour);
    await eventually(() => expect(view.getState().connection.kind).toBe('reconnecting'));
    await cp(join(folder, 'home'), join(folder, 'copy'), { recursive: true });
    harbour = await open(port);
    const [approval] = pendingApprovals(view.getState());
    if (approval === undefined) throw new Error('one should wait');
    await client.decide(world, approval, { decision: 'approve' });
    await settled(view, 'idle');
    const after = openChat(client, world, chat);
    await ready(after);
    expect(comparableChat(view.getState())).toEqual(comparableChat(after.getState()));
    const lines = view.getState().transcript.length;

    await close(harbour);
    await rm(join(folder, 'home'), { recursive: true });
    await cp(join(folder, 'copy'), join(folder, 'home'), { recursive: true });
    await open(port);
    await settled(view, 'waiting');
    expect(view.getState().transcript.length).toBeLessThan(lines);
    const restored = openChat(client, world, chat);
    await ready(restored);
    await eventually(() => expect(comparableChat(view.getState())).toEqual(comparableChat(restored.getState())));
    await eventually(() => expect(whole.getState().queue).toHaveLength(1));
    for (const store of [view, whole, after, restored]) store.close();
  });
});

describe('a view of a world, over HTTP', () => {
  it('[CALL12] [WORLD8] has its chats, agents and waiting approvals, and shares one stream with its chats', async () => {
    const { client, world, chat } = await harbourWithAgents();
    const view = openWorldView(client, world);
    await eventually(() => expect(view.getState().loading.kind).toBe('ready'));
    const inside = view.openChat(chat);
    await ready(inside);
    const other = await client.createChat(world, { title: 'Second' });
    await client.send(world, chat, { content: '@Ada call remove' });
    await client.send(world, other.id, { content: '@Ben call remove, remove' });
    await eventually(() => {
      expect(view.getState().chats.map(({ title, status, waiting }) => [title, status, waiting])).toEqual([
        ['Second', 'waiting', 2],
        ['@Ada call remove', 'waiting', 1],
      ]);
    });
    await eventually(() => expect(inside.getState().queue).toHaveLength(1));
    await client.changeChat(world, other.id, { title: 'Renamed' });
    await client.updateAgent(world, 'ada', { model: 'Ada', systemPrompt: 'Be brief.' });
    await eventually(() => {
      expect(view.getState().chats[0]?.title).toBe('Renamed');
      expect(view.getState().agents[0]?.systemPrompt).toBe('Be brief.');
      expect(inside.getState().agents[0]?.systemPrompt).toBe('Be brief.');
    });
    await client.deleteChat(world, other.id);
    await eventually(() => expect(view.getState().queue).toHaveLength(1));
    expect(view.getState().revisions).toMatchObject({ chat: expect.any(Number) as number });
    inside.close();
    view.close();
  });
});

describe('a long queue of approvals, over HTTP', () => {
  it('[CALL12.1] [LIMIT2] loads page by page: the first when a view opens, others on request or when the queue is short', async () => {
    const { client, world, chat } = await harbourWithAgents();
    const chats = [chat, (await client.createChat(world)).id];
    const calls = Array.from({ length: 60 }, () => 'remove').join(', ');
    const all = openWorldView(client, world);
    for (const each of chats)
      for (const name of ['Ada', 'Ben']) await client.send(world, each, { content: `@${name} call ${calls}` });
    await eventually(() => expect(all.getState().queue).toHaveLength(240));
    const view = openWorldView(client, world);
    await eventually(() => expect(view.getState().loading.kind).toBe('ready'));
    expect(view.getState().queue).toEqual(all.getState().queue.slice(0, 100));
    expect(placeInQueue(view.getState(), view.getState().queue[0] ?? '')).toEqual({ position: 1, total: '100+' });
    await view.loadLaterApprovals();
    expect(view.getState().queue).toEqual(all.getState().queue.slice(0, 200));
    // A second view receives decisions on pages that it has not loaded, and loads the next when few are left.
    const idle = openWorldView(client, world);
    await eventually(() => expect(idle.getState().loading.kind).toBe('ready'));
    await client.stop(world, chat);
    await eventually(() => expect(all.getState().queue).toHaveLength(120));
    await eventually(() => expect(view.getState().queue).toEqual(all.getState().queue.slice(0, 80)));
    await eventually(() => expect(idle.getState().queue).toEqual(all.getState().queue.slice(0, 100)));
    expect(pendingApprovals(idle.getState()).every(({ chatId }) => chatId === chats[1])).toBe(true);
    for (const each of [view, idle, all]) each.close();
  });
});

type Action =
  | { do: 'send'; to: 'Ada' | 'Ben'; calls: string[] }
  | { do: 'decide'; how: 'approve' | 'deny' | 'edit' | 'session' }
  | { do: 'stop' }
  | { do: 'cut' };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      to: fc.constantFrom('Ada' as const, 'Ben' as const),
      calls: fc.array(fc.constantFrom('look', 'look', 'remove', 'remove', 'fail', 'linger', 'nosuch'), {
        maxLength: 4,
      }),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      how: fc.constantFrom('approve' as const, 'deny' as const, 'edit' as const, 'session' as const),
    }),
    weight: 4,
  },
  { arbitrary: fc.constant({ do: 'stop' as const }), weight: 1 },
  { arbitrary: fc.constant({ do: 'cut' as const }), weight: 2 },
);

describe('views over a connection that is cut', () => {
  it(
    '[STORE6] [CALL12] end in the same state as a fresh load, at whichever byte each connection was cut',
    async () => {
      const harbour = await harbourWithAgents();
      const { client, wired, world } = harbour;
      const cuts = fc.array(fc.oneof(fc.nat(400), fc.nat(6000), fc.nat(40_000)), { maxLength: 40 });
      const actions = fc.array(action, { minLength: 3, maxLength: 10 });
      const property = fc.asyncProperty(actions, cuts, async (list, bytes) => {
        const { id: chat } = await client.createChat(world);
        await client.send(world, chat, { content: '@Ada hello' });
        await eventually(async () => expect((await client.chat(world, chat)).title).toBe('Tidy up'));
        harbour.cut(bytes);
        const whole = openWorldView(wired, world);
        const views = [whole.openChat(chat, { pageSize: 4 }), openChat(wired, world, chat, { pageSize: 7 })];
        for (const each of list) await act({ ...harbour, chat }, each);
        harbour.cut([]);
        // The lingering tool never finishes and a waiting call may keep waiting: both are valid states.
        await eventually(async () => expect(await isStill(harbour, chat)).toBe(true));
        const fresh = openChat(client, world, chat, { pageSize: 1000 });
        const freshWorld = openWorldView(client, world);
        await ready(fresh);
        await eventually(() => expect(freshWorld.getState().loading.kind).toBe('ready'));
        for (const view of views) {
          await eventually(async () => {
            await view.loadOlder().catch(() => undefined);
            expect(comparableChat(view.getState())).toEqual(comparableChat(fresh.getState()));
          });
        }
        await eventually(() =>
          expect(comparableWorld(whole.getState())).toEqual(comparableWorld(freshWorld.getState())),
        );
        for (const view of [...views, whole, fresh, freshWorld]) view.close();
        await client.deleteChat(world, chat);
      });
      await fc.assert(property, { numRuns: Math.ceil(10 * runsFactor), endOnFailure: true });
    },
    120_000 * Math.max(1, runsFactor),
  );
});

/** Everything has settled, except calls that only a person or a stop can end. */
async function isStill({ engine }: Harbour, chatId: string): Promise<boolean> {
  return await engine.runtime.store.read(async (reader) => {
    for (const turn of await reader.unfinishedTurns(chatId)) {
      if (turn.state !== 'open') continue;
      const calls = turn.iteration === 0 ? [] : await reader.invocations(turn.id, turn.iteration);
      if (!calls.some(({ status, toolName }) => status === 'started' && toolName === 'linger')) return false;
      if (calls.some(({ status, toolName }) => status === 'started' && toolName !== 'linger')) return false;
    }
    return true;
  });
}

async function act(harbour: Harbour & { world: string; chat: string }, action: Action): Promise<void> {
  const { client, wired, world, chat } = harbour;
  switch (action.do) {
    case 'send':
      // Sent over the connection that is cut; retries must store the message once.
      await wired
        .send(world, chat, {
          content: `@${action.to} ${action.calls.length === 0 ? 'hello' : `call ${action.calls.join(', ')}`}`,
        })
        .catch(() => undefined);
      return;
    case 'decide': {
      const [approval] = (await client.approvals(world, { chat })).items;
      if (approval === undefined) return;
      const { how } = action;
      const decision =
        how === 'deny'
          ? { decision: 'deny' as const, reason: 'not now' }
          : {
              decision: 'approve' as const,
              ...(how === 'edit' ? { arguments: { what: 'less' } } : {}),
              ...(how === 'session' ? { scope: 'session' as const } : {}),
            };
      await wired.decide(world, approval, decision).catch(() => undefined);
      return;
    }
    case 'stop':
      await client.stop(world, chat);
      return;
    case 'cut':
      harbour.cutNow();
  }
}
