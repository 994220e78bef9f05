import { CLIENT_GRACE_MS } from '@countersign/core';
import { createFakeClock } from '@countersign/core/testing';
import { askHuman } from '@countersign/tools';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorld, closeTestWorlds, openTestWorld, tool, type TestWorldOptions } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { first, lastResults, obedient, propose, recorder } from './testing/obedient.js';

const inFolder = freshFolder();
afterEach(closeTestWorlds);

const remove = { name: 'remove', arguments: { path: 'a' } };

async function openUnattended(options: TestWorldOptions = {}) {
  const clock = createFakeClock();
  const { runs, tool: removing } = recorder();
  const t = await openTestWorld({ script: obedient, unattended: 'deny', clock, tools: [removing], ...options });
  const register = async (approvals: boolean): Promise<string> =>
    (await t.world.clients.register(t.world.id, { label: 'Web', approvals })).clientId;
  return { ...t, runs, clock, register };
}

describe('a world that denies calls when nobody can be asked', () => {
  it('[CALL13.2] denies immediately with a reason, and asks nobody', async () => {
    const t = await openUnattended();
    expect(await propose(t, remove)).toBe('idle');
    const denied = t.toolEvents().filter(({ type }) => type === 'TOOL_DENIED');
    expect(denied).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('nobody is connected to approve it') as string }),
    ]);
    expect(t.toolEvents().map(({ type }) => type)).not.toContain('TOOL_APPROVAL_REQUESTED');
    expect(await t.world.approvals()).toEqual([]);
    expect(lastResults(t)).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('nobody is connected to approve it') as string }),
    ]);
    expect((await t.world.audit()).filter(({ kind }) => kind === 'refusal')).toHaveLength(1);
    expect(t.runs).toEqual([]);
  });

  it('[CALL13.1] asks only while a client with approvals is connected', async () => {
    const t = await openUnattended();
    const blind = await t.register(false);
    await t.world.clients.connected(blind);
    expect(await propose(t, remove)).toBe('idle');
    const web = await t.register(true);
    expect(await propose(t, remove)).toBe('idle');
    await t.world.clients.connected(web);
    expect(await propose(t, remove)).toBe('waiting');
    await t.world.decide(await t.onlyApproval(), { decision: 'approve' });
    expect(await t.chat.settled()).toBe('idle');
    expect(t.runs).toHaveLength(1);
    await t.world.clients.disconnected(web);
    expect(await propose(t, remove)).toBe('idle');
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL13] [CALL16] counts the streams of a client: it is connected until the last one ends', async () => {
    const t = await openUnattended();
    const web = await t.register(true);
    await t.world.clients.connected(web);
    await t.world.clients.connected(web);
    await t.world.clients.disconnected(web);
    t.clock.advance(CLIENT_GRACE_MS * 2);
    expect(await propose(t, remove)).toBe('waiting');
  });

  it('[CALL13.2] denies pending calls when the last client with approvals has left', async () => {
    const t = await openUnattended({ tools: [recorder().tool, askHuman()] });
    const web = await t.register(true);
    await t.world.clients.connected(web);
    const ask = { name: 'ask_human', arguments: { question: 'Which?' } };
    expect(await propose(t, remove, ask)).toBe('waiting');
    await t.world.clients.disconnected(web);
    expect(await t.world.approvals()).toHaveLength(2);
    t.clock.advance(CLIENT_GRACE_MS + 1);
    await t.heard(({ event, data }) => event === 'world' && data.type === 'idle');
    expect(await t.world.approvals({ status: 'denied' })).toHaveLength(2);
    expect(t.toolEvents().filter(({ type }) => type === 'TOOL_DENIED')).toHaveLength(2);
  });

  it('[CALL13] clients that were connected when the process died don’t count as connected', async () => {
    const file = inFolder('harbour.db');
    const t = await openUnattended({ file });
    const web = await t.register(true);
    await t.world.clients.connected(web);
    await closeTestWorld(t);
    const again = await openUnattended({ file });
    expect(await propose(again, remove)).toBe('idle');
    expect(again.runs).toEqual([]);
  });

  it('[CALL13] tells an agent or a running tool that nobody can answer its question', async () => {
    const asking = tool('asking', async (_, { ask }) => await ask?.({ text: 'Which?', choices: [] }));
    const t = await openUnattended({ tools: [askHuman(), asking] });
    expect(await propose(t, { name: 'ask_human', arguments: { question: 'Which?' } })).toBe('idle');
    expect(await propose(t, { name: 'asking', arguments: {} })).toBe('idle');
    const types = t.toolEvents().map(({ type }) => type);
    expect(types).toEqual(['TOOL_DENIED', 'TOOL_EXECUTION_STARTED', 'TOOL_EXECUTION_FAILED']);
    expect(JSON.stringify(first(lastResults(t)))).toContain('nobody is connected to approve it');
  });

  it('[CALL13] runs calls that a rule or grant allows', async () => {
    const t = await openUnattended({ policy: ['allow remove'] });
    await propose(t, remove);
    expect(t.runs).toHaveLength(1);
  });

  it('[CALL13.1] waits in a world without this setting', async () => {
    const t = await openUnattended({ unattended: 'wait' });
    expect(await propose(t, remove)).toBe('waiting');
  });
});

it('[CALL13] a client without approvals can’t decide', async () => {
  const t = await openUnattended({ unattended: 'wait' });
  const blind = await t.register(false);
  await propose(t, remove);
  const approval = await t.onlyApproval();
  const outcome = await t.world.decide(approval, { decision: 'approve' }, { client: blind });
  expect(outcome).toMatchObject({ kind: 'refused', status: 403 });
  expect(await t.world.approvals()).toHaveLength(1);
  expect((await t.world.audit()).at(-1)).toMatchObject({ kind: 'refusal', client: blind });
});
