import { createFakeClock } from '@countersign/core/testing';
import { messageSchema } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { closeTestWorlds, gated, openTestWorld, tool } from '../testing/fixture.js';
import { talk } from '../testing/talk.js';

afterEach(closeTestWorlds);

describe('messages', () => {
  it('[WORLD1] [WORLD1.1] every message has a standard role, a sender and the message it replies to', async () => {
    const { chat, world, onlyApproval } = await openTestWorld({
      script: [{ say: 'Let me', calls: [{ name: 'open', arguments: { lock: 3 } }] }, 'It is open.'],
      tools: [gated('open', () => 'click')],
    });
    const { messageId } = await chat.send('open it');
    await chat.settled();
    await world.decide(await onlyApproval(), { decision: 'approve' });
    await chat.settled();
    const messages = await chat.messages();
    for (const message of messages) expect(messageSchema.strict().safeParse(message)).toMatchObject({ success: true });
    expect(messages.map((m) => [m.role, m.sender, m.agentId])).toEqual([
      ['user', 'human', undefined],
      ['assistant', 'ada', 'ada'],
      ['assistant', 'ada', 'ada'],
      ['tool', 'program', 'ada'],
      ['tool', 'tool', 'ada'],
      ['assistant', 'ada', 'ada'],
    ]);
    const [question, calls, asking, decision, result, answer] = messages;
    expect(question).toMatchObject({ messageId, chatId: chat.id });
    expect([calls?.replyToMessageId, answer?.replyToMessageId]).toEqual([messageId, messageId]);
    expect(asking?.replyToMessageId).toBe(calls?.messageId);
    expect(decision?.tool_call_id).toBe(asking?.tool_calls?.[0]?.id);
    expect(result?.tool_call_id).toBe(calls?.tool_calls?.[0]?.id);
    expect(new Set(messages.map((m) => m.messageId)).size).toBe(messages.length);
  });

  it('[WORLD1.2] an assistant message with calls shows the outcome of each', async () => {
    const { chat, world, onlyApproval } = await openTestWorld({
      script: [
        {
          calls: [
            { name: 'open', arguments: {} },
            { name: 'look', arguments: {} },
          ],
        },
        'done',
      ],
      tools: [gated('open', () => 'click'), tool('look', () => ({ tide: 'low' }))],
    });
    await chat.send('go');
    await chat.settled();
    const statuses = async (): Promise<unknown[]> =>
      (await chat.messages()).flatMap((m) => Object.values(m.toolCallStatus ?? {}));
    expect(await statuses()).toEqual([
      { complete: false, result: null },
      { complete: true, result: { result: { tide: 'low' } } },
      { complete: false, result: null },
    ]);
    await world.decide(await onlyApproval(), { decision: 'deny', reason: 'not today' });
    await chat.settled();
    expect(await statuses()).toEqual([
      { complete: true, result: { error: 'User denied approval for open', reason: 'not today' } },
      { complete: true, result: { result: { tide: 'low' } } },
      { complete: true, result: { decision: 'deny', scope: 'once', timestamp: expect.any(String) as string } },
    ]);
  });

  it('[WORLD1.3] an assistant message has the start time of its calls and the usage of its model call', async () => {
    const usage = { inputTokens: 10, outputTokens: 3 };
    const opened = await openTestWorld({
      script: [{ calls: [{ name: 'look', arguments: {} }], usage }, 'done'],
      tools: [tool('look', () => 'sea')],
    });
    await talk(opened, 'go');
    const message = (await opened.chat.messages()).find((m) => m.tool_calls !== undefined);
    const [call] = message?.tool_calls ?? [];
    expect(message).toMatchObject({ usage, toolCallStartedAt: { [call?.id ?? '']: expect.any(String) as string } });
  });

  it('[WORLD1] events contain the same messages as the transcript', async () => {
    const { chat, events } = await openTestWorld({ script: ['hello'] });
    await talk({ chat }, 'hi');
    const heard = events.flatMap((event) => (event.event === 'message' ? [event.data] : []));
    expect(heard).toEqual(await chat.messages());
  });

  it.each([
    ['nothing', ''],
    ['whitespace', ' \n\t '],
    ['more than a million characters', 'x'.repeat(1_000_001)],
  ])('[WORLD1] a message of %s is refused with an error at its field, and nothing is stored', async (_, content) => {
    const { chat } = await openTestWorld();
    await expect(chat.send(content)).rejects.toMatchObject({ code: 'invalid', field: 'content' });
    expect(await chat.messages()).toEqual([]);
    expect(await chat.status()).toBe('idle');
  });

  it('[WORLD1] NUL, invalid surrogates and a megabyte of text arrive unchanged', async () => {
    const { chat, provider } = await openTestWorld({
      script: () => 'read\ud800\0it',
      model: { contextTokens: 2_000_000 },
    });
    const strange = ['a\0b', 'half \ud83d of a pair', '\u001a0000', '\u202Eevil', 'y'.repeat(1_000_000)];
    for (const content of strange) await talk({ chat }, content);
    const shown = provider.requests.map((request) => request.messages.at(-1)?.content);
    expect(shown).toEqual(strange);
    expect((await chat.messages()).filter((m) => m.role === 'assistant')).toHaveLength(strange.length);
  });

  it('[WORLD1] [STORE2] a stored message is never rewritten, however many follow', async () => {
    const clock = createFakeClock();
    const opened = await openTestWorld({ clock });
    await talk(opened, 'first');
    const early = await opened.chat.messages();
    for (let n = 0; n < 20; n += 1) {
      clock.advance(1_000);
      await talk(opened, `message ${n}`);
    }
    const all = await opened.chat.messages();
    expect(all.slice(0, 2)).toEqual(early);
    expect(all).toHaveLength(42);
    expect(opened.events.filter((event) => event.event === 'message')).toHaveLength(42);
  });

  it('[WORLD1.1] a repeated clientMessageId is the same message and is answered once', async () => {
    const { chat, provider } = await openTestWorld();
    const sent = await Promise.all([1, 2, 3].map(() => chat.send('once', { clientMessageId: 'c1' })));
    await chat.settled();
    expect(await chat.send('once', { clientMessageId: 'c1' })).toEqual(sent[0]);
    expect(new Set(sent.map((s) => s.messageId)).size).toBe(1);
    expect(provider.requests).toHaveLength(1);
    expect(await chat.messages()).toHaveLength(2);
  });

  it('[WORLD1] secrets in a chat are masked for people, even across chunks, but not for the model', async () => {
    const secret = 'sk-proj-Zk3vQ8mT1xW6yB0nC5dF7gH9jL2pR4sU';
    const { chat, provider, events, heard } = await openTestWorld({
      script: [`your key is ${secret} , keep it`, 'ok'],
    });
    await talk({ chat }, `my key: ${secret}`);
    await talk({ chat }, 'thanks');
    await heard((event) => event.event === 'world' && event.data.type === 'idle');
    expect(JSON.stringify(await chat.messages())).not.toContain(secret);
    expect(JSON.stringify(events)).not.toContain(secret);
    const chunks = events.flatMap((event) => (event.event === 'sse' ? [event.data.content ?? ''] : [])).join('');
    expect(chunks).toContain('your key is');
    expect(chunks).not.toContain(secret.slice(8, 24));
    expect(provider.requests[1]?.messages.map((m) => m.content)).toEqual([
      expect.any(String),
      `my key: ${secret}`,
      `your key is ${secret} , keep it`,
      'thanks',
    ]);
  });
});
