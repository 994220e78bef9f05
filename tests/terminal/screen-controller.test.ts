import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type Client } from '@countersign/client';
import { decideCall } from '@countersign/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createController, type Controller } from '../../packages/terminal/src/tui/controller.js';
import type { Key, KeyName } from '../../packages/terminal/src/tui/keys/key.js';
import { textOf } from '../../packages/terminal/src/text/spans.js';
import { ARMING_MS } from '../../packages/terminal/src/tui/ui-state.js';
import { rehearsingTool } from '../../packages/countersign/src/testing/rehearsing-tool.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';
import { chatWith } from './numbered-messages.js';

let t: HarbourServer;
const putting = rehearsingTool();
beforeAll(async () => {
  t = await openHarbourServer({ tools: [putting.tool] });
});
afterAll(() => t.close());

const opened: Controller[] = [];
afterEach(() => {
  for (const controller of opened.splice(0)) controller.close();
});

const key = (name: KeyName): Key => ({ kind: 'name', name });
const char = (text: string): Key => ({ kind: 'char', text });
const ctrl = (letter: string): Key => ({ kind: 'ctrl', letter });
const write = (text: string): Key => ({ kind: 'paste', text });

/** A person at a screen without a terminal; requests go through `send`. */
function sit(chatId: string | undefined, send: typeof fetch = fetch) {
  let ahead = 0;
  const controller = createController({
    client: clientOver(send),
    worldId: 'docks',
    chatId,
    me: undefined,
    now: () => Date.now() + ahead,
    size: () => ({ columns: 120, rows: 36 }),
    onChange: () => undefined,
    onWaiting: () => undefined,
    onLeave: () => undefined,
  });
  opened.push(controller);
  return {
    press: (...keys: Key[]) => keys.forEach((each) => controller.press(each)),
    screen: () =>
      controller
        .frame()
        .map((line) => textOf(line).trimEnd())
        .join('\n'),
    async see(wanted: string | RegExp) {
      await expect.poll(() => this.screen()).toMatch(wanted);
    },
    /** A new card ignores input at first. */
    later: () => {
      ahead += ARMING_MS * 2;
      controller.refresh();
    },
  };
}

function clientOver(send: typeof fetch): Client {
  return createClient({ url: t.serving().url, token: t.env['COUNTERSIGN_TOKEN'] ?? '', fetch: send });
}

/** Holds back a request until it is released. */
function gate(): { closed: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { closed, open: () => open() };
}

const pathOf = (input: Parameters<typeof fetch>[0]): string =>
  new URL(input instanceof Request ? input.url : input).pathname;
const BUSY = { type: 'about:blank', status: 503, title: 'Busy', detail: 'The server is busy. Try again.' };

describe('the full-screen UI with a real server', () => {
  it('[STORE7] requests older messages only once if they can’t be loaded, and again when the reader scrolls', async () => {
    const chat = await chatWith(t, 250);
    let asked = 0;
    let isAway = true;
    const seat = sit(chat, async (input, init) => {
      const isOlder = /before=(?!end)/.test(String(input instanceof Request ? input.url : input));
      if (isOlder) asked += 1;
      if (isOlder && isAway) throw new TypeError('fetch failed');
      return await fetch(input, init);
    });
    await seat.see('number 250 of many');
    seat.press(key('tab'), key('home'));
    await expect.poll(() => asked).toBeGreaterThan(0);
    const after = asked;
    for (let round = 1; round <= 5; round += 1) {
      await t.client.send('docks', chat, { content: `say "round ${round}"` });
      await seat.see(new RegExp(`message 1 of ${100 + round * 2}, more above`));
    }
    expect(asked).toBe(after);
    isAway = false;
    seat.press(key('home'));
    await seat.see(/message \d+ of 210/);
  });

  it('stays where the person navigated while a new chat was being created', async () => {
    const other = await chatWith(t, 1);
    const making = gate();
    const seat = sit(undefined, async (input, init) => {
      if (init?.method === 'POST' && pathOf(input).endsWith('/chats')) await making.closed;
      return await fetch(input, init);
    });
    await seat.see('No messages yet');
    seat.press(write('say "in a new one"'), key('enter'));
    await t.client.changeChat('docks', other, { title: 'The other one' });
    await seat.see('The other one');
    seat.press(ctrl('p'), key('down'), key('enter'));
    await seat.see('number 1 of many');
    making.open();
    await expect.poll(async () => (await t.client.search('docks', 'in a new one')).items.length).toBeGreaterThan(0);
    expect(seat.screen()).toContain('number 1 of many');
  });

  it('returns a failed message to its own chat, not to the open one', async () => {
    const [first, second] = [await chatWith(t, 1), await chatWith(t, 2)];
    await t.client.changeChat('docks', first, { title: 'First chat' });
    await t.client.changeChat('docks', second, { title: 'Second chat' });
    const sending = gate();
    const seat = sit(first, async (input, init) => {
      if (init?.method !== 'POST' || !pathOf(input).endsWith('/messages')) return await fetch(input, init);
      await sending.closed;
      return Response.json(BUSY, { status: 503, headers: { 'Content-Type': 'application/problem+json' } });
    });
    await seat.see('First chat');
    seat.press(write('delete everything'), key('enter'));
    const { chats } = { chats: (await t.client.chats('docks', { newest: true, limit: 50 })).items.toReversed() };
    const down = chats.findIndex(({ id }) => id === second) + 1;
    seat.press(ctrl('p'), key('home'), ...Array.from({ length: down }, () => key('down')), key('enter'));
    await seat.see('number 2 of many');
    seat.press(write('half a thought'));
    sending.open();
    await seat.see('The server is busy');
    expect(seat.screen()).toContain('› half a thought');
    expect(seat.screen()).not.toContain('delete everything');
    const back = chats.findIndex(({ id }) => id === first) + 1;
    seat.press(ctrl('p'), key('home'), ...Array.from({ length: back }, () => key('down')), key('enter'));
    await seat.see('› delete everything');
    expect(seat.screen()).not.toContain('half a thought');
  });

  it('[HTTP14] says who decided if someone else made the same decision first, and does not mistake them for the person', async () => {
    const { id: chat } = await t.client.createChat('docks');
    await t.client.send('docks', chat, { content: t.asking(stamp('twice'), stamp('mine')) });
    await expect.poll(async () => (await t.client.approvals('docks', { chat })).items.length).toBe(2);
    const { runtime } = t.serving().home.engine;
    let isFirst = true;
    const seat = sit(chat, async (input, init) => {
      if (isFirst && pathOf(input).endsWith('/tool-results')) {
        isFirst = false;
        const body = JSON.parse(typeof init?.body === 'string' ? init.body : '') as Parameters<typeof decideCall>[3];
        await decideCall(runtime, 'docks', 'ada', body, {
          who: { kind: 'person', id: 'bob', name: 'bob' },
          via: 'web',
        });
      }
      return await fetch(input, init);
    });
    await seat.see('1 of 2');
    seat.press(ctrl('g'));
    seat.later();
    seat.press(char('o'), key('enter'));
    await seat.see('Decided elsewhere');
    expect(seat.screen()).toContain('Approved once by bob, from the web app');
    seat.press(key('enter'));
    await seat.see('1 of 1');
    seat.later();
    seat.press(char('d'), key('enter'));
    await seat.see(/stamp .*denied by you/);
    expect(seat.screen()).toMatch(/stamp .*approved once by bob/);
  });

  it('[TERM6.3] a message typed while the server is away is shown as not sent until the server has it', async () => {
    const { id: chat } = await t.client.createChat('docks');
    const back = gate();
    let isAway = false;
    const seat = sit(chat, async (input, init) => {
      if (isAway && init?.method === 'POST') await back.closed;
      else if (isAway) throw new TypeError('fetch failed');
      return await fetch(input, init);
    });
    await seat.see('No messages yet');
    isAway = true;
    seat.press(write('@human are you there?'), key('enter'));
    seat.press(ctrl('c'));
    await seat.see('Your message has not been sent and would be lost.');
    seat.press(char('n'));
    isAway = false;
    back.open();
    await seat.see(/you .*\n.*are you there/);
    seat.press(ctrl('c'));
    expect(seat.screen()).not.toContain('Quit?');
  });

  it('[CALL12.1] [LIMIT2] loads the first page of a long queue, and more when the person reaches its end', async () => {
    const chats = [(await t.client.createChat('docks')).id, (await t.client.createChat('docks')).id];
    const many = Array.from({ length: 60 }, (_, index) => stamp(`letter ${index}`));
    for (const chat of chats) await t.client.send('docks', chat, { content: t.asking(...many) });
    await expect.poll(async () => (await t.client.approvals('docks', { limit: 200 })).items.length).toBe(120);
    const seat = sit(chats[0]);
    await seat.see(/ 1 of 100\+/);
    expect(seat.screen()).toContain('40+ in other chats');
    seat.press(ctrl('g'));
    // Going back from the first one leads to the last loaded one.
    seat.press(char('N'));
    await seat.see(/ 100 of 120 /);
    for (const chat of chats) await t.client.stop('docks', chat);
  });

  it('[CHANGE10.10] u lists the calls of the chat that can be undone, shows what that will do, and y undoes one', async () => {
    const { id: chat } = await t.client.createChat('docks');
    const { value } = await t.client.world('docks');
    const file = join(value.workingDirectory ?? t.folder, 'letter.txt');
    writeFileSync(file, 'Dear Bob\n');
    await t.client.send('docks', chat, {
      content: t.asking({ name: 'write_file', arguments: { path: 'letter.txt', content: 'Dear Eve\n' } }),
    });
    let isFailing = false;
    const seat = sit(chat, async (input, init) =>
      isFailing ? new Response('', { status: 500 }) : await fetch(input, init),
    );
    const transcript = async (): Promise<void> => {
      seat.press(key('tab'));
      await seat.see('u undo');
    };
    await seat.see('1 of 1');
    seat.press(ctrl('g'));
    seat.later();
    seat.press(char('o'), key('enter'));
    // The decision is shown before the file is written.
    await seat.see(/✓ write_file .*approved once by you/);
    await transcript();
    seat.press(char('u'));
    await seat.see(/› .*write_file letter\.txt/);
    seat.press(key('enter'));
    await seat.see('Undoing this call will do this:');
    expect(seat.screen()).toMatch(/Changes 1 file[^]*- Dear Eve[^]*\+ Dear Bob/);
    // Keys pressed before it was shown, pasted ones and Enter alone undo nothing.
    seat.press(char('y'), write('y'), key('enter'));
    seat.later();
    appendFileSync(file, 'PS\n');
    seat.press(char('y'));
    await seat.see('Undoing this call would lose later changes to letter.txt');
    expect(readFileSync(file, 'utf8')).toBe('Dear Eve\nPS\n');
    writeFileSync(file, 'Dear Eve\n');
    seat.press(key('escape'));
    await seat.see(/› .*write_file letter\.txt/);
    seat.press(key('enter'));
    await seat.see('y undoes the call');
    seat.later();
    isFailing = true;
    seat.press(char('y'));
    await seat.see('The server returned status 500');
    expect(seat.screen()).not.toContain('Loading…');
    isFailing = false;
    seat.press(char('u'));
    await seat.see(/› .*write_file letter\.txt/);
    seat.press(key('enter'));
    await seat.see('y undoes the call');
    seat.later();
    seat.press(char('y'));
    await seat.see('The call was undone.');
    expect(readFileSync(file, 'utf8')).toBe('Dear Bob\n');
    await seat.see(/write_file .*approved once by you · undone/);
    seat.press(char('u'));
    await seat.see('No call of this chat can be undone.');
    seat.press(key('escape'));
    await seat.see('u undo');
  });

  it('[CALL7.4] Enter in the edit field shows the edited call, which runs only when that is approved', async () => {
    const { id: chat } = await t.client.createChat('docks');
    await t.client.send('docks', chat, { content: t.asking(stamp('draft')) });
    const seat = sit(chat);
    await seat.see('Waiting for you · 1 of 1');
    seat.press(ctrl('g'));
    seat.later();
    seat.press(char('e'));
    await seat.see('Enter shows the edited call before you approve it');
    seat.press(key('enter'));
    await seat.see('Nothing was changed.');
    seat.later();
    seat.press(char('e'), ctrl('u'), write('{"letter":"final"}'), key('enter'));
    // The transcript has the new arguments before the card.
    await seat.see(/wants to use stamp\n.*This is the edited call\..*\n.*letter: final/);
    expect(t.runs).not.toContain('final');
    seat.later();
    seat.press(char('o'), key('enter'));
    await seat.see(/stamp .*approved once by you/);
    expect(t.runs).toContain('final');
    expect(t.runs).not.toContain('draft');
  });

  it('[TERM2.5] f loads the whole change, which the approval has only the start of', async () => {
    const { id: chat } = await t.client.createChat('docks');
    const text = Array.from({ length: 400 }, (_, at) => `line ${at} ${'x'.repeat(80)}`).join('\n');
    await t.client.send('docks', chat, { content: t.asking({ name: 'put', arguments: { path: 'new.txt', text } }) });
    let isAway = true;
    const seat = sit(chat, async (input, init) => {
      if (!pathOf(input).endsWith('/effect')) return await fetch(input, init);
      if (isAway) throw new TypeError('fetch failed');
      return Response.json({ effect: [...putting.kept.values()].at(-1)?.effect });
    });
    await seat.see('f Files');
    seat.press(ctrl('g'));
    seat.later();
    seat.press(char('f'), key('enter'));
    await seat.see('Only part of the change could be loaded');
    isAway = false;
    seat.press(char('f'));
    seat.later();
    seat.press(char('f'), key('enter'), key('end'));
    await expect.poll(() => seat.screen()).not.toContain('Loading the whole change');
    seat.press(key('end'));
    expect(seat.screen()).toContain('line 399');
    seat.press(char('f'));
    await t.client.stop('docks', chat);
  });

  it('[CHANGE6.9] an edited call that is rehearsed is shown with its new effect at once, and runs only when that is approved', async () => {
    const { id: chat } = await t.client.createChat('docks');
    const put = (text: string) => ({ path: 'notes.txt', text });
    await t.client.send('docks', chat, { content: t.asking({ name: 'put', arguments: put('first') }) });
    const seat = sit(chat);
    await seat.see(/Changes 1 file[^]*\+ first/);
    seat.press(ctrl('g'));
    seat.later();
    seat.press(char('e'));
    await seat.see('Enter shows the edited call before you approve it');
    seat.press(ctrl('u'), write(JSON.stringify(put('second'))), key('enter'));
    await seat.see(/Changes 1 file[^]*\+ second/);
    expect(seat.screen()).not.toContain('+ first');
    expect(putting.folder.get('notes.txt')).toBe('old');
    // Keys meant for the card before do nothing.
    seat.press(char('o'), key('enter'));
    seat.later();
    expect(putting.log).not.toContain('applied notes.txt');
    seat.press(char('o'), key('enter'));
    await seat.see(/put .*approved once by you/);
    expect(putting.folder.get('notes.txt')).toBe('second');
    expect(putting.log.filter((line) => line.startsWith('ran'))).toEqual([]);
  });
});
