import {
  addAgent,
  createChat,
  createWorld,
  publishMessage,
  questionStats,
  replayPolicy,
  ruleUses,
  setPolicy,
  suggestRules,
} from '@countersign/core';
import { createFakeClock } from '@countersign/core/testing';
import { endText, type Replayed } from '@countersign/protocol';
import { openPostgres, openSqlite } from '@countersign/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../tests/support/postgres-database.js';
import { scaled } from '../../../tests/support/scaled.js';
import { deciding } from './testing/deciding.js';
import { tool } from './testing/fixture.js';
import { freshEngines } from './testing/fresh-engines.js';
import { recorder } from './testing/obedient.js';
import { rehearsingTool } from './testing/rehearsing-tool.js';
import { createTestEngine, person } from './testing/test-engine.js';

const engines = freshEngines();

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** An engine on one of the stores. PostgreSQL has a clock of its own. */
async function start({ postgres = false } = {}) {
  const clock = createFakeClock();
  const store = postgres ? await openPostgres(await createMigratedDatabase()) : await openSqlite(':memory:', { clock });
  const made = rehearsingTool();
  const { runs, tool: remove } = recorder();
  const look = tool('look', async () => 'seen', { readOnly: true });
  const engine = await createTestEngine({ store, clock, tools: [made.tool, remove, look] });
  engines.add(engine);
  await engine.start();
  return { clock, store, made, runs, engine };
}

async function world(on: Awaited<ReturnType<typeof start>>, policy: readonly string[] = []) {
  const { engine, store } = on;
  const { runtime } = engine;
  const { id: worldId } = await createWorld(runtime, { name: 'Harbour', policy: [...policy] }, person);
  const agent = { name: 'Ada', provider: 'scripted', model: 'm', tools: ['*'], policy: ['deny remove(path=never)'] };
  await addAgent(runtime, worldId, agent, person);
  return {
    ...on,
    ...deciding({ runtime }, worldId),
    worldId,
    /** Without a chat, in a new one: grants and unknown outcomes belong to a chat. */
    async propose(call: Call, chat?: string): Promise<string> {
      const chatId = chat ?? (await createChat(runtime, worldId)).id;
      await publishMessage(runtime, { worldId, chatId, speaker: 'human', content: JSON.stringify([call]) });
      await engine.quiet();
      return chatId;
    },
    async setRules(rules: readonly string[]): Promise<void> {
      await setPolicy(runtime, worldId, rules, person);
      await engine.quiet();
    },
    audit: async () => await store.read(async (reader) => await reader.audit(worldId, { after: 0, limit: 1000 })),
    replay: async (rules?: readonly string[], since?: string): Promise<Replayed> =>
      await replayPolicy(
        runtime,
        worldId,
        { ...(rules && { rules: [...rules] }), ...(since !== undefined && { since }) },
        { by: person },
      ),
  };
}

const open = async (policy?: readonly string[]) => await world(await start(), policy);

const questions = ({ asked }: Replayed): readonly number[] => [asked.then, asked.now];
const remove = (path: string): Call => ({ name: 'remove', arguments: { path } });
const put = (path: string, text = 'new'): Call => ({ name: 'put', arguments: { path, text } });

describe('replaying other rules on the calls of the past', () => {
  it('[RULE12] counts the questions then and now, and runs and rehearses nothing', async () => {
    const t = await open();
    for (const path of ['a', 'a', 'b']) await t.propose(remove(path));
    await t.propose({ name: 'look', arguments: {} });
    for (const approval of await t.pending()) await t.decide(approval);
    await t.engine.quiet();
    await t.propose(put('docs/a.md'));
    const before = [t.runs.length, t.made.log.length];
    const found = await t.replay(['allow remove(path=a)', 'allow put writing docs/**']);
    expect(found).toMatchObject({ calls: 5, notJudged: [], differs: 0, more: false });
    expect(questions(found)).toEqual([4, 1]);
    expect(found.wouldRunAlthoughDenied).toEqual([]);
    expect([t.runs.length, t.made.log.length]).toEqual(before);
    expect(await t.pending()).toHaveLength(1);
  });

  it('[RULE12.2] lists what would run although a person or rule denied it, and what would be denied although approved', async () => {
    const t = await open(['deny remove(path=rule)']);
    for (const path of ['person', 'fine', 'rule']) await t.propose(remove(path));
    const [denied, approved] = await t.pending();
    await t.decide(denied, { decision: 'deny' });
    await t.decide(approved);
    await t.engine.quiet();
    const found = await t.replay(['allow remove(path=person)', 'allow remove(path=rule)', 'deny remove(path=fine)']);
    expect(found.wouldRunAlthoughDenied).toMatchObject([
      { arguments: { path: 'rule' }, was: 'refuse', would: 'run', decidedBy: 'rule', rule: 'allow remove(path=rule)' },
      { arguments: { path: 'person' }, was: 'ask', would: 'run', decidedBy: 'person' },
    ]);
    expect(found.wouldBeDeniedAlthoughApproved).toMatchObject([{ arguments: { path: 'fine' }, decidedBy: 'person' }]);
  });

  it('[RULE12.2] cuts long arguments, because all of the list is in memory', async () => {
    const t = await open();
    await t.propose(remove('x'.repeat(50_000)));
    const [asked] = await t.pending();
    await t.decide(asked, { decision: 'deny' });
    const [listed] = (await t.replay(['allow remove'])).wouldRunAlthoughDenied;
    expect(listed?.arguments).toMatch(/^\{"path":"x{3000,4000}…$/);
  });

  it('[RULE12.1] an edited call is another one: it was asked, whatever rules cover it', async () => {
    const t = await open(['allow remove(path=b)']);
    await t.propose(remove('a'));
    const [asked] = await t.pending();
    await t.decide(asked, { arguments: { path: 'b' } });
    const found = await t.replay();
    expect([found.calls, found.differs, ...questions(found)]).toEqual([2, 0, 2, 2]);
    expect(found.wouldBeDeniedAlthoughApproved).toEqual([]);
    const [edited] = await t.pending();
    await t.decide(edited);
    await t.engine.quiet();
    const { wouldBeDeniedAlthoughApproved } = await t.replay(['deny remove']);
    expect(wouldBeDeniedAlthoughApproved).toMatchObject([{ arguments: { path: 'b' } }]);
  });

  it('[RULE12.1] judges each call at its time: a rule that ended before it allows nothing', async () => {
    const t = await open();
    await t.propose(remove('a'));
    t.clock.advance(3_600_000);
    await t.propose(remove('a'));
    expect(questions(await t.replay(['allow remove until 2026-01-01T00:30Z']))).toEqual([2, 1]);
  });

  it('[RULE12.1] [LOG4] reads only the calls since a time, names what it can’t judge, and is recorded', async () => {
    const t = await open();
    await t.propose(remove('old'));
    t.clock.advance(40 * 86_400_000);
    await t.propose(remove('new'));
    await t.propose({ name: 'nothing', arguments: {} });
    const first = await t.replay();
    expect([first.calls, ...questions(first)]).toEqual([2, 1, 1]);
    expect(await t.replay(undefined, '2026-01-01T00:00:00Z')).toMatchObject({ calls: 3 });
    await t.store.transact(t.worldId, async (tx) =>
      tx.record({ kind: 'request', invocationId: 'call_old', agentId: 'ada', tool: 'remove' }),
    );
    expect((await t.replay()).notJudged).toEqual([{ code: 'no-evidence', calls: 1 }]);
    const audit = await t.audit();
    const records = audit.filter(({ kind, decision }) => kind === 'policy' && decision === 'replayed');
    expect(records).toHaveLength(3);
    expect(records[0]).toMatchObject({ who: person.who, via: person.via });
    // What was judged is sealed: the arguments aren't in the record a second time.
    expect(audit.find(({ kind }) => kind === 'request')?.judged).toMatch(/^[\w-]{100,}$/);
  });

  it('[RULE12.3] [RULE12.4] refuses rules that can’t be read, and a second replay at the same time', async () => {
    const t = await open();
    await expect(t.replay(['allow remove('])).rejects.toThrow('line 1');
    const { runtime } = t.engine;
    const typed = (rule: string) =>
      replayPolicy(runtime, t.worldId, { rules: [rule], session: 'one-session' }, { by: person });
    // [RULE12.4] A new one of the same editing session cancels the one before, and is not recorded again.
    const typing = await Promise.allSettled([typed('allow remove'), typed('allow remove(path=a)')]);
    expect(typing.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    const replays = async () => (await t.audit()).filter(({ decision }) => decision === 'replayed').length;
    expect(await replays()).toBe(1);
    t.clock.advance(3_600_001);
    await typed('allow remove');
    expect(await replays()).toBe(2);
    const both = await Promise.allSettled([t.replay(), t.replay()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await t.replay();
  });

  it('[RULE12.1] says which calls a rule about effects can’t judge, because they were not rehearsed', async () => {
    const t = await open(['allow put']);
    await t.propose(put('docs/a.md'));
    const { notJudged, calls } = await t.replay(['ask put changing .github/**']);
    expect({ notJudged, calls }).toEqual({ notJudged: [{ code: 'not-rehearsed', calls: 1 }], calls: 0 });
  });
});

const rule = fc.constantFrom(
  'allow remove(path=a)',
  'allow remove(path=b*)',
  'deny remove(path=c)',
  'ask remove(path=a)',
  'allow put writing docs/**',
  'allow put(path=free.txt, *)',
  'deny put changing src/**',
  'ask put(text=secret)',
  'allow look',
  'ask look',
  'deny *(path=never)',
  'allow remove until 2h',
);
/** A rule that ends in two hours, by the clock of the test. */
const fromNow =
  (now: number) =>
  (text: string): string =>
    text.replace('until 2h', `until ${endText(now + 7_200_000)}`);
const call = fc.oneof(
  fc.constantFrom('a', 'b', 'bb', 'c', 'never', '../x').map(remove),
  fc
    .tuple(fc.constantFrom('docs/a.md', 'src/a.ts', 'free.txt'), fc.constantFrom('new', 'secret'))
    .map(([path, text]) => put(path, text)),
  fc.constant<Call>({ name: 'look', arguments: {} }),
  fc.constant<Call>({ name: 'gone', arguments: { x: 1 } }),
);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('call' as const), call, same: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      decision: fc.constantFrom(
        { decision: 'approve', scope: 'once' } as const,
        { decision: 'deny', scope: 'once' } as const,
        { decision: 'approve', scope: 'session' } as const,
        { decision: 'approve', scope: 'once', arguments: { path: 'a' } } as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rules' as const), rules: fc.array(rule, { maxLength: 3 }) }) },
);

describe('a replay under the rules that judged the calls', () => {
  it.each([
    ['SQLite', false, scaled(300, 12)],
    ['PostgreSQL', true, scaled(40, 1)],
  ])(
    '[RULE12.1] gives the decisions that were recorded, with every exception named, on %s',
    async (_, postgres, numRuns) => {
      const on = await start({ postgres });
      const timed = (rules: readonly string[]): string[] => {
        // PostgreSQL has its own clock, by which this rule has ended.
        const able = rules.filter((text) => !postgres || !text.includes('until'));
        return [...new Set(able.map(fromNow(on.clock.now())))];
      };
      const history = fc.tuple(fc.array(rule, { maxLength: 5 }), fc.array(step, { minLength: 1, maxLength: 8 }));
      await fc.assert(
        fc.asyncProperty(history, async ([rules, steps]) => {
          const t = await world(on, timed(rules));
          let last: string | undefined;
          for (const one of steps) {
            if (one.kind === 'call') last = await t.propose(one.call, one.same ? last : undefined);
            else if (one.kind === 'wait') t.clock.advance(one.hours * 3_600_000);
            else if (one.kind === 'rules') await t.setRules(timed(one.rules));
            else {
              const [approval] = await t.pending();
              const isOffered = approval?.options.includes('approve_session') === true;
              const scope = isOffered ? one.decision.scope : 'once';
              if (approval !== undefined) await t.decide(approval, { ...one.decision, scope });
              await t.engine.quiet();
            }
          }
          const audit = await t.audit();
          const judged = audit.filter(({ kind }) => kind === 'request' || kind === 'refusal' || kind === 'run');
          const edits = audit.filter(({ kind, decision }) => kind === 'decision' && decision === 'edit').length;
          const found = await t.replay(undefined, '2025-01-01T00:00:00Z');
          expect(found).toMatchObject({ differs: 0, otherRules: 0 });
          // The calls that rules about effects can't judge are the only exceptions, and only under other rules.
          const missed = found.notJudged.filter(({ code }) => code === 'not-rehearsed');
          expect(found.notJudged).toEqual(missed);
          const count = found.calls + missed.reduce((sum, { calls }) => sum + calls, 0);
          expect(count).toBe(new Set(judged.map(({ invocationId }) => invocationId)).size + edits);
          if (steps.some(({ kind }) => kind === 'rules')) return;
          expect(found).toMatchObject({ wouldRunAlthoughDenied: [], wouldBeDeniedAlthoughApproved: [], notJudged: [] });
          expect(found.asked.now).toBe(found.asked.then);
        }),
        { numRuns },
      );
    },
  );
});

describe('suggested rules', () => {
  /** Approves or denies what waits, after somebody had time to read it. */
  async function answer(t: Awaited<ReturnType<typeof open>>, decision: 'approve' | 'deny' = 'approve', ms = 5000) {
    t.clock.advance(ms);
    for (const approval of await t.pending()) await t.decide(approval, { decision, shownMs: ms });
    await t.engine.quiet();
  }
  const suggest = async (t: Awaited<ReturnType<typeof open>>) => await suggestRules(t.engine.runtime, t.worldId);

  it('[RULE13] [RULE13.1] prove themselves on the part of the history that they were not made from', async () => {
    const t = await open();
    for (let n = 0; n < 10; n += 1) {
      await t.propose(put('docs/a.md'));
      await answer(t);
    }
    await t.propose(put('src/a.ts'));
    await answer(t);
    const log = [...t.made.log];
    const { items } = await suggest(t);
    expect(items).toMatchObject([
      { saves: 10, covered: 10, savesLater: 2, nearest: [{ arguments: { path: 'src/a.ts' } }] },
    ]);
    expect(items[0]?.rule).toBe('allow put(path=docs/a.md, text=new)');
    const proof = await t.replay([items[0]?.rule ?? '']);
    expect([proof.wouldRunAlthoughDenied, ...questions(proof)]).toEqual([[], 11, 1]);
    expect(t.made.log).toEqual(log);
  });

  it('[RULE13.1] none comes from calls that were approved in passing, for a chat or by a rule, or that rules allow today', async () => {
    const t = await open();
    for (let n = 0; n < 4; n += 1) {
      await t.propose(put('docs/a.md'));
      await answer(t, 'approve', 500);
    }
    // A batch, or a program that shows no card.
    for (let n = 0; n < 4; n += 1) {
      await t.propose(put('docs/a.md'));
      t.clock.advance(5000);
      for (const approval of await t.pending()) await t.decide(approval);
      await t.engine.quiet();
    }
    expect(await suggest(t)).toEqual({ items: [], saved: 0 });
    for (let n = 0; n < 4; n += 1) {
      await t.propose(put('docs/a.md'));
      await answer(t);
    }
    expect(await suggest(t)).toMatchObject({ items: [{ saves: 12 }], saved: 12 });
    await t.setRules(['allow put']);
    expect(await suggest(t)).toEqual({ items: [], saved: 0 });
  });

  it('[RULE13.2] none covers a call that was denied, or one whose effect is unknown', async () => {
    const t = await open();
    for (let n = 0; n < 8; n += 1) {
      await t.propose(n % 2 === 0 ? put('docs/a.md') : remove('a'));
      await answer(t);
    }
    expect((await suggest(t)).items.map(({ rule }) => rule)).toEqual([expect.stringMatching(/^allow put/)]);
    await t.propose(put('docs/a.md'));
    await answer(t, 'deny');
    expect(await suggest(t)).toEqual({ items: [], saved: 0 });
  });

  it.each([
    ['allow put(path=docs/a.md, *)', 'no agent outside the sandbox', 1],
    ['allow claude__Read(/x)', 'nothing is written', 1],
    ['allow claude__Bash(npm test)', 'a command outside the sandbox could run what is written', 0],
    ['allow claude__*', 'it may run commands', 0],
    ['allow *(path=x)', 'it may run commands', 0],
  ])('[RULE13.3] with the rule %s, because %s, suggests %d rules that write', async (rule, _, count) => {
    const t = await open();
    for (let n = 0; n < 4; n += 1) {
      await t.propose(put('src/a.ts'));
      await answer(t);
    }
    await t.setRules([rule]);
    expect((await suggest(t)).items).toHaveLength(count);
  });

  it('[RULE13.2] none covers a call that a person edited, because it did not run as it was proposed', async () => {
    const t = await open();
    for (let n = 0; n < 4; n += 1) {
      await t.propose(put('docs/a.md'));
      await answer(t);
    }
    await t.propose(put('docs/a.md'));
    const [asked] = await t.pending();
    await t.decide(asked, { arguments: { path: 'docs/b.md', text: 'new' } });
    expect(await suggest(t)).toEqual({ items: [], saved: 0 });
  });

  it('[RULE13.1] none tells a secret that the card hides', async () => {
    const t = await open();
    const headers = { Authorization: 'Bearer abcdefgh12345678' };
    for (let n = 0; n < 4; n += 1) {
      await t.propose({ name: 'put', arguments: { path: 'docs/a.md', text: 'new', headers } });
      const [asked] = await t.pending();
      expect(JSON.stringify(asked)).not.toContain('abcdefgh12345678');
      await answer(t);
    }
    expect(await suggest(t)).toEqual({ items: [], saved: 0 });
  });

  it('[RULE13.2] no number of later calls makes a denial forgotten', async () => {
    const t = await open();
    await t.propose(put('docs/a.md'));
    await answer(t, 'deny');
    for (let n = 0; n < 4; n += 1) {
      await t.propose(put('docs/a.md'));
      await answer(t);
    }
    const about = { kind: 'request', agentId: 'ada', tool: 'look', arguments: {}, why: 'test' } as const;
    await t.store.transact(t.worldId, async (tx) => {
      for (let n = 0; n < 4_996; n += 1) tx.record({ ...about, invocationId: `call_${n}` });
    });
    expect(await suggest(t)).toEqual({ items: [], saved: 0 });
  });
});

describe('what the audit log says about rules and questions', () => {
  it('[RULE14] names who added each rule, how often it decided and when last', async () => {
    const t = await open();
    await t.setRules(['# Files', 'deny remove(path=c)', 'allow remove(path=a)']);
    expect((await ruleUses(t.engine.runtime, t.worldId)).items).toMatchObject([
      { rule: 'deny remove(path=c)', added: { who: person.who }, used: 0 },
      { rule: 'allow remove(path=a)', used: 0 },
    ]);
    t.clock.advance(1000);
    for (const path of ['a', 'a', 'b', 'c']) await t.propose(remove(path));
    const last = (await t.audit()).find(({ rule, kind }) => kind === 'run' && rule === 'allow remove(path=a)');
    const found = await Promise.all([1, 2].map(() => ruleUses(t.engine.runtime, t.worldId)));
    expect(found[1]).toEqual(found[0]);
    expect(found[0]?.items.map(({ used }) => used)).toEqual([1, 2]);
    expect(found[0]?.items[1]?.lastAt).toBe(last?.at);
  });

  it('[HTTP12.3] figures about questions agree with the audit log', async () => {
    const t = await open(['allow remove(path=a)', 'ask remove(path=b)']);
    const shown = [500, 5000, 2000];
    for (const path of ['a', 'b', 'b', 'c', 'd']) await t.propose(remove(path));
    t.clock.advance(10_000);
    const waiting = await t.pending();
    for (const [at, approval] of waiting.slice(0, 3).entries())
      await t.decide(approval, { decision: at === 1 ? 'deny' : 'approve', ...(at < 2 && { shownMs: shown[at] ?? 0 }) });
    await t.engine.quiet();
    const stats = await questionStats(t.engine.runtime, t.worldId, { suggests: true });
    const audit = await t.audit();
    const decided = audit.filter(({ kind, decision }) => kind === 'decision' && decision !== 'edit');
    expect(stats).toMatchObject({
      calls: 5,
      questions: audit.filter(({ kind }) => kind === 'request').length,
      approved: decided.filter(({ decision }) => decision === 'approve').length,
      denied: 1,
      hasty: decided.filter(({ decision, shownMs = 9999 }) => decision === 'approve' && shownMs <= 2000).length,
      waiting: { count: 3, median: 10_000 },
      onCard: { count: 2, p95: 5000 },
      perHundred: 80,
      perDay: 4,
      saveable: 0,
      more: false,
    });
    expect(stats.hasty).toBe(1);
    expect(stats.rules).toMatchObject([
      { name: 'ask remove(path=b)', questions: 2 },
      { name: '', questions: 2 },
    ]);
    expect(stats.agents).toMatchObject([{ name: 'ada', calls: 5, questions: 4 }]);
    const others = await questionStats(t.engine.runtime, t.worldId, { person: 'someone-else', suggests: false });
    expect(others).toMatchObject({ questions: 0, approved: 0, waiting: { count: 0 }, tools: [] });
    expect(others).not.toHaveProperty('saveable');
  });
});
