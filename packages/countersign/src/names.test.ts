import {
  addAgent,
  createWorld,
  decideCall,
  createChat,
  listApprovals,
  publishMessage,
  revokeGrant,
  showApproval,
  stopChat,
} from '@countersign/core';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, openTestWorld } from './testing/fixture.js';
import { first, recorder } from './testing/obedient.js';
import { createTestEngine, person } from './testing/test-engine.js';

afterEach(closeTestWorlds);

const agent = { provider: 'scripted', model: 'any', tools: ['*'] };

describe('names and ids', () => {
  it('[CALL17.3] nobody can use reserved names, in any spelling', async () => {
    const { world } = await openTestWorld();
    for (const name of ['human', 'User', 'WORLD', 'system', 'ｈｕｍａｎ', 'ＳＹＳＴＥＭ']) {
      await expect(world.addAgent({ name, ...agent })).rejects.toMatchObject({ code: 'invalid', field: 'name' });
      await expect(world.updateAgent('ada', { name })).rejects.toMatchObject({ code: 'invalid' });
      await expect(world.update({ name })).rejects.toMatchObject({ code: 'invalid' });
    }
    expect((await world.agents()).map(({ name }) => name)).toEqual(['Ada']);
  });

  it('[CALL17.3] a name consists of letters, digits, space, - and _: no invisible characters, and none that end a mention', async () => {
    const { world } = await openTestWorld();
    for (const name of ['', ' ', 'a.b', 'a@b', 'a\nb', 'hu\u200bman', '\u202eadA', 'a,b', '-a', 'a ', 'x'.repeat(65)]) {
      await expect(world.addAgent({ name, ...agent })).rejects.toMatchObject({ code: 'invalid' });
    }
    for (const name of ['Bob 2', 'mary-ann', 'über_ich', '李']) await world.addAgent({ name, ...agent });
    expect(await world.agents()).toHaveLength(5);
  });

  it('[CALL17] nobody can take a name or id that is in use', async () => {
    const { world } = await openTestWorld({ agents: ['Ada Lee'] });
    for (const name of ['Ada Lee', 'ada lee', 'ada-lee', 'ＡＤＡ ＬＥＥ']) {
      await expect(world.addAgent({ name, ...agent })).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('[CALL17.4] ids are never reused, however often a name is', async () => {
    const { world } = await openTestWorld({ agents: ['Ada'] });
    const ids = new Set(['ada']);
    for (let n = 0; n < 4; n += 1) {
      const id = first(await world.agents()).id;
      await world.removeAgent(id);
      ids.add((await world.addAgent({ name: 'Ada', ...agent })).id);
    }
    expect(ids.size).toBe(5);
  });

  it('[WORLD3] [WORLD4] two spellings that the same mention would match count as one name, for agents and people', async () => {
    const { world, chat } = await openTestWorld({ agents: ['Ada Lovelace', 'ΝΙΚΟΣ'] });
    for (const name of ['ada  lovelace', 'ΝΙΚΟσ', 'νικος']) {
      await expect(world.addAgent({ name, ...agent })).rejects.toMatchObject({ code: 'conflict', field: 'name' });
      await expect(chat.send('hello', { sender: name })).rejects.toMatchObject({ code: 'invalid', field: 'sender' });
    }
  });
});

describe('two worlds in one store', () => {
  async function twoWorlds() {
    const { runs, tool } = recorder();
    const engine = await createTestEngine({ tools: [tool] });
    const { runtime } = engine;
    const [mine, theirs] = [
      await createWorld(runtime, { name: 'Mine' }, person),
      await createWorld(runtime, { name: 'Theirs' }, person),
    ];
    for (const world of [mine, theirs]) await addAgent(runtime, world.id, { name: 'Ada', ...agent }, person);
    const chat = await createChat(runtime, mine.id);
    await publishMessage(runtime, {
      worldId: mine.id,
      chatId: chat.id,
      content: '[{"name":"remove","arguments":{"path":"a"}}]',
      speaker: 'human',
    });
    await engine.quiet();
    return { engine, runtime, mine: mine.id, theirs: theirs.id, chat, runs };
  }
  const eve = { who: { kind: 'person', id: 'eve', name: 'eve' }, via: 'other' } as const;

  it('[CALL6] [HTTP14] a decision from another world gets 403, changes nothing, and reveals nothing about the call', async () => {
    const { engine, runtime, mine, theirs, chat, runs } = await twoWorlds();
    const approval = first(await listApprovals(runtime, mine));
    for (const agentId of ['ada', undefined]) {
      for (const tool_call_id of [approval.approvalId, approval.toolCallId]) {
        const { callHash } = approval;
        expect(
          await decideCall(runtime, theirs, agentId, { tool_call_id, decision: 'approve', callHash }, eve),
        ).toMatchObject({ kind: 'refused', status: 403, code: 'foreign' });
      }
    }
    await engine.quiet();
    expect(runs).toEqual([]);
    expect(await listApprovals(runtime, mine)).toEqual([approval]);
    const audit = await runtime.store.read((reader) => reader.audit(theirs, { after: 0, limit: 100 }));
    const tried = audit.filter(({ kind }) => kind !== 'policy');
    expect(tried.map(({ kind, who }) => [kind, who])).toEqual(Array.from({ length: 4 }, () => ['refusal', eve.who]));
    expect(JSON.stringify(audit)).not.toContain(approval.toolCallId);
    expect(await showApproval(runtime, theirs, approval.approvalId)).toBeUndefined();
    expect(await listApprovals(runtime, theirs, {})).toEqual([]);
    await expect(stopChat(runtime, theirs, chat.id, eve)).rejects.toMatchObject({ code: 'not-found' });
    await engine.close();
  });

  it('[CALL6] [CALL14] a grant of one world does not apply in another, and can’t be revoked from there', async () => {
    const { engine, runtime, mine, theirs, runs } = await twoWorlds();
    const approval = first(await listApprovals(runtime, mine));
    const decision = {
      tool_call_id: approval.approvalId,
      decision: 'approve',
      scope: 'session',
      pattern: '*',
    } as const;
    await decideCall(runtime, mine, 'ada', decision, {
      who: { kind: 'person', id: 'meg', name: 'meg' },
      via: 'desk',
    });
    await engine.quiet();
    const grant = first(await runtime.store.read((reader) => reader.grantsOfWorld(mine)));
    expect(await revokeGrant(runtime, theirs, grant.id, eve)).toBe(false);
    const chat = await createChat(runtime, theirs);
    await publishMessage(runtime, {
      worldId: theirs,
      chatId: chat.id,
      content: '[{"name":"remove","arguments":{"path":"b"}}]',
      speaker: 'human',
    });
    await engine.quiet();
    expect(await listApprovals(runtime, theirs)).toHaveLength(1);
    expect(runs).toEqual([{ path: 'a' }]);
    await engine.close();
  });
});
