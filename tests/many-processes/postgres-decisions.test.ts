import { createChat, listApprovals, listMessages, decideCall, setPolicy, type Engine } from '@countersign/core';
import { scripted } from '@countersign/core/testing';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { scaled } from '../support/scaled.js';
import { countingTool, isStatus, nextEvent, openEngine, prepare, say, signer, approvalFor } from './engines-fixture.js';

const ROUNDS = scaled(10, 2);

describe('[STORE4.1] decisions on one PostgreSQL', () => {
  it('[CALL8] a message goes to one process, the decision to all of them concurrently, and the tool runs once', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(url, [countingTool(runs)])));
    const [a, b, c] = engines as [Engine, Engine, Engine];
    const scene = await prepare(a);
    const { worldId, chatId } = scene;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const decision = await approvalFor(`letter_${round}`, scene, a, b);
      const idle = nextEvent(c, worldId, isStatus('idle'));
      const outcomes = await Promise.all(
        engines.map(({ runtime }) => decideCall(runtime, worldId, undefined, decision, signer)),
      );
      expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200]);
      await idle;
    }
    expect([...runs.values()]).toEqual(Array.from({ length: ROUNDS }, () => 1));
    const messages = await listMessages(b.runtime, chatId);
    expect(messages.filter(({ content }) => content === 'Done.')).toHaveLength(ROUNDS);
  });

  it('[STORE4.1] a turn runs where its message arrives and continues where the decision arrives; neither writes a job', async () => {
    const url = await createMigratedDatabase();
    const runs = [new Map<string, number>(), new Map<string, number>()] as const;
    const [a, b] = [await openEngine(url, [countingTool(runs[0])]), await openEngine(url, [countingTool(runs[1])])];
    const scene = await prepare(a);
    const jobs = new pg.Client({ connectionString: url });
    await jobs.connect();
    onTestFinished(() => jobs.end());
    const owners: unknown[] = [];
    for (let round = 1; round <= 2; round += 1) {
      const decision = await approvalFor(`letter_${round}`, scene, a, b);
      owners.push(...(await a.runtime.store.read((reader) => reader.unfinishedTurns())).map(({ owner }) => owner));
      const idle = nextEvent(a, scene.worldId, isStatus('idle'));
      await decideCall(b.runtime, scene.worldId, undefined, decision, signer);
      await idle;
    }
    expect(owners).toEqual([a.runtime.process.owner, a.runtime.process.owner]);
    expect([runs[0].size, runs[1].size]).toEqual([0, 2]);
    const { rows } = await jobs.query<{ ids: string }>(
      `select pg_get_serial_sequence('countersign_jobs._private_jobs', 'id') as ids`,
    );
    const given = await jobs.query(`select is_called from ${rows[0]?.ids}`);
    expect(given.rows).toEqual([{ is_called: false }]);
  });

  it('[CALL8] [LOG1] a decision that is sent several times concurrently is published and recorded once', async () => {
    const url = await createMigratedDatabase();
    const engine = await openEngine(url, [countingTool(new Map())]);
    const scene = await prepare(engine);
    const { worldId } = scene;
    const told: string[] = [];
    engine.runtime.bus.subscribe(worldId, (event) => {
      if (event.event === 'tool' && event.data.type === 'TOOL_APPROVED') told.push(event.data.invocation_id);
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      const decision = await approvalFor(`letter_${round}`, scene, engine, engine);
      const idle = nextEvent(engine, worldId, isStatus('idle'));
      const sent = Array.from({ length: 5 }, () => decideCall(engine.runtime, worldId, undefined, decision, signer));
      const outcomes = await Promise.all(sent);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual([
        'recorded',
        ...Array.from({ length: 4 }, () => 'repeated'),
      ]);
      await idle;
    }
    expect(new Set(told).size).toBe(ROUNDS);
    expect(told).toHaveLength(ROUNDS);
  });

  it('[CALL19] responses that are stored at the same time, here and elsewhere, leave at most 200 calls waiting', async () => {
    const url = await createMigratedDatabase();
    const model = scripted((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? 'Done.'
        : {
            say: 'Stamps.',
            calls: Array.from({ length: 64 }, (_, n) => ({ name: 'stamp', arguments: { key: `${n}` } })),
          },
    );
    const tools = [countingTool(new Map())];
    const [a, b] = await Promise.all([openEngine(url, tools, model), openEngine(url, tools, model)]);
    const { worldId } = await prepare(a);
    const chats = await Promise.all(Array.from({ length: 4 }, () => createChat(a.runtime, worldId)));
    await Promise.all(chats.map(({ id }, index) => say(index % 2 === 0 ? a : b, worldId, id, 'all of them')));
    const waiting = async (id: string) => (await a.runtime.store.read((reader) => reader.chat(id)))?.status;
    await expect
      .poll(async () => (await Promise.all(chats.map(({ id }) => waiting(id)))).filter((each) => each === 'working'))
      .toEqual([]);
    expect(await listApprovals(a.runtime, worldId, { status: 'pending' })).toHaveLength(200);
  });

  describe('[CALL5.4] a grant or rule that is added through one process', () => {
    /** Requests a stamp for each letter in the message. */
    const letters = scripted((request) => {
      const last = request.messages.at(-1);
      if (last?.role === 'tool') return 'Done.';
      const keys = String(last?.content).match(/[ab]\d/g) ?? [];
      return { say: 'Stamps.', calls: keys.map((key) => ({ name: 'stamp', arguments: { key } })) };
    });

    /** Two chats of the first engine with waiting stamps: a1, b1 and a2, and a3 and b2. */
    async function stampsWait(probe?: (moment: string) => void) {
      const url = await createMigratedDatabase();
      const runs = new Map<string, number>();
      const a = await openEngine(url, [countingTool(runs)], letters);
      const scene = await prepare(a);
      const other = await createChat(a.runtime, scene.worldId);
      await say(a, scene.worldId, scene.chatId, 'a1 b1 a2');
      await say(a, scene.worldId, other.id, 'a3 b2');
      await expect.poll(() => keysWaiting(a, scene.worldId)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
      const b = await openEngine(url, [countingTool(runs)], letters, undefined, probe);
      return { ...scene, a, b, runs };
    }

    async function approvalsByKey(engine: Engine, worldId: string): Promise<Map<string, string>> {
      const pending = await listApprovals(engine.runtime, worldId, { status: 'pending' });
      return new Map(pending.map((each) => [z.object({ key: z.string() }).parse(each.arguments).key, each.approvalId]));
    }

    async function keysWaiting(engine: Engine, worldId: string): Promise<string[]> {
      return [...(await approvalsByKey(engine, worldId)).keys()].toSorted();
    }

    const once = (...keys: string[]): [string, number][] => keys.map((key) => [key, 1]);
    const ran = (runs: Map<string, number>) => [...runs].toSorted(([a], [b]) => (a < b ? -1 : 1));

    it('releases waiting calls in turns of another, once each: a rule in every chat, a grant in its own', async () => {
      const { a, b, worldId, runs } = await stampsWait();
      const grant = {
        tool_call_id: (await approvalsByKey(b, worldId)).get('b1') ?? '',
        decision: 'approve',
        scope: 'session',
        pattern: 'key=b*',
      } as const;
      await Promise.all([
        setPolicy(b.runtime, worldId, ['allow stamp(key=a*)'], signer),
        decideCall(b.runtime, worldId, undefined, grant, signer),
      ]);
      await expect.poll(() => ran(runs)).toEqual(once('a1', 'a2', 'a3', 'b1'));
      await expect.poll(() => keysWaiting(a, worldId)).toEqual(['b2']);
      // Each call is released once, even if the rule is added through both processes at the same time.
      await Promise.all([a, b].map(({ runtime }) => setPolicy(runtime, worldId, ['allow stamp'], signer)));
      await expect.poll(() => ran(runs)).toEqual(once('a1', 'a2', 'a3', 'b1', 'b2'));
      await Promise.all([a.quiet(), b.quiet()]);
      expect(ran(runs)).toEqual(once('a1', 'a2', 'a3', 'b1', 'b2'));
    });

    it('releases them through the others if that process crashes between the decision and the release', async () => {
      const { worldId, b, runs } = await stampsWait((moment) => {
        if (moment === 'before release') throw new Error('crash');
      });
      await setPolicy(b.runtime, worldId, ['allow stamp(key=a*)'], signer);
      await expect.poll(() => ran(runs)).toEqual(once('a1', 'a2', 'a3'));
      expect(await keysWaiting(b, worldId)).toEqual(['b1', 'b2']);
    });
  });
});
