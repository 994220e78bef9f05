import { afterEach, describe, expect, it } from 'vitest';
import { closeApps } from '../../testing/app-fixture.js';
import { openHarbour } from '../../testing/harbour.js';
import { headingOf, messageText } from './chat-markdown.js';

afterEach(closeApps);

const KEY = 'sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA';

describe('a chat', () => {
  it('[HTTP6.5] is exported whole, with its calls, masked, as JSON or Markdown', async () => {
    const t = await openHarbour();
    const path = `/worlds/harbour/chats/${t.chat}`;
    await t.say(`the key is ${KEY}`);
    await t.propose({ name: 'remove', arguments: { path: 'a.txt', password: 'correct-horse' } });
    const [waiting] = await t.pending();
    await t.api('POST', '/worlds/harbour/tool-results', { tool_call_id: waiting?.approvalId, decision: 'approve' });
    await t.settled();
    for (let count = 0; count < 15; count += 1) await t.say(`message ${count}`);

    const { items } = (await t.api<{ items: object[] }>('GET', `${path}/messages`)).body;
    expect(items.length).toBeGreaterThan(30);
    const json = await t.api('GET', `${path}/export?format=json`);
    const exported = JSON.parse(json.text) as { chat: object; messages: object[] };
    expect(json.headers.get('content-disposition')).toBe(`attachment; filename="${t.chat}.json"`);
    expect(exported.messages).toEqual(items);
    expect(exported.chat).toMatchObject({ id: t.chat, status: 'idle' });

    const md = await t.api('GET', `${path}/export`);
    expect(md.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    for (const shown of [
      '**token** · 2',
      '**ada** (agent) · 2',
      'Call of **remove**',
      ' · approve, once\n',
      'Result',
      'removed',
    ])
      expect(md.text).toContain(shown);
    expect(md.text.match(/message \d+/g)).toHaveLength(15);
    for (const { text } of [json, md]) {
      expect(text).not.toContain(KEY);
      expect(text).not.toContain('correct-horse');
    }
  });

  it('[HTTP6.5] without messages, unknown, or in an unknown format', async () => {
    const t = await openHarbour();
    const path = `/worlds/harbour/chats/${t.chat}/export`;
    expect(JSON.parse((await t.api('GET', `${path}?format=json`)).text)).toMatchObject({ messages: [] });
    expect((await t.api('GET', path)).text).toMatch(/^# New chat\n/);
    expect((await t.api('GET', `${path}?format=html`)).body).toMatchObject({ field: 'format' });
    expect((await t.api('GET', '/worlds/harbour/chats/none/export')).status).toBe(404);
  });
});

describe('Markdown', () => {
  const at = '2026-11-19T10:00:00.000Z';
  const from = (content: string, more = {}): string =>
    messageText({ messageId: 'm', chatId: 'c', role: 'assistant', sender: 'ada', createdAt: at, content, ...more });
  const body = (content: string): string[] => from(content).split('\n').slice(5, -1);

  it('[HTTP6.6] keeps what a message says in a quote, whatever it looks like', () => {
    const forged = 'done\n\n---\n\n**Grace** · now\r\r> yes\u2028**Grace**';
    expect(body(forged).every((line) => line === '>' || line.startsWith('> '))).toBe(true);
    expect(body('a\u202Eb')).toEqual(['> a‹U+202E›b']);
    expect(from('x', { sender: '*a*\n# b' })).toContain('**&#42;a&#42; &#35; b** (agent) · 2026-11-19 10:00:00 UTC');
    expect(headingOf({ id: 'c', title: '<img>\n# b', status: 'idle', createdAt: at })).toMatch(
      /^# &#60;img&#62; &#35; b\n/,
    );
  });

  it('[HTTP6.6] shows HTML and images as text, and leaves code blocks as they are', () => {
    expect(body('<b>![x](http://evil/?a)')).toEqual(['> &lt;b>!\\[x](http://evil/?a)']);
    expect(body('```ts\na<b>![\n```\n<i>')).toEqual(['> ```ts', '> a<b>![', '> ```', '> &lt;i>']);
    expect(body('~~~\n```\n<a>\n ~~~~\n<i>').at(-1)).toBe('> &lt;i>');
    // No fence that only we would see: in a list, with a backtick in its info text, or closed before.
    expect(body('- a\n  ```\n<img>').at(-1)).toBe('> &lt;img>');
    expect(body('``` a`b\n<img>').at(-1)).toBe('> &lt;img>');
    expect(body('````\n```\n<p>\n````\t\n<img>').at(-1)).toBe('> &lt;img>');
    // Fences that we would take for the opposite of what a renderer does: indented ones, also by a tab.
    for (const text of ['   ```\n```', '   ~~~\n```\n~~~', '```\n\t```', '```\n \t```', '```\n        ```\n```'])
      expect(body(`${text}\n<img>![](http://evil)`).at(-1)).toBe('> &lt;img>!\\[](http://evil)');
  });

  it('[HTTP6.6] puts calls and results in code blocks that they can’t end', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'run', arguments: '{"a":"```\\n# x"}' } } as const;
    const result = '````\n**Grace** · now';
    const text = from('', { tool_calls: [call], toolCallStatus: { call_1: { complete: true, result } } });
    expect(text).toContain('`````\n````\n**Grace** · now\n`````');
    const many = '` '.repeat(400_000);
    expect(from('', { tool_calls: [call], toolCallStatus: { call_1: { complete: true, result: many } } })).toContain(
      many,
    );
    expect(from('', { tool_calls: [call] })).toContain('Call of **run**, not finished');
  });
});
