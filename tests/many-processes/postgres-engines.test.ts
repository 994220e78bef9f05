import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  listMessages,
  publishMessage,
  publishToolResult,
  setPolicy,
  stopChat,
  updateMcpServer,
  type Engine,
} from '@countersign/core';
import { defineTool, type Store } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import type { WorldEvent } from '@countersign/protocol';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createMcpRecords } from '../../packages/core/src/mcp/mcp-records.js';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { openCutWay } from './cut-way.js';
import { countingTool, nextEvent, openEngine, say, signer, stampingModel } from './engines-fixture.js';

interface Scene {
  worldId: string;
  chatId: string;
}

async function prepare(engine: Engine): Promise<Scene> {
  const { id: worldId } = await createWorld(engine.runtime, { name: 'Post office' }, signer);
  await addAgent(engine.runtime, worldId, { name: 'Clerk', provider: 'scripted', model: 'm', tools: ['*'] }, signer);
  const { id: chatId } = await createChat(engine.runtime, worldId);
  return { worldId, chatId };
}

function isStatus(status: 'idle' | 'waiting') {
  return (event: WorldEvent): boolean => event.event === 'world' && event.data.type === status;
}

/** What a chat shows of a call that was asked about. */
const CALL_AND_QUESTION = ['assistant', 'assistant', 'tool', 'tool'];

/** A letter is said to one engine, and its stamp waits at another: the yes to it. */
async function yesTo(letter: string, { worldId, chatId }: Scene, saidTo: Engine, waitsAt: Engine) {
  const waiting = nextEvent(waitsAt, worldId, isStatus('waiting'));
  await say(saidTo, worldId, chatId, letter);
  await waiting;
  const [approval] = await listApprovals(waitsAt.runtime, worldId, { status: 'pending' });
  return { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
}

const hang = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve('too late'), { once: true }));

/** An engine that can freeze: from then on it gives no sign of life and takes nothing, and the others count it as dead. */
async function openMortal(
  url: string,
  frozen: string[],
  model: (freeze: () => Promise<void>) => ReturnType<typeof scripted>,
): Promise<Engine> {
  let freeze = (): Promise<void> => Promise.resolve();
  const mortal = (store: Store): Store => {
    const { shared } = store;
    if (shared === undefined) return store;
    let isFrozen = false;
    let self = '';
    freeze = async () => {
      isFrozen = true;
      await shared.retire(self);
      frozen.push(self);
    };
    const unlessFrozen = <T>(work: () => Promise<T>): Promise<T> =>
      isFrozen ? Promise.reject(new Error('frozen')) : work();
    return {
      ...store,
      shared: {
        ...shared,
        beat: (owner, silentMs) => unlessFrozen(() => shared.beat((self = owner), silentMs)),
        turnsToLookAfter: (owner, silentMs) => unlessFrozen(() => shared.turnsToLookAfter(owner, silentMs)),
        deliverWakes: (handle) => shared.deliverWakes((turnId) => unlessFrozen(() => handle(turnId))),
      },
    };
  };
  return await openEngine(
    url,
    [],
    model(() => freeze()),
    mortal,
  );
}

describe('[S4] engines on one PostgreSQL', () => {
  it('[A8] a message goes to one, the decision to all of them at once, and the tool runs once', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(url, [countingTool(runs)])));
    const [a, b, c] = engines as [Engine, Engine, Engine];
    const scene = await prepare(a);
    const { worldId, chatId } = scene;
    for (let round = 1; round <= 10; round += 1) {
      const decision = await yesTo(`letter_${round}`, scene, a, b);
      const idle = nextEvent(c, worldId, isStatus('idle'));
      const outcomes = await Promise.all(
        engines.map(({ runtime }) => publishToolResult(runtime, worldId, undefined, decision, signer)),
      );
      expect(outcomes.map(({ status }) => status)).toEqual([200, 200, 200]);
      await idle;
    }
    expect([...runs.values()]).toEqual(Array.from({ length: 10 }, () => 1));
    const messages = await listMessages(b.runtime, chatId);
    expect(messages.filter(({ content }) => content === 'Done.')).toHaveLength(10);
  });

  it('[S4] a turn runs where its message arrives, and goes on where the decision arrives; no job is written for either', async () => {
    const url = await createMigratedDatabase();
    const runs = [new Map<string, number>(), new Map<string, number>()] as const;
    const [a, b] = [await openEngine(url, [countingTool(runs[0])]), await openEngine(url, [countingTool(runs[1])])];
    const scene = await prepare(a);
    const jobs = new pg.Client({ connectionString: url });
    await jobs.connect();
    onTestFinished(() => jobs.end());
    const owners: unknown[] = [];
    for (let round = 1; round <= 5; round += 1) {
      const decision = await yesTo(`letter_${round}`, scene, a, b);
      owners.push(...(await a.runtime.store.read((reader) => reader.unfinishedTurns())).map(({ owner }) => owner));
      const idle = nextEvent(a, scene.worldId, isStatus('idle'));
      await publishToolResult(b.runtime, scene.worldId, undefined, decision, signer);
      await idle;
    }
    expect(owners).toEqual(Array.from({ length: 5 }, () => a.runtime.owner));
    expect([runs[0].size, runs[1].size]).toEqual([0, 5]);
    const { rows } = await jobs.query<{ ids: string }>(
      `select pg_get_serial_sequence('countersign_jobs._private_jobs', 'id') as ids`,
    );
    const given = await jobs.query(`select is_called from ${rows[0]?.ids}`);
    expect(given.rows).toEqual([{ is_called: false }]);
  });

  it.each([
    { what: 'a message', text: 'Please stamp', runs: 1 },
    { what: 'a call that is asked about', text: 'One stamp.', runs: 1 },
    // It was marked as started, and nobody can know whether it ran: it is not run again.
    { what: 'a decision', text: 'TOOL_APPROVED', runs: 0 },
    { what: 'the end of a call', text: 'stamped letter_1', runs: 1 },
    { what: 'an answer', text: 'Done.', runs: 1 },
  ])('[S3] [S7] the answer to the commit of $what is lost: nothing is lost or done twice', async (lost) => {
    const database = await createMigratedDatabase();
    const way = await openCutWay(database);
    onTestFinished(() => way.close());
    const runs = new Map<string, number>();
    const engine = await openEngine(way.url, [countingTool(runs)]);
    const { worldId, chatId } = await prepare(engine);
    const { runtime } = engine;
    const answer = way.loseAnswerTo(lost.text);
    const again = async <T>(work: () => Promise<T>): Promise<T> => work().catch(() => work());
    const content = 'Please stamp letter_1';
    await again(() =>
      publishMessage(runtime, { worldId, chatId, content, speaker: 'human', clientMessageId: 'message_1' }),
    );
    await expect.poll(() => listApprovals(runtime, worldId, { status: 'pending' })).toHaveLength(1);
    const [approval] = await listApprovals(runtime, worldId, { status: 'pending' });
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
    expect(await again(() => publishToolResult(runtime, worldId, undefined, decision, signer))).toMatchObject({
      status: 200,
    });
    await expect.poll(async () => (await runtime.store.read((r) => r.chat(chatId)))?.status).toBe('idle');
    expect(answer.isLost).toBe(true);
    expect([...runs.values()]).toEqual(lost.runs === 0 ? [] : [lost.runs]);
    const messages = await listMessages(runtime, chatId);
    expect(messages.map(({ role }) => role)).toEqual(['user', ...CALL_AND_QUESTION, 'assistant']);
    expect(messages.at(-2)?.content).toContain(lost.runs === 0 ? 'outcome unknown' : 'stamped letter_1');
    expect(messages.at(-1)?.content).toBe('Done.');
    expect(await runtime.store.verifyAudit(worldId)).toMatchObject({ ok: true });
  });

  it('[C1] a model is shown what was said through another process', async () => {
    const url = await createMigratedDatabase();
    const shown: string[] = [];
    const model = scripted(({ messages }) => {
      shown.push(messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join());
      return 'Noted.';
    });
    const [a, b] = [await openEngine(url, [], model), await openEngine(url, [], model)];
    const { worldId, chatId } = await prepare(a);
    for (const [index, engine] of [a, a, b, a, b].entries()) {
      const idle = nextEvent(engine, worldId, isStatus('idle'));
      await say(engine, worldId, chatId, `letter_${index}`);
      await idle;
    }
    expect(shown.at(-1)).toBe('letter_0,letter_1,letter_2,letter_3,letter_4');
    expect(shown.at(-2)).toBe('letter_0,letter_1,letter_2,letter_3');
  });

  it('[W3] one message that arrives several times at once is kept once, and each sender is told its id', async () => {
    const url = await createMigratedDatabase();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(url, [])));
    const [a] = engines as [Engine];
    const { worldId, chatId } = await prepare(a);
    for (let round = 1; round <= 10; round += 1) {
      const content = `@human ${round}`;
      const message = { worldId, chatId, content, speaker: 'human', clientMessageId: content } as const;
      const kept = await Promise.all([...engines, ...engines].map(({ runtime }) => publishMessage(runtime, message)));
      expect(new Set(kept.map(({ messageId }) => messageId)).size).toBe(1);
    }
    expect((await listMessages(a.runtime, chatId)).filter(({ role }) => role === 'user')).toHaveLength(10);
  });

  it('[T5] [S3] calls that end in the same moment each keep their result', async () => {
    const url = await createMigratedDatabase();
    const keys = ['a', 'b', 'c', 'd'];
    const model = scripted((request) =>
      request.messages.at(-1)?.role === 'tool'
        ? 'Done.'
        : { say: 'At once.', calls: keys.map((key) => ({ name: 'look', arguments: { key } })) },
    );
    let arrived: (() => void)[] = [];
    const together = (): Promise<void> =>
      new Promise((resolve) => {
        arrived.push(resolve);
        if (arrived.length < keys.length) return;
        for (const go of arrived) go();
        arrived = [];
      });
    const look = defineTool({
      name: 'look',
      description: 'Looks at a letter.',
      parameters: z.object({ key: z.string() }),
      readOnly: true,
      async execute({ key }) {
        await together();
        return `seen ${key}`;
      },
    });
    const engine = await openEngine(url, [look], model);
    const { worldId, chatId } = await prepare(engine);
    for (let round = 1; round <= 10; round += 1) {
      const idle = nextEvent(engine, worldId, isStatus('idle'));
      await say(engine, worldId, chatId, `round ${round}`);
      await idle;
    }
    const results = (await listMessages(engine.runtime, chatId)).filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(40);
    expect(results.filter(({ content }) => !content.includes('seen'))).toEqual([]);
  });

  it('[A8] [A16] one decision that is sent several times at once is told and recorded once', async () => {
    const url = await createMigratedDatabase();
    const engine = await openEngine(url, [countingTool(new Map())]);
    const scene = await prepare(engine);
    const { worldId } = scene;
    const told: string[] = [];
    engine.runtime.bus.subscribe(worldId, (event) => {
      if (event.event === 'tool' && event.data.type === 'TOOL_APPROVED') told.push(event.data.invocation_id);
    });
    for (let round = 1; round <= 10; round += 1) {
      const decision = await yesTo(`letter_${round}`, scene, engine, engine);
      const idle = nextEvent(engine, worldId, isStatus('idle'));
      const sent = Array.from({ length: 5 }, () =>
        publishToolResult(engine.runtime, worldId, undefined, decision, signer),
      );
      const outcomes = await Promise.all(sent);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual([
        'recorded',
        ...Array.from({ length: 4 }, () => 'repeated'),
      ]);
      await idle;
    }
    expect(new Set(told).size).toBe(10);
    expect(told).toHaveLength(10);
  });

  it('[M8] a chat whose turns end together is idle', async () => {
    const url = await createMigratedDatabase();
    const engine = await openEngine(
      url,
      [],
      scripted(() => '<world>PASS</world>'),
    );
    const { worldId, chatId } = await prepare(engine);
    const names = ['Ann', 'Ben', 'Cid'];
    for (const name of names)
      await addAgent(engine.runtime, worldId, { name, provider: 'scripted', model: 'm', tools: [] }, signer);
    for (let round = 1; round <= 20; round += 1) {
      await say(engine, worldId, chatId, '@Ann @Ben @Cid');
      await expect
        .poll(async () => (await engine.runtime.store.read((reader) => reader.chat(chatId)))?.status)
        .toBe('idle');
    }
  });

  it('[S6] each hears every event of the world, in order, whoever wrote it', async () => {
    const url = await createMigratedDatabase();
    const engines = await Promise.all([1, 2, 3].map(() => openEngine(url, [])));
    const [a] = engines as [Engine];
    const { worldId } = await prepare(a);
    const chats = await Promise.all(engines.map(({ runtime }) => createChat(runtime, worldId)));
    const from = await a.runtime.store.read((reader) => reader.lastEventId(worldId));
    const heard = engines.map(() => new Array<number>());
    engines.forEach(({ runtime }, index) => {
      runtime.bus.subscribe(worldId, ({ id, event }) => {
        if (event !== 'sse' && id > from) heard[index]?.push(id);
      });
    });
    await Promise.all(
      engines.flatMap((engine, index) =>
        Array.from({ length: 10 }, () => say(engine, worldId, chats[index]?.id ?? '', '@human hello')),
      ),
    );
    const last = await a.runtime.store.read((reader) => reader.lastEventId(worldId));
    await expect.poll(() => heard.every((ids) => ids.includes(last))).toBe(true);
    const all = Array.from({ length: last - from }, (_, index) => from + 1 + index);
    expect(heard.map((ids) => ids.slice(0, all.length))).toEqual([all, all, all]);
  });

  it('[S4] a process that could not say for a while that it lives starts nothing, whatever it is handed', async () => {
    const url = await createMigratedDatabase();
    const [silentRuns, runs] = [new Map<string, number>(), new Map<string, number>()];
    let isMute = false;
    const muted = (store: Store): Store => {
      const { shared } = store;
      if (shared === undefined) return store;
      const beat = (owner: string, silentMs: number): Promise<boolean> =>
        isMute ? Promise.reject(new Error('the way is cut')) : shared.beat(owner, silentMs);
      return { ...store, shared: { ...shared, beat } };
    };
    const silent = await openEngine(url, [countingTool(silentRuns)], stampingModel(), muted);
    const other = await openEngine(url, [countingTool(runs)]);
    const scene = await prepare(other);
    const { worldId } = scene;
    const decision = await yesTo('letter_1', scene, other, other);
    isMute = true;
    await expect.poll(() => silent.runtime.mayAct()).toBe(false);
    const idle = nextEvent(other, worldId, isStatus('idle'));
    await publishToolResult(silent.runtime, worldId, undefined, decision, signer);
    await idle;
    expect([silentRuns.size, [...runs.values()]]).toEqual([0, [1]]);
    isMute = false;
    await expect.poll(() => silent.runtime.mayAct()).toBe(true);
  });

  it('[S3.3] a turn that froze its process twice ends with an error, and no third process is asked to run it', async () => {
    const url = await createMigratedDatabase();
    const frozen: string[] = [];
    const model = (freeze: () => Promise<void>) =>
      scripted(async ({ signal }) => {
        await freeze();
        return await hang(signal);
      });
    const openFreezing = () => openMortal(url, frozen, model);
    const engines = [await openFreezing(), await openFreezing(), await openFreezing()];
    const watching = engines[2]?.runtime.bus;
    const scene = await prepare(engines[0] as Engine);
    const ended = new Promise<WorldEvent>((resolve) => {
      watching?.subscribe(scene.worldId, (event) => {
        if (event.event === 'world' && event.data.type === 'turn-ended') resolve(event);
      });
    });
    await say(engines[0] as Engine, scene.worldId, scene.chatId, 'letter_1');
    expect(await ended).toMatchObject({ data: { outcome: 'interrupted' } });
    expect(new Set(frozen).size).toBe(2);
    expect(frozen).toHaveLength(2);
  });

  it('[S3.4] a turn that froze its process again and again ends, and those that ran beside it are answered', async () => {
    const url = await createMigratedDatabase();
    const frozen: string[] = [];
    let beside = 0;
    /** The bad letter freezes its process as soon as the good one is under way beside it, or alone when it has to run alone. */
    const model = (freeze: () => Promise<void>) => {
      let goodBegan = (): void => undefined;
      const good = new Promise<void>((resolve) => (goodBegan = resolve));
      return scripted(async ({ messages, signal }) => {
        if (String(messages.at(-1)?.content).includes('good')) {
          if (beside === 2) return 'Done.';
          beside += 1;
          goodBegan();
          return await hang(signal);
        }
        if (frozen.length < 2) await good;
        await freeze();
        return await hang(signal);
      });
    };
    const first = await openMortal(url, frozen, model);
    const scene = await prepare(first);
    const { id: otherChat } = await createChat(first.runtime, scene.worldId);
    await say(first, scene.worldId, scene.chatId, 'bad');
    await say(first, scene.worldId, otherChat, 'good');
    for (const deaths of [1, 2, 3]) {
      await expect.poll(() => frozen.length).toBe(deaths);
      await openMortal(url, frozen, model);
    }
    const statusOf = async (chatId: string) =>
      (await first.runtime.store.read((reader) => reader.chat(chatId)))?.status;
    await expect.poll(() => statusOf(scene.chatId)).toBe('idle');
    await expect.poll(() => statusOf(otherChat)).toBe('idle');
    const lastSaid = async (chatId: string) => (await listMessages(first.runtime, chatId)).at(-1)?.content;
    expect(await lastSaid(scene.chatId)).toContain('interrupted 3 times');
    expect(await lastSaid(otherChat)).toBe('Done.');
    expect(frozen).toHaveLength(3);
  });

  describe('[A1] a new MCP server that another process changes while this one lists its tools', () => {
    const listing = (...names: string[]) =>
      names.map((name) => ({ name: `mcp__shed__${name}`, definition: { name, inputSchema: { type: 'object' } } }));

    /** The second lists after the first did something, between what the second reads and what it writes. */
    async function listMeanwhile(act: (first: Engine, worldId: string) => Promise<unknown>) {
      const url = await createMigratedDatabase();
      let meanwhile = (): Promise<unknown> => Promise.resolve();
      const overtaken = (store: Store): Store => ({
        ...store,
        transact: (id, work) =>
          store.transact(id, (tx) => {
            const mcpServer: typeof tx.mcpServer = async (...about) => {
              const found = await tx.mcpServer(...about);
              await meanwhile();
              return found;
            };
            return work({ ...tx, mcpServer });
          }),
      });
      const first = await openEngine(url, []);
      const second = await openEngine(url, [], undefined, overtaken);
      const { worldId } = await prepare(first);
      const definition = {
        ...{ name: 'shed', transport: 'stdio' as const, command: 'serve', args: [], env: {} },
        ...{ network: false, trusted: false, enabled: true },
      };
      await first.runtime.store.transact(worldId, (tx) =>
        tx.insertMcpServer({ worldId, name: 'shed', definition, firstListedAt: null, createdAt: 1 }),
      );
      meanwhile = () => act(first, worldId);
      return await createMcpRecords(() => second.runtime).listed(worldId, 'shed', listing('axe', 'saw'));
    }

    it('only the first list is accepted', async () => {
      const listed = await listMeanwhile((first, worldId) =>
        createMcpRecords(() => first.runtime).listed(worldId, 'shed', listing('saw')),
      );
      const accepted = listed?.tools.filter((tool) => tool.accepted !== null).map(({ name }) => name);
      expect(accepted).toEqual(['mcp__shed__saw']);
      expect(listed?.tools.map(({ name }) => name)).toContain('mcp__shed__axe');
    });

    it('a tool that one saw taken back does not become accepted again when the other saw it changed', async () => {
      const url = await createMigratedDatabase();
      let takeBack = (): Promise<unknown> => Promise.resolve();
      let waitsForSecond = (): void => undefined;
      const reached = new Promise<void>((resolve) => (waitsForSecond = resolve));
      const first = await openEngine(url, [], undefined, (store) => ({
        ...store,
        transact: (id, work) =>
          store.transact(id, (tx) => {
            const updateMcpServer: typeof tx.updateMcpServer = (...change) => {
              waitsForSecond();
              return tx.updateMcpServer(...change);
            };
            return work({ ...tx, updateMcpServer });
          }),
      }));
      const second = await openEngine(url, [], undefined, (store) => ({
        ...store,
        transact: (id, work) =>
          store.transact(id, (tx) => {
            const mcpTools: typeof tx.mcpTools = async (...about) => {
              const found = await tx.mcpTools(...about);
              await Promise.race([takeBack(), reached]);
              return found;
            };
            return work({ ...tx, mcpTools });
          }),
      }));
      const { worldId } = await prepare(first);
      const definition = {
        ...{ name: 'shed', transport: 'stdio' as const, command: 'serve', args: [], env: {} },
        ...{ network: false, trusted: false, enabled: true },
      };
      await first.runtime.store.transact(worldId, (tx) =>
        tx.insertMcpServer({ worldId, name: 'shed', definition, firstListedAt: null, createdAt: 1 }),
      );
      const [at, elsewhere] = [first, second].map(({ runtime }) => createMcpRecords(() => runtime));
      await elsewhere?.listed(worldId, 'shed', listing('axe'));
      let taken: Promise<unknown> | undefined;
      takeBack = () => (taken ??= at?.listed(worldId, 'shed', []) ?? Promise.resolve());
      const changed = {
        name: 'mcp__shed__axe',
        definition: { name: 'axe', inputSchema: { type: 'object', title: 'x' } },
      };
      await elsewhere?.listed(worldId, 'shed', [changed]);
      await taken;
      const tools = await first.runtime.store.read((reader) => reader.mcpTools(worldId, 'shed'));
      const axe = tools.find(({ name }) => name === 'mcp__shed__axe');
      expect(axe).toMatchObject({ accepted: null, acceptedDigest: null });
    });

    it('one that was turned off stays off', async () => {
      const listed = await listMeanwhile((first, worldId) =>
        updateMcpServer(first.runtime, worldId, 'shed', { enabled: false }, signer),
      );
      expect(listed?.server.definition.enabled).toBe(false);
    });
  });

  it('[A34] answers that are stored at the same moment, here and elsewhere, leave no more than 200 calls waiting', async () => {
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

  it('[M9] a stop at one ends what another runs', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    let begun = (): void => undefined;
    const began = new Promise<void>((resolve) => (begun = resolve));
    const tool = countingTool(runs, () => {
      begun();
      return new Promise(() => undefined);
    });
    const [a, b] = await Promise.all([openEngine(url, [tool]), openEngine(url, [tool])]);
    const scene = await prepare(a);
    const { worldId, chatId } = scene;
    await publishToolResult(a.runtime, worldId, undefined, await yesTo('letter_1', scene, a, a), signer);
    await began;
    const runner = a.runtime.scheduler.running().length > 0 ? a : b;
    const other = runner === a ? b : a;
    await stopChat(other.runtime, worldId, chatId, signer);
    await expect.poll(() => runner.runtime.scheduler.running()).toEqual([]);
    await expect.poll(async () => (await a.runtime.store.read((reader) => reader.chat(chatId)))?.status).toBe('idle');
  });

  describe('[A5] a grant or rule that is written through one', () => {
    /** Asks for a stamp on each letter that the message names. */
    const letters = scripted((request) => {
      const last = request.messages.at(-1);
      if (last?.role === 'tool') return 'Done.';
      const keys = String(last?.content).match(/[ab]\d/g) ?? [];
      return { say: 'Stamps.', calls: keys.map((key) => ({ name: 'stamp', arguments: { key } })) };
    });

    /** Two chats of the first engine in which stamps wait: for a1, b1 and a2, and for a3 and b2. */
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

    it('releases what waits in turns of another, once each: a rule in every chat, a grant in its own', async () => {
      const { a, b, worldId, runs } = await stampsWait();
      const grant = {
        tool_call_id: (await approvalsByKey(b, worldId)).get('b1') ?? '',
        decision: 'approve',
        scope: 'session',
        pattern: 'key=b*',
      } as const;
      await Promise.all([
        setPolicy(b.runtime, worldId, ['allow stamp(key=a*)'], signer),
        publishToolResult(b.runtime, worldId, undefined, grant, signer),
      ]);
      await expect.poll(() => ran(runs)).toEqual(once('a1', 'a2', 'a3', 'b1'));
      await expect.poll(() => keysWaiting(a, worldId)).toEqual(['b2']);
      // Written at both at once, it is still one release for each call.
      await Promise.all([a, b].map(({ runtime }) => setPolicy(runtime, worldId, ['allow stamp'], signer)));
      await expect.poll(() => ran(runs)).toEqual(once('a1', 'a2', 'a3', 'b1', 'b2'));
      await Promise.all([a.quiet(), b.quiet()]);
      expect(ran(runs)).toEqual(once('a1', 'a2', 'a3', 'b1', 'b2'));
    });

    it('is released by the others if it crashes between the decision and the release', async () => {
      const { worldId, b, runs } = await stampsWait((moment) => {
        if (moment === 'before release') throw new Error('crash');
      });
      await setPolicy(b.runtime, worldId, ['allow stamp(key=a*)'], signer);
      await expect.poll(() => ran(runs)).toEqual(once('a1', 'a2', 'a3'));
      expect(await keysWaiting(b, worldId)).toEqual(['b1', 'b2']);
    });
  });
});
