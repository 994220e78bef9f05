import { decideCall } from '@countersign/core';
import { expect, it } from 'vitest';
import { externalWorlds, W } from './testing/external-worlds.js';
import { person } from './testing/test-engine.js';

const { open } = externalWorlds();
type World = Awaited<ReturnType<typeof open>>;

const asks = {
  toolName: 'claude__AskUserQuestion',
  arguments: { questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }] },
};
const plans = { toolName: 'claude__ExitPlanMode', arguments: { plan: 'Do it' } };
const answer = async ({ runtime, pending }: World, content: string) => {
  const [card] = await pending();
  return await decideCall(runtime, W, undefined, { tool_call_id: card?.approvalId ?? '', content }, person);
};

it('[EXT1.27] [EXT1.29] a question needs an answer: no rule, grant or approval takes its place', async () => {
  const t = await open({ policy: ['allow claude__*'] });
  const { id } = await t.propose(asks);
  const [card] = await t.pending();
  expect(card).toMatchObject({
    options: ['deny'],
    question: { form: { fields: [{ name: 'q1' }, { name: 'q1_other' }] } },
  });
  expect(await t.approve()).toMatchObject({ kind: 'refused', code: 'invalid' });
  expect(await t.approve({ scope: 'always', rule: 'allow claude__AskUserQuestion' })).toMatchObject({
    kind: 'refused',
  });
  expect(await answer(t, '{"q1":"Green"}')).toMatchObject({ kind: 'refused', code: 'invalid' });
  expect(await t.claim(id)).toMatchObject({ state: 'pending' });
});

it('[EXT1.29] [LOG1] the answer is recorded with its question, reaches only the program, and is final', async () => {
  const t = await open();
  const { id } = await t.propose(asks);
  expect(await t.claim(id)).toMatchObject({ state: 'pending' });
  const [card] = await t.pending();
  expect(await answer(t, '{"q1":"Blue"}')).toMatchObject({ kind: 'recorded', state: 'answered' });
  const told = { state: 'answered', reason: expect.stringContaining('="Blue"') as string };
  expect([await t.claim(id), await t.claim(id)]).toEqual([told, told]);
  const again = { tool_call_id: card?.approvalId ?? '', content: '{"q1":"Blue"}' };
  expect(await decideCall(t.runtime, W, undefined, again, person)).toMatchObject({ kind: 'repeated' });
  const other = { ...again, content: '{"q1":"Red"}' };
  expect(await decideCall(t.runtime, W, undefined, other, person)).toMatchObject({ kind: 'refused', code: 'settled' });
  const records = await t.runtime.store.read((reader) => reader.lastAudit(W, { limit: 5 }));
  expect(records).toContainEqual(
    expect.objectContaining({ decision: 'answer', invocationId: id, why: '{"q1":"Blue"}' }),
  );
  // It can't be asked to run after all.
  await expect(t.report(id, { content: 'x' })).rejects.toMatchObject({ code: 'conflict' });
});

it('[EXT1.30] an approved plan runs once, one that is sent back is denied with the comments', async () => {
  const t = await open();
  const { id } = await t.propose(plans);
  expect(await t.approve()).toMatchObject({ kind: 'refused', code: 'invalid' });
  expect(await answer(t, '{"decision":"Approve the plan"}')).toMatchObject({ kind: 'recorded', state: 'approved' });
  expect(await t.claim(id)).toEqual({ state: 'allowed', arguments: plans.arguments, edited: false });
  await t.report(id, { content: 'ok' });
  expect(await t.claim(id)).toEqual({ state: 'ended' });
  const { id: second } = await t.propose({ ...plans, key: 'k2' });
  expect(await answer(t, 'Add tests')).toMatchObject({ kind: 'recorded', state: 'denied' });
  expect(await t.claim(second)).toEqual({
    state: 'denied',
    reason: expect.stringContaining('Asked for changes: Add tests') as string,
  });
});

it('[EXT1.27] a rule denies asking, and a question that can’t be shown is refused', async () => {
  const t = await open({ policy: ['deny claude__AskUserQuestion'] });
  const { id } = await t.propose(asks);
  expect(await t.claim(id)).toMatchObject({ state: 'denied' });
  const { id: broken } = await t.propose({ ...plans, key: 'k2', arguments: { plan: 7 } });
  expect(await t.claim(broken)).toMatchObject({
    state: 'denied',
    reason: expect.stringContaining('question') as string,
  });
  expect(await t.pending()).toEqual([]);
});

it('[EXT1.28] [TURN11.2] hidden characters of a question are shown by number, and it is then answered with text', async () => {
  const t = await open();
  const options = [{ label: 'Red\u202e' }, { label: 'Blue' }];
  await t.propose({ ...asks, arguments: { questions: [{ question: 'Which?', options }] } });
  const [card] = await t.pending();
  expect(card?.question?.text).toContain('Red‹U+202E›');
  expect(card?.question).not.toHaveProperty('form');
  expect(await answer(t, 'Blue')).toMatchObject({ kind: 'recorded', state: 'answered' });
});
