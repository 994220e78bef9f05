import {
  addAgent,
  claimExternal,
  createWorld,
  listApprovals,
  proposeExternal,
  decideCall,
  updateAgent,
  withdrawExternal,
} from '@countersign/core';
import { externalTool } from '@countersign/tools';
import { expect, it } from 'vitest';
import { asked, caller, proposal } from './testing/external-worlds.js';
import { freshEngines } from './testing/fresh-engines.js';
import { createTestEngine, person } from './testing/test-engine.js';

const W = 'harbour';
const engines = freshEngines();

async function open(probe: (moment: string) => void = () => undefined) {
  const engine = await createTestEngine({ externalTool, probe });
  engines.add(engine);
  const { runtime } = engine;
  await createWorld(runtime, { name: 'Harbour' }, person);
  await addAgent(runtime, W, { name: 'Claude', provider: 'external', model: 'claude', tools: ['claude__*'] }, person);
  await engine.start();
  const { id } = await proposeExternal(runtime, W, proposal(), caller);
  const pending = () => listApprovals(runtime, W, { status: 'pending' });
  const approve = async () => {
    const [approval] = await pending();
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
    return await decideCall(runtime, W, undefined, decision, person);
  };
  return { runtime, id, pending, approve, claim: () => claimExternal(runtime, asked(id)) };
}

it('[EXT1.7] allows no call of a deactivated agent, even if the process died before it denied the waiting ones', async () => {
  const t = await open((moment) => {
    if (moment === 'before deactivate-agent') throw new Error('the process died');
  });
  await expect(updateAgent(t.runtime, W, 'claude', { active: false }, person)).rejects.toThrow('the process died');
  expect(await t.pending()).toHaveLength(1);
  await t.approve().catch(() => undefined);
  expect((await t.claim()).state).toBe('denied');
});

it('[EXT1.7] [EXT1.12] denies a call that was approved and not claimed', async () => {
  const t = await open();
  await t.approve();
  await withdrawExternal(t.runtime, W, t.id, 'the token was revoked');
  await withdrawExternal(t.runtime, W, t.id, 'again');
  expect(await t.claim()).toEqual({
    state: 'denied',
    reason: expect.stringContaining('the token was revoked') as string,
  });
  const other = await open();
  await other.approve();
  await updateAgent(other.runtime, W, 'claude', { active: false }, person);
  expect((await other.claim()).state).toBe('denied');
});

it('[EXT1.12] leaves a call alone that has started', async () => {
  const t = await open();
  await t.approve();
  expect((await t.claim()).state).toBe('allowed');
  await withdrawExternal(t.runtime, W, t.id, 'the token was revoked');
  expect((await t.claim()).state).toBe('allowed');
});
