import { createWorld, addAgent, createChat, publishMessage, type Engine } from '@countersign/core';
import type { Store, StoreReader, StoreTransaction, ChatState } from '@countersign/core/ports';
import { createFakeClock } from '@countersign/core/testing';
import { openSqlite } from '@countersign/storage';
import { beforeEach, describe, expect, it } from 'vitest';
import { scaled } from '../../../tests/support/scaled.js';
import { closeTestWorld, deferred, gated, openTestWorld, type TestWorldOptions } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, lastResults, obedient, propose, recorder, remove } from './testing/obedient.js';
import { createTestEngine, person } from './testing/test-engine.js';

const inFolder = freshFolder();
let file = '';
beforeEach(() => {
  file = inFolder('harbour.db');
});

describe('pending state', () => {
  it('[CALL9] is the same after a restart: approvals, messages, grants, rules, audit and chats', async () => {
    const { tool } = recorder();
    const options = { script: obedient, tools: [tool], file, clock: createFakeClock() };
    const t = await openTestWorld(options);
    await propose(t, remove('a'), { name: 'remove', arguments: { password: 'hunter2-secret' } });
    const other = await t.world.chat();
    await propose({ chat: other }, remove('b'));
    await t.world.decide(first(await t.world.approvals({ status: 'pending', chatId: other.id })), {
      decision: 'approve',
      scope: 'session',
    });
    await other.settled();
    await t.world.quiet();
    const look = async ({ world }: Pick<typeof t, 'world'>) => ({
      pending: await world.approvals(),
      all: await world.approvals({}),
      grants: await world.grants(),
      audit: await world.audit(),
      messages: await Promise.all([t.chat.id, other.id].map(async (id) => await (await world.chat(id)).messages())),
      status: await Promise.all([t.chat.id, other.id].map(async (id) => await (await world.chat(id)).status())),
    });
    const before = await look(t);
    expect(before.pending).toHaveLength(2);
    expect(before.status).toEqual(['waiting', 'idle']);
    await closeTestWorld(t);
    const again = await openTestWorld(options);
    expect(await look(again)).toEqual(before);
    expect(again.provider.requests).toEqual([]);
  });

  it('[CALL9] a restart neither replays the message nor requests approval again (bugs in other frameworks)', async () => {
    const { runs, tool } = recorder();
    const options = { script: obedient, tools: [tool], file };
    let t = await openTestWorld(options);
    await propose(t, remove('a'));
    const { id } = t.chat;
    const approval = await t.onlyApproval();
    for (let n = 0; n < 6; n += 1) {
      await closeTestWorld(t);
      t = await openTestWorld(options);
      await t.world.quiet();
      expect(t.provider.requests).toEqual([]);
      expect(await t.onlyApproval()).toEqual(approval);
    }
    const chat = await t.world.chat(id);
    expect((await chat.messages()).filter(({ role }) => role === 'user')).toHaveLength(1);
    await t.world.decide(approval, { decision: 'approve' });
    expect(await chat.settled()).toBe('idle');
    expect(runs).toEqual([{ path: 'a' }]);
    expect(t.provider.requests).toHaveLength(1);
  });

  it('[CALL9] if A is approved before the restart and B after it, each runs once, and the model gets both results', async () => {
    const { runs, tool } = recorder();
    const options = { script: obedient, tools: [tool], file };
    const t = await openTestWorld(options);
    await propose(t, remove('a'), remove('b'));
    const [a, b] = await t.world.approvals();
    if (a === undefined || b === undefined) throw new Error('two were to be asked');
    await t.world.decide(a, { decision: 'approve' });
    await t.chat.settled();
    await closeTestWorld(t);
    const again = await openTestWorld(options);
    const chat = await again.world.chat(t.chat.id);
    expect(await again.world.decide(a, { decision: 'approve' })).toMatchObject({ kind: 'repeated' });
    expect(await again.world.decide(b, { decision: 'deny' })).toMatchObject({ kind: 'recorded' });
    expect(await chat.settled()).toBe('idle');
    expect(runs).toEqual([{ path: 'a' }]);
    expect(lastResults(again)).toMatchObject([{ result: 'remove ran' }, { error: 'User denied approval for remove' }]);
  });

  it('[CALL8] [HTTP14] a decision resent after the restart is a repeat; a changed one gets 409', async () => {
    const { runs, tool } = recorder();
    const options = { script: obedient, tools: [tool], file };
    const t = await openTestWorld(options);
    await propose(t, remove('a'));
    const approval = await t.onlyApproval();
    await t.world.decide(approval, { decision: 'approve' });
    await t.chat.settled();
    await closeTestWorld(t);
    const again = await openTestWorld(options);
    expect(await again.world.decide(approval, { decision: 'approve' })).toMatchObject({
      kind: 'repeated',
      status: 200,
    });
    expect(await again.world.decide(approval, { decision: 'deny' })).toMatchObject({ status: 409 });
    await again.world.quiet();
    expect(runs).toHaveLength(1);
  });

  const CHATS = scaled(200, 20);
  const EACH = 5;
  it(`[CALL9] [CALL8] ${CHATS * EACH} approvals pending across a restart: all are there, in order, and each runs once`, async () => {
    // At most 200 calls of one agent wait.
    const agents = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'];
    const { runs, tool } = recorder();
    const options: TestWorldOptions = { script: obedient, tools: [tool], agents, file, synchronous: 'NORMAL' };
    const t = await openTestWorld(options);
    for (let c = 0; c < CHATS; c += 1) {
      const mainAgent = t.agents[Math.floor((c * agents.length) / CHATS)]?.id;
      if (mainAgent !== undefined) await t.world.update({ mainAgent });
      const chat = await t.world.chat();
      const calls = Array.from({ length: EACH }, (_, n) => remove(`${c}/${n}`));
      expect(await propose({ chat }, ...calls)).toBe('waiting');
    }
    const before = await t.world.approvals();
    await closeTestWorld(t);
    const again = await openTestWorld(options);
    const after = await again.world.approvals();
    expect(after).toHaveLength(CHATS * EACH);
    expect(after).toEqual(before);
    const paths = after.map(({ arguments: args }) => (args as { path: string }).path);
    expect(paths).toEqual(Array.from({ length: CHATS * EACH }, (_, n) => `${Math.floor(n / EACH)}/${n % EACH}`));
    const outcomes = await Promise.all(
      after.toReversed().map((approval) => again.world.decide(approval, { decision: 'approve' })),
    );
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['recorded']));
    const repeats = await Promise.all(
      after.slice(0, EACH).map((approval) => again.world.decide(approval.toolCallId, { decision: 'approve' })),
    );
    expect(new Set(repeats.map(({ kind }) => kind))).toEqual(new Set(['repeated']));
    await again.world.quiet();
    expect(await again.world.approvals()).toEqual([]);
    expect(runs.map(({ path }) => String(path)).toSorted()).toEqual(paths.toSorted());
    expect((await again.world.chats()).filter(({ status }) => status !== 'idle')).toEqual([]);
  });
});

describe('a tool that was running when its process ended', () => {
  /** A tool that never finishes, and a count of its starts. */
  function endless(more: { idempotent?: boolean } = {}) {
    const starts: unknown[] = [];
    const began = deferred();
    const again = deferred();
    const end = deferred<string>();
    const tool = gated(
      'send',
      (args) => {
        starts.push(args);
        (starts.length === 1 ? began : again).resolve();
        return end.promise;
      },
      more,
    );
    return { starts, began, again, end, tool };
  }

  async function interrupted(more: { idempotent?: boolean } = {}, scope: 'once' | 'session' = 'once') {
    const sending = endless(more);
    const options = { script: obedient, tools: [sending.tool], file };
    const t = await openTestWorld(options);
    await propose(t, { name: 'send', arguments: { to: 'meg' } });
    const approval = await t.onlyApproval();
    await t.world.decide(approval, { decision: 'approve', scope });
    await sending.began.promise;
    await closeTestWorld(t);
    const again = await openTestWorld(options);
    return { ...again, ...sending, approval, chat: await again.world.chat(t.chat.id) };
  }

  it('[STORE3.1] fails with outcome unknown, does not run again, and the model is told', async () => {
    const t = await interrupted();
    expect(await t.chat.settled()).toBe('idle');
    expect(t.starts).toHaveLength(1);
    expect(lastResults(t)).toEqual([{ error: 'interrupted, outcome unknown', outcome: 'interrupted' }]);
    // Read from the record: it may have settled before anyone could listen again.
    const told = (await t.chat.messages()).flatMap(
      ({ toolCallStatus }) => toolCallStatus?.[t.approval.toolCallId] ?? [],
    );
    const ended = { error: 'interrupted, outcome unknown', outcome: 'interrupted' };
    expect(told).toEqual([{ complete: true, result: ended }]);
    expect(await t.world.decide(t.approval, { decision: 'approve' })).toMatchObject({
      kind: 'repeated',
      state: 'failed',
    });
    await t.world.quiet();
    expect(t.starts).toHaveLength(1);
    expect(await t.world.audit()).toContainEqual(
      expect.objectContaining({ kind: 'outcome', decision: 'outcome unknown', tool: 'send' }),
    );
  });

  it('[STORE3.2] the same call then needs approval, whatever grants and rules say; other calls do not', async () => {
    const t = await interrupted({}, 'session');
    await t.chat.settled();
    await t.world.setPolicy(['allow send']);
    expect(await propose(t, { name: 'send', arguments: { to: 'meg' } })).toBe('waiting');
    const approval = await t.onlyApproval();
    expect(approval.reason.code).toBe('outcome-unknown');
    expect(approval.options).toEqual(['deny', 'approve_once']);
    expect(await t.world.decide(approval, { decision: 'approve', scope: 'session' })).toMatchObject({ status: 422 });
    await t.world.decide(approval, { decision: 'deny' });
    await t.chat.settled();
    expect(await propose(t, { name: 'send', arguments: { to: 'meg' } })).toBe('waiting');
    expect(t.starts).toHaveLength(1);
    await t.chat.stop();
    await t.chat.send('[{"name":"send","arguments":{"to":"joe"}}]');
    await t.again.promise;
    expect(t.starts).toEqual([{ to: 'meg' }, { to: 'joe' }]);
  });

  it('[STORE3.1] [TURN4.4] runs again under the same approval if it is idempotent', async () => {
    const t = await interrupted({ idempotent: true });
    await t.again.promise;
    t.end.resolve('sent');
    expect(await t.chat.settled()).toBe('idle');
    expect(t.starts).toEqual([{ to: 'meg' }, { to: 'meg' }]);
    expect(lastResults(t)).toEqual([{ result: 'sent' }]);
    expect(await t.world.approvals()).toEqual([]);
  });
});

describe('the transcript', () => {
  it('[STORE2] is append-only: existing messages stay unchanged', async () => {
    const { tool } = recorder();
    const t = await openTestWorld({ script: obedient, tools: [tool], file });
    const bare = async () =>
      (await t.chat.messages()).map(({ messageId, role, content, createdAt }) => [messageId, role, content, createdAt]);
    let before = await bare();
    for (const act of [
      () => propose(t, remove('a'), remove('b')),
      async () => await t.world.decide(first(await t.world.approvals()), { decision: 'approve' }),
      () => t.chat.send('hello'),
      async () => await t.world.decide(first(await t.world.approvals()), { decision: 'deny' }),
      () => t.chat.settled(),
      () => t.chat.stop(),
    ]) {
      await act();
      await t.world.quiet();
      const after = await bare();
      expect(after.slice(0, before.length)).toEqual(before);
      before = after;
    }
    expect(before.length).toBeGreaterThan(8);
  });

  it('[STORE2] a message reads and writes as many rows in a chat of 400 messages as in one of 40', async () => {
    const cost = { calls: 0, rows: 0 };
    const clock = createFakeClock();
    const store = counting(await openSqlite(':memory:', { clock }), cost);
    const engine = await createTestEngine({ store, clock });
    const send = await chatOf(engine);
    const costOf = async (): Promise<{ calls: number; rows: number }> => {
      Object.assign(cost, { calls: 0, rows: 0 });
      await send();
      return { ...cost };
    };
    for (let n = 0; n < 20; n += 1) await send();
    const early = await costOf();
    for (let n = 0; n < 180; n += 1) await send();
    expect(await costOf()).toEqual(early);
    expect(early.calls).toBeGreaterThan(1);
    await engine.close();
  });
});

async function chatOf(engine: Engine): Promise<() => Promise<void>> {
  const world = await createWorld(engine.runtime, { name: 'Harbour' }, person);
  await addAgent(engine.runtime, world.id, { name: 'Ada', provider: 'scripted', model: 'any' }, person);
  const chat = await createChat(engine.runtime, world.id);
  return async () => {
    await publishMessage(engine.runtime, { worldId: world.id, chatId: chat.id, content: 'hello', speaker: 'human' });
    await engine.quiet();
  };
}

function sizeOf(state: ChatState | undefined): number {
  return state === undefined
    ? 0
    : 1 + state.turns.size + state.calls.size + state.approvals.size + state.startedTurns.size;
}

/** The same store, counting its calls and the rows it returns. */
function counting(store: Store, cost: { calls: number; rows: number }): Store {
  const watch = <T extends StoreReader>(reader: T): T =>
    new Proxy(reader, {
      get(target, name, receiver) {
        const verb: unknown = Reflect.get(target, name, receiver);
        if (typeof verb !== 'function') return verb;
        return (...args: unknown[]): unknown => {
          cost.calls += 1;
          const given: unknown = Reflect.apply(verb, target, args);
          if (!(given instanceof Promise)) return given;
          return given.then((rows: unknown) => {
            cost.rows += Array.isArray(rows) ? rows.length : 1;
            return rows;
          });
        };
      },
    });
  return {
    ...store,
    read: (work) => store.read((reader) => work(watch(reader))),
    transact: (worldId, work, kept) => store.transact(worldId, (tx: StoreTransaction) => work(watch(tx)), kept),
    step: (worldId, needs, decide, kept) =>
      store.step(
        worldId,
        needs,
        (reads) => {
          cost.calls += 1;
          for (const id of needs.chats) cost.rows += sizeOf(reads.chat(id));
          const decided = decide(reads);
          cost.rows += decided.writes.changes.length;
          return decided;
        },
        kept,
      ),
  };
}
