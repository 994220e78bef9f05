import {
  addAgent,
  createChat,
  listApprovals,
  publishMessage,
  decideCall,
  setPolicy,
  updateWorld,
  type Engine,
} from '@countersign/core';
import { SERVER_LOG } from '@countersign/core/ports';
import { scripted } from '@countersign/core/testing';
import type { Signer, ToolResultOutcome } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { scaled } from '../support/scaled.js';
import { countingTool, isStatus, nextEvent, openEngine, prepare, signer, type Scene } from './engines-fixture.js';

const PEOPLE = ['ada', 'bob', 'carol', 'dan'];

const signedBy = (id: string, via: string): Signer => ({ who: { kind: 'person', id, name: id }, via });

async function addPeople({ runtime: { store } }: Engine): Promise<void> {
  await store.transact(SERVER_LOG, async (tx) => {
    await tx.lockServerLog();
    for (const id of PEOPLE) {
      const rights = { role: 'approver', worldRoles: {}, status: 'active' } as const;
      await tx.insertPerson({ id, name: id, email: null, ...rights, rev: 1, createdAt: 0 });
    }
    await tx.putGroup({ name: 'finance', people: PEOPLE, oidcGroup: null });
  });
}

async function putGroup({ runtime: { store } }: Engine, people: readonly string[]): Promise<void> {
  await store.transact(SERVER_LOG, async (tx) => {
    await tx.lockServerLog();
    await tx.putGroup({ name: 'finance', people, oidcGroup: null });
  });
}

async function ask(engine: Engine, waitsAt: Engine, { worldId, chatId }: Scene, content: string): Promise<string> {
  const waiting = nextEvent(waitsAt, worldId, isStatus('waiting'));
  await publishMessage(engine.runtime, { worldId, chatId, content, speaker: 'human', who: signer.who });
  await waiting;
  const [approval] = await listApprovals(waitsAt.runtime, worldId, { status: 'pending' });
  return approval?.approvalId ?? '';
}

describe('[SIGN1] [STORE4.1] signatures on one PostgreSQL', () => {
  it('four people sign at four processes at once: each counts once, and the call runs once', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const engines = await Promise.all([1, 2, 3, 4].map(() => openEngine(url, [countingTool(runs)])));
    const [a, b] = engines as [Engine, Engine];
    await addPeople(a);
    const scene = await prepare(a);
    const { worldId } = scene;
    await setPolicy(a.runtime, worldId, ['ask stamp by 3 of @finance'], signer);
    const rounds = scaled(10, 2);
    for (let round = 1; round <= rounds; round += 1) {
      const id = await ask(a, b, scene, `letter_${round}`);
      const idle = nextEvent(b, worldId, isStatus('idle'));
      const decision = { tool_call_id: id, decision: 'approve' } as const;
      const outcomes = await Promise.all(
        engines.flatMap(({ runtime }, at) =>
          PEOPLE.map((who) => decideCall(runtime, worldId, undefined, decision, signedBy(who, `device ${at}`))),
        ),
      );
      // Nobody is refused: a second signature of the same person, and any after the last one, is a repeat.
      expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 200));
      expect(outcomes.filter(({ kind }) => kind === 'recorded')).toHaveLength(3);
      await idle;
      const records = await b.runtime.store.read((reader) => reader.audit(worldId, { after: 0, limit: 1000 }));
      const signed = records.filter(({ kind }) => kind === 'sign' || kind === 'decision').slice(-3);
      expect(signed.map(({ kind }) => kind)).toEqual(['sign', 'sign', 'decision']);
      expect(new Set(signed.map(({ who }) => JSON.stringify(who))).size).toBe(3);
    }
    expect([...runs.values()]).toEqual(Array.from({ length: rounds }, () => 1));
    expect(await a.runtime.store.verifyAudit(worldId)).toMatchObject({ ok: true });
  });

  it('[SIGN3.1] [SIGN3.6] an agent reviews a call while people decide it at every process: one of them counts', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const race: { decide?: () => void } = {};
    const model = () =>
      scripted(({ messages, tools }) => {
        if (messages.some(({ role }) => role === 'assistant')) return 'Done.';
        if (!tools.some(({ name }) => name === 'review_call'))
          return { calls: [{ name: 'stamp', arguments: { key: String(messages.at(-1)?.content).slice(-8) } }] };
        race.decide?.();
        return { calls: [{ name: 'review_call', arguments: { decision: 'approve', reason: 'fine' } }] };
      });
    const engines = await Promise.all([1, 2, 3, 4].map(() => openEngine(url, [countingTool(runs)], model())));
    const [a, b] = engines as [Engine, Engine];
    await addPeople(a);
    const { worldId } = await prepare(a);
    await addAgent(a.runtime, worldId, { name: 'Reviewer', provider: 'scripted', model: 'm', tools: [] }, signer);
    await updateWorld(a.runtime, worldId, { mainAgent: 'clerk' }, signer);
    await setPolicy(a.runtime, worldId, ['ask stamp by agent @reviewer'], signer);
    const rounds = scaled(10, 2);
    for (let round = 1; round <= rounds; round += 1) {
      // A chat of its own: the model answers by the last message.
      const { id: chatId } = await createChat(a.runtime, worldId);
      const outcomes = new Promise<ToolResultOutcome[]>((resolve, reject) => {
        race.decide = () => {
          const all = engines.map(async ({ runtime }, at) => {
            const [approval] = await listApprovals(runtime, worldId, { status: 'pending' });
            const decision = { tool_call_id: approval?.approvalId ?? 'none', decision: 'approve' } as const;
            const by = signedBy(PEOPLE[at] ?? '', `device ${at}`);
            return await decideCall(runtime, worldId, undefined, decision, by);
          });
          Promise.all(all).then(resolve, reject);
        };
      });
      const idle = nextEvent(b, worldId, isStatus('idle'));
      const content = `letter_${round}`;
      await publishMessage(a.runtime, { worldId, chatId, content, speaker: 'human', who: signer.who });
      // A process that finds no pending approval came too late, and gets 404.
      expect((await outcomes).filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
      await idle;
    }
    const records = await b.runtime.store.read((reader) => reader.audit(worldId, { after: 0, limit: 1000 }));
    expect(records.filter(({ kind }) => kind === 'sign')).toEqual([]);
    expect(records.filter(({ kind }) => kind === 'decision')).toHaveLength(rounds);
    expect([...runs.values()]).toEqual(Array.from({ length: rounds }, () => 1));
    expect(await a.runtime.store.verifyAudit(worldId)).toMatchObject({ ok: true });
  });

  it('a person removed from the group at one process can’t sign at another', async () => {
    const url = await createMigratedDatabase();
    const runs = new Map<string, number>();
    const [a, b] = [await openEngine(url, [countingTool(runs)]), await openEngine(url, [countingTool(runs)])];
    await addPeople(a);
    const scene = await prepare(a);
    const { worldId } = scene;
    await setPolicy(a.runtime, worldId, ['ask stamp by 2 of @finance'], signer);
    const decision = { tool_call_id: await ask(a, b, scene, 'letter_1'), decision: 'approve' } as const;
    const sign = (engine: Engine, who: string) =>
      decideCall(engine.runtime, worldId, undefined, decision, signedBy(who, 'device'));
    expect(await sign(b, 'ada')).toMatchObject({ state: 'asked' });
    await putGroup(a, ['bob', 'carol']);
    expect(await sign(b, 'ada')).toMatchObject({ status: 403, code: 'not-allowed' });
    expect(await sign(b, 'bob')).toMatchObject({ state: 'asked' });
    expect(await sign(a, 'dan')).toMatchObject({ status: 403 });
    const idle = nextEvent(a, worldId, isStatus('idle'));
    expect(await sign(a, 'carol')).toMatchObject({ state: 'approved' });
    await idle;
    expect([...runs.values()]).toEqual([1]);
  });
});
