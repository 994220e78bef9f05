import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { closeTerminals, ENTER } from '../support/pseudo-terminal.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());
afterEach(closeTerminals);

describe('[TERM2.1] text typed while a command starts', () => {
  it('is the start of the input line in chat, neither sent nor lost by an early Enter', async () => {
    const terminal = t.terminal(['chat', '-w', 'docks', '--new']);
    terminal.type(`hello${ENTER}again${ENTER}and`);
    expect(await terminal.waitFor('you  hello again and')).not.toContain('│');
    terminal.type(` again${ENTER}`);
    await terminal.waitFor('│ ok');
    const [newest] = (await t.client.chats('docks', { newest: true, limit: 1 })).items;
    const said = async (): Promise<string[]> =>
      (await t.client.messages('docks', newest?.id ?? '')).items.map(({ content }) => content);
    await expect.poll(said).toEqual(['hello again and again', 'ok']);
  });

  it('[TERM2.3] is sent in one message with the lines that Alt-Enter starts', async () => {
    const terminal = t.terminal(['chat', '-w', 'docks', '--new']);
    await terminal.waitFor(/you {2}$/);
    terminal.type('first\u001B\rsecond');
    await terminal.waitFor('second');
    terminal.type(ENTER);
    await terminal.waitFor('│ ok');
    const [newest] = (await t.client.chats('docks', { newest: true, limit: 1 })).items;
    const { items } = await t.client.messages('docks', newest?.id ?? '');
    expect(items[0]?.content).toBe('first\nsecond');
  });

  itAtFullSize('[CALL15] decides nothing if a card comes first', async () => {
    const { id } = await t.client.createChat('docks');
    await t.client.send('docks', id, { content: t.asking(stamp('early')) });
    await expect.poll(async () => (await t.client.approvals('docks', { chat: id })).items.length).toBe(1);
    const terminal = t.terminal(['chat', '-w', 'docks', '-c', id]);
    terminal.type(`o${ENTER}o${ENTER}`);
    await terminal.waitFor('Ada wants to use stamp');
    await terminal.waitFor('  ✍ ');
    terminal.type(`d${ENTER}`);
    expect(await terminal.waitFor('results: ')).not.toContain('stamped');
    await terminal.waitFor(/you {2}$/);
    expect(t.runs).toEqual([]);
  });

  itAtFullSize('is the start of the message in the full-screen UI', async () => {
    const terminal = t.terminal(['tui', '-w', 'docks']);
    terminal.type('hello');
    expect(await terminal.waitFor('› hello')).toContain('Message');
  });
});
