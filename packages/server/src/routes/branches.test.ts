import { branchChat, publishMessage } from '@countersign/core';
import type { Script } from '@countersign/core/testing';
import { CLIENT_HEADER } from '@countersign/protocol';
import { afterEach, expect, it } from 'vitest';
import { closeApps } from '../testing/app-fixture.js';
import { openHarbour, type Harbour } from '../testing/harbour.js';

afterEach(closeApps);

interface Chat {
  id: string;
  title: string;
  status: string;
  branchOf?: string;
}
interface Message {
  messageId: string;
  chatId: string;
  role: string;
  content: string;
  tool_calls?: unknown[];
}

const messagesOf = async (t: Harbour, chat: string): Promise<Message[]> =>
  (await t.api<{ items: Message[] }>('GET', `/worlds/harbour/chats/${chat}/messages`)).body.items;
const wordsOf = async (t: Harbour, chat: string): Promise<string[]> =>
  (await messagesOf(t, chat)).flatMap(({ role, content }) => (role === 'tool' || content === '' ? [] : [content]));
const find = async (t: Harbour, chat: string, content: string): Promise<string> =>
  (await messagesOf(t, chat)).find((message) => message.content === content)?.messageId ?? '';
const branch = (t: Harbour, chat: string, body: object, headers = {}) =>
  t.api<Chat & { detail: string }>('POST', `/worlds/harbour/chats/${chat}/branches`, body, headers);
const idle = async (t: Harbour, chat: string): Promise<void> => {
  await expect
    .poll(async () => (await t.api<Chat>('GET', `/worlds/harbour/chats/${chat}`)).body.status)
    .not.toBe('working');
};

/** Answers with everything that it was told. */
const parrot: Script = ({ messages }) =>
  `heard ${messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join(', ')}`;

it('[WORLD17] an edit is a branch before the message, which shares what came before and nothing after', async () => {
  const t = await openHarbour({ script: parrot });
  for (const word of ['one', 'two', 'three']) await t.say(word);
  const made = await branch(t, t.chat, { fromMessageId: await find(t, t.chat, 'two'), content: 'zwei' });
  expect(made).toMatchObject({ status: 201, body: { branchOf: t.chat, title: 'one (2)' } });
  await idle(t, made.body.id);
  expect(await wordsOf(t, made.body.id)).toEqual(['one', 'heard one', 'zwei', 'heard one, zwei']);
  expect(await wordsOf(t, t.chat)).toHaveLength(6);

  // A branch of a branch, from a message that both share, and one from its own.
  const again = await branch(t, made.body.id, { fromMessageId: await find(t, t.chat, 'one') });
  await idle(t, again.body.id);
  expect(await wordsOf(t, again.body.id)).toEqual(['one', 'heard one']);
  const copy = await branch(t, made.body.id, { fromMessageId: await find(t, made.body.id, 'heard one, zwei') });
  expect(await wordsOf(t, copy.body.id)).toEqual(['one', 'heard one', 'zwei', 'heard one, zwei']);
  await t.api('POST', `/worlds/harbour/chats/${copy.body.id}/messages`, { content: 'vier' });
  await idle(t, copy.body.id);
  expect((await wordsOf(t, copy.body.id)).at(-1)).toBe('heard one, zwei, vier');

  const { body } = await t.api<{ items: Chat[] }>('GET', `/worlds/harbour/chats/${copy.body.id}/branches`);
  expect(body.items.map(({ id }) => id)).toEqual([t.chat, made.body.id, again.body.id, copy.body.id]);
  const pages: string[] = [];
  for (let before = 'end'; before !== '';) {
    const path = `/worlds/harbour/chats/${copy.body.id}/messages?limit=2&before=${before}`;
    const page = (await t.api<{ items: Message[]; next?: string }>('GET', path)).body;
    pages.unshift(...page.items.map(({ content }) => content));
    before = page.next ?? '';
  }
  expect(pages).toEqual(await wordsOf(t, copy.body.id));
  expect((await messagesOf(t, copy.body.id)).every(({ chatId }) => chatId === copy.body.id)).toBe(true);
  const turn = `turn_${(await find(t, t.chat, 'one')).slice(4)}.ada`;
  expect((await t.api('GET', `/worlds/harbour/chats/${copy.body.id}/turns/${turn}/timeline`)).status).toBe(200);
  const { text } = await t.api('GET', `/worlds/harbour/chats/${copy.body.id}/export`);
  expect(text).toContain('heard one, zwei, vier');
});

it('[WORLD17.2] [WORLD17.3] no approval, grant or waiting call carries over, and the chat that is left is stopped', async () => {
  const t = await openHarbour();
  await t.say('hello');
  await t.propose({ name: 'remove', arguments: { path: 'a' } });
  const [waiting] = await t.pending();
  const decision = { tool_call_id: waiting?.approvalId, decision: 'approve', scope: 'session' };
  await t.api('POST', '/worlds/harbour/tool-results', decision);
  await t.settled();
  expect(t.runs).toHaveLength(1);
  const call = JSON.stringify([{ name: 'remove', arguments: { path: 'a' } }]);
  const made = await branch(t, t.chat, { fromMessageId: await find(t, t.chat, call) });
  await idle(t, made.body.id);
  // The same call, in a branch: it needs approval again, and nothing ran.
  expect(t.runs).toHaveLength(1);
  expect(await t.pending()).toHaveLength(1);

  const next = await branch(t, made.body.id, { fromMessageId: await find(t, made.body.id, call), content: 'stay' });
  await idle(t, next.body.id);
  expect(await t.pending()).toEqual([]);
  expect(t.runs).toHaveLength(1);
  expect(await wordsOf(t, next.body.id)).toEqual(['hello', 'ok', 'stay', 'ok']);
});

it('[WORLD17.4] a call in the beginning of a branch keeps its result in the memory of the agent', async () => {
  const seen: string[][] = [];
  const script: Script = ({ messages }) => {
    seen.push(messages.slice(1).map(({ role, content }) => `${role}: ${content}`));
    const last = messages.findLast(({ role }) => role === 'user');
    return last?.content === 'go' && messages.at(-1)?.role === 'user'
      ? { calls: [{ name: 'remove', arguments: {} }] }
      : 'ok';
  };
  const t = await openHarbour({ script });
  await t.say('go');
  const [waiting] = await t.pending();
  await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: waiting?.approvalId, decision: 'approve' });
  await t.settled();
  const made = await branch(t, t.chat, { fromMessageId: await find(t, t.chat, 'ok'), content: 'and now?' });
  await idle(t, made.body.id);
  expect(seen.at(-1)).toEqual([
    'user: go',
    'assistant: ',
    'tool: {"result":"removed"}',
    'assistant: ok',
    'user: and now?',
  ]);

  // A call that is stopped because its chat is left: its result is later than the message that is edited.
  await t.api('POST', `/worlds/harbour/chats/${made.body.id}/messages`, { content: 'go' });
  await idle(t, made.body.id);
  await t.api('POST', `/worlds/harbour/chats/${made.body.id}/messages`, { content: 'wait' });
  const left = await branch(t, made.body.id, { fromMessageId: await find(t, made.body.id, 'wait'), content: 'no' });
  await idle(t, left.body.id);
  const stopped = expect.stringMatching(/^tool: .*stopped/) as string;
  expect(seen.at(-1)?.slice(-4)).toEqual(['user: go', 'assistant: ', stopped, 'user: no']);
});

it('[WORLD17.5] the author of a message is a requester of what sending it again leads to', async () => {
  const t = await openHarbour();
  const call = JSON.stringify([{ name: 'remove', arguments: { path: 'a' } }]);
  const ada = { kind: 'person', id: 'ada', name: 'Ada' } as const;
  const dan = { kind: 'person', id: 'dan', name: 'Dan' } as const;
  const { runtime } = t.engine;
  const sent = { worldId: 'harbour', chatId: t.chat, speaker: 'human', content: call } as const;
  const { messageId } = await publishMessage(runtime, { ...sent, who: ada });
  await t.settled();
  const made = await branchChat(runtime, 'harbour', t.chat, { fromMessageId: messageId }, { who: dan, via: 'test' });
  await idle(t, made.id);
  const unfinished = await runtime.store.read((reader) => reader.unfinishedTurns());
  const turns = unfinished.filter(({ chatId }) => chatId === made.id);
  expect(turns.map(({ requester }) => JSON.parse(requester ?? '') as unknown)).toMatchObject([
    [{ id: 'dan' }, { id: 'ada' }],
  ]);

  // Sending it again once more doesn't make its first author forgotten.
  const again = await find(t, made.id, call);
  const next = await branchChat(runtime, 'harbour', made.id, { fromMessageId: again }, { who: dan, via: 'test' });
  await idle(t, next.id);
  const [turn] = (await runtime.store.read((reader) => reader.unfinishedTurns())).filter(
    (one) => one.chatId === next.id,
  );
  expect(JSON.parse(turn?.requester ?? '')).toMatchObject([{ id: 'dan' }, { id: 'ada' }]);
});

it('[WORLD17.1] a message is sent again with its files', async () => {
  const seen: string[] = [];
  const t = await openHarbour({ script: ({ messages }) => (seen.push(messages.at(-1)?.content ?? ''), 'ok') });
  const chat = `/worlds/harbour/chats/${t.chat}`;
  const file = { name: 'a.txt', base64: Buffer.from('pears').toString('base64') };
  const { id } = (await t.api<{ id: string }>('POST', `${chat}/attachments`, file)).body;
  await t.api('POST', `${chat}/messages`, { content: 'read it', attachments: [{ id, name: 'a.txt' }] });
  await t.settled();
  const made = await branch(t, t.chat, { fromMessageId: await find(t, t.chat, 'read it'), content: 'count it' });
  await idle(t, made.body.id);
  expect(seen).toEqual([expect.stringContaining('pears'), expect.stringMatching(/^count it[^]*pears/)]);
  expect((await t.api('DELETE', chat)).status).toBe(409);
  expect((await t.api('GET', `/worlds/harbour/chats/${made.body.id}/attachments/${id}`)).text).toBe('pears');
});

it('[WORLD17.6] a chat whose messages a branch begins with can’t be deleted before it', async () => {
  const t = await openHarbour();
  await t.say('hello');
  const made = await branch(t, t.chat, { fromMessageId: await find(t, t.chat, 'ok') });
  const refused = await t.api<{ detail: string }>('DELETE', `/worlds/harbour/chats/${t.chat}`);
  expect(refused).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('Delete it first') as string },
  });
  expect((await t.api('DELETE', `/worlds/harbour/chats/${made.body.id}`)).status).toBe(204);
  expect((await t.api<Chat>('GET', `/worlds/harbour/chats/${t.chat}`)).body).not.toHaveProperty('branchOf');
  expect((await t.api('DELETE', `/worlds/harbour/chats/${t.chat}`)).status).toBe(204);
});

it('[WORLD17.1] refuses messages that are not of this chat, and calls and results', async () => {
  const t = await openHarbour();
  await t.say('hello');
  const { body: other } = await t.api<Chat>('POST', '/worlds/harbour/chats');
  const hello = await find(t, t.chat, 'hello');
  for (const fromMessageId of ['none', '', 'x'.repeat(500)])
    expect((await branch(t, t.chat, { fromMessageId })).status).toBe(422);
  expect((await branch(t, other.id, { fromMessageId: hello })).body).toMatchObject({ field: 'fromMessageId' });
  expect((await branch(t, 'none', { fromMessageId: hello })).status).toBe(404);
  expect((await branch(t, t.chat, { fromMessageId: hello, content: ' ' })).body).toMatchObject({ field: 'content' });
  expect((await branch(t, t.chat, { fromMessageId: hello }, { [CLIENT_HEADER]: 'wrong' })).status).toBe(403);
  await t.propose({ name: 'remove', arguments: {} });
  const all = await messagesOf(t, t.chat);
  const others = all.filter(({ role, tool_calls: calls }) => role === 'tool' || calls !== undefined);
  expect(others.length).toBeGreaterThan(1);
  for (const { messageId } of others) expect((await branch(t, t.chat, { fromMessageId: messageId })).status).toBe(422);
});

it('[WORLD17.1] refuses a branch after an answer while something before it is unfinished', async () => {
  const t = await openHarbour();
  await t.propose({ name: 'remove', arguments: {} });
  await t.api('POST', '/worlds/harbour/agents', { name: 'Bob', provider: 'scripted', model: 'any' });
  await t.say('@bob hello');
  const { body } = await branch(t, t.chat, { fromMessageId: await find(t, t.chat, 'ok') });
  expect(body.detail).toMatch(/not finished. Stop the chat first/);
});
