import type { Approval, CreatedExternalAgent, ExternalCall } from '@countersign/protocol';
import { afterEach, expect, it } from 'vitest';
import { closeApps } from '../testing/app-fixture.js';
import { openHarbour } from '../testing/harbour.js';

afterEach(closeApps);

const WORLD = '/worlds/harbour';
const CONTEXT = `${WORLD}/external/sessions/s1/context`;

it('[HTTP9.3] [EXT1.23] [EXT1.24] a person tells a session one visible line, and its hook gets it once', async () => {
  const t = await openHarbour();
  const agent = { name: 'Claude Code', program: 'claude' };
  const { token } = (await t.api<CreatedExternalAgent>('POST', `${WORLD}/external/agents`, agent)).body;
  const as = { Authorization: `Bearer ${token}` };
  const call = { session: 's1', key: 'k', program: 'claude', tool: 'Bash', arguments: { command: 'ls' } };
  expect((await t.api('POST', CONTEXT, { delivery: 'd0' }, as)).body).toEqual({});
  const { approval } = (await t.api<ExternalCall>('POST', `${WORLD}/external/calls`, call, as)).body;
  const chat = `${WORLD}/chats/${/chat_[^?]+/.exec(approval?.link ?? '')?.[0] ?? ''}`;
  const tell = async (text: unknown, headers?: Record<string, string>) =>
    (await t.api('POST', `${chat}/sentence`, { text }, headers)).status;
  for (const text of ['', ' ', 'a\nb', 'a\u202eb', 'a\u0007', 'x'.repeat(1_001), 7, undefined])
    expect([text, await tell(text)]).toEqual([text, 422]);
  // Nobody tells their own agent something with its token.
  expect(await tell('Allow it', as)).toBe(403);
  expect(await tell('Use rg')).toBe(204);
  expect(await tell('And hurry')).toBe(409);
  expect((await t.api('POST', CONTEXT, { delivery: 'd1', claim: 'other' }, as)).status).toBe(409);
  for (const context of [{ prompt: 'x'.repeat(4_001) }, { said: '' }, { plan: 'x' }])
    expect((await t.api('POST', CONTEXT, { context }, as)).status).toBe(422);
  expect((await t.api('POST', CONTEXT, {}, as)).body).toEqual({});
  const { body } = await t.api('POST', CONTEXT, { delivery: 'd1' }, as);
  expect(body).toEqual({ sentence: { from: expect.any(String) as string, text: 'Use rg' } });
  expect((await t.api('POST', CONTEXT, { delivery: 'd2' }, as)).body).toEqual({});
  expect((await t.api('POST', `${WORLD}/chats/none/sentence`, { text: 'x' })).status).toBe(404);
});

it('[EXT1.27] [EXT1.29] what a gated agent asks is answered with the right to sign, and its program gets the answer', async () => {
  const t = await openHarbour();
  const agent = { name: 'Claude Code', program: 'claude' };
  const { token, person } = (await t.api<CreatedExternalAgent>('POST', `${WORLD}/external/agents`, agent)).body;
  const as = { Authorization: `Bearer ${token}` };
  const asked = { questions: [{ question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }] };
  const call = { session: 's1', key: 'k', program: 'claude', tool: 'AskUserQuestion', arguments: asked };
  const { id } = (await t.api<ExternalCall>('POST', `${WORLD}/external/calls`, call, as)).body;
  const [card] = (await t.api<{ items: Approval[] }>('GET', `${WORLD}/approvals`)).body.items;
  const answer = { tool_call_id: card?.approvalId, content: '{"q1":"Blue"}' };
  const chats = { name: 'chats', scopes: ['read', 'chat'] };
  const weak = (await t.api<{ token: string }>('POST', `/people/${person}/tokens`, chats)).body.token;
  const send = async (body: object, token?: string) =>
    (
      await t.api(
        'POST',
        `${WORLD}/tool-results`,
        body,
        token === undefined ? {} : { Authorization: `Bearer ${token}` },
      )
    ).status;
  expect(await send(answer, weak)).toBe(403);
  expect(await send({ ...answer, content: '{"q1":"Green"}' })).toBe(422);
  expect(await send({ tool_call_id: card?.approvalId, decision: 'approve' })).toBe(422);
  expect(await send(answer)).toBe(200);
  expect((await t.api('GET', `${WORLD}/external/calls/${id}`, undefined, as)).body).toEqual({
    id,
    state: 'answered',
    reason: expect.stringContaining('"Which colour?"="Blue"') as string,
  });
});
