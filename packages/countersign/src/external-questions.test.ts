import { decideCall, setPolicy } from '@countersign/core';
import { expect, it } from 'vitest';
import { externalWorlds, W } from './testing/external-worlds.js';
import { addPeople, signedBy } from './testing/signers.js';
import { person } from './testing/test-engine.js';

const { open } = externalWorlds();
type World = Awaited<ReturnType<typeof open>>;

const asks = {
  toolName: 'claude__AskUserQuestion',
  arguments: { questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }] },
};
const plans = { toolName: 'claude__ExitPlanMode', arguments: { plan: 'Do it' } };
const answer = async ({ runtime, pending }: World, content: string, by = person) => {
  const [card] = await pending();
  return await decideCall(runtime, W, undefined, { tool_call_id: card?.approvalId ?? '', content }, by);
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

const yes = '{"decision":"Approve the plan"}';
const blue = '{"q1":"Blue"}';
async function openWithPeople() {
  const t = await open();
  await addPeople(t.runtime.store, ['ada', 'bob', 'dan'], { leads: ['ada', 'bob'] });
  return { ...t, rules: async (...rules: string[]) => await setPolicy(t.runtime, W, rules, person) };
}
const notAllowed = { kind: 'refused', code: 'not-allowed' };

it.each([
  [asks, blue, 'answered'],
  [plans, yes, 'approved'],
] as const)('[EXT1.34] only those whom a rule names answer %j', async (call, content, state) => {
  const t = await openWithPeople();
  await t.rules('ask claude__* by @leads');
  const { id } = await t.propose(call);
  expect((await t.pending())[0]?.needs).toMatchObject([{ mayIds: ['ada', 'bob'] }]);
  expect(await answer(t, content)).toMatchObject(notAllowed);
  expect(await answer(t, content, signedBy('dan'))).toMatchObject({
    ...notAllowed,
    detail: expect.stringContaining('Ada') as string,
  });
  expect(await t.claim(id)).toMatchObject({ state: 'pending' });
  expect(await answer(t, content, signedBy('bob'))).toMatchObject({ kind: 'recorded', state });
  expect(await t.claim(id)).toMatchObject({ state: state === 'answered' ? 'answered' : 'allowed' });
});

it.each([
  [['ask claude__* by 2 of @leads'], notAllowed],
  [
    ['ask claude__AskUserQuestion by @leads', 'ask claude__* by not requester'],
    { kind: 'recorded', state: 'answered' },
  ],
] as const)('[EXT1.34] an answer is one signature, which must be enough for %j', async (rules, byAnother) => {
  const t = await openWithPeople();
  await t.rules(...rules);
  await t.propose({ ...asks, from: { by: signedBy('ada'), credential: 'token 1', claim: 'claim 1' } });
  expect(await answer(t, blue, signedBy('ada'))).toMatchObject(notAllowed);
  expect(await answer(t, blue, signedBy('bob'))).toMatchObject(byAnother);
});

it('[EXT1.34] a question needs what the rules say when it is answered, and stays a question', async () => {
  const t = await openWithPeople();
  const { id } = await t.propose(plans);
  await t.rules('ask claude__ExitPlanMode by @leads');
  expect(await answer(t, yes, signedBy('ada'))).toMatchObject({ kind: 'refused', code: 'changed' });
  const [again] = await t.pending();
  expect(again).toMatchObject({ options: ['deny'], question: { approves: true }, needs: [{ mayIds: ['ada', 'bob'] }] });
  expect(await answer(t, yes, signedBy('ada'))).toMatchObject({ kind: 'recorded', state: 'approved' });
  await t.rules('ask claude__ExitPlanMode by @bob', 'allow claude__*');
  expect(await t.claim(id)).toMatchObject({ state: 'pending' });
  expect((await t.pending())[0]).toMatchObject({ options: ['deny'], question: { approves: true } });
  await t.rules('deny claude__ExitPlanMode');
  expect(await answer(t, yes, signedBy('bob'))).toMatchObject(notAllowed);
});

it('[EXT1.34] no answer takes the place of a passkey, and anyone who may sign sends a plan back', async () => {
  const t = await open({}, undefined, undefined, { adminRules: ['ask claude__* with passkey'] });
  await addPeople(t.runtime.store, ['ada', 'dan']);
  await t.propose(plans);
  await t.propose({ ...asks, key: 'k2' });
  expect(await answer(t, yes, signedBy('ada'))).toMatchObject(notAllowed);
  expect(await answer(t, 'Add tests', signedBy('dan'))).toMatchObject({ kind: 'recorded', state: 'denied' });
  expect(await answer(t, blue, signedBy('ada'))).toMatchObject({
    ...notAllowed,
    detail: expect.stringContaining('passkey') as string,
  });
});
