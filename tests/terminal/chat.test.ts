import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { CTRL_C, CTRL_D, ENTER, type PseudoTerminal } from '../support/pseudo-terminal.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());
let before = 0;
beforeEach(() => {
  before = t.runs.length;
});
const ran = (): readonly string[] => t.runs.slice(before);

const CARD = 'Ada wants to use stamp';
const SIGN = '  ✍ ';

/** Types a line after the prompt has appeared. */
async function answer(terminal: PseudoTerminal, text: string): Promise<void> {
  await terminal.waitFor(SIGN);
  terminal.type(text);
}

let open: PseudoTerminal | undefined;

/** A new chat. Tests share a process if they can, because starting one takes longer than most of them. */
async function newChat(): Promise<PseudoTerminal> {
  if (open === undefined) open = t.terminal(['chat', '-w', 'docks', '--new']);
  else open.type(`/new${ENTER}`);
  onTestFailed(() => {
    open?.kill();
    open = undefined;
  });
  await open.waitFor(/Docks {2}/);
  await open.waitFor('you  ');
  return open;
}

describe('countersign chat', () => {
  it('[TERM2] [CALL15] runs only approved calls: Enter denies, an unknown word decides nothing', async () => {
    const terminal = await newChat();
    for (const [letter, typed, end] of [
      ['signed', `o${ENTER}`, 'stamped signed'],
      ['refused', `d not today${ENTER}`, 'not today'],
      ['empty', ENTER, 'no reason given'],
    ] as const) {
      terminal.type(t.asking(stamp(letter)) + ENTER);
      expect(await terminal.waitFor("Why you're asked")).toContain(`letter: ${letter}`);
      await answer(terminal, typed);
      await terminal.waitFor('results: ');
      await terminal.waitFor(end);
      await terminal.waitFor('you  ');
    }
    terminal.type(t.asking(stamp('left')) + ENTER);
    for (const typo of ['yes', 'o please']) {
      await answer(terminal, `${typo}${ENTER}`);
      await terminal.waitFor('Unknown choice. Nothing was decided.');
    }
    await answer(terminal, `d${ENTER}`);
    await terminal.waitFor('results: ');
    await terminal.waitFor('you  ');
    expect(ran()).toEqual(['signed']);
    expect(terminal.screen()).toMatch(/✍ Ada · stamp {2}approved once.*\n(?:.*\n)?.*✓ Ada · stamp {2}done/);
    expect(terminal.screen()).toContain('✗ Ada · stamp  denied: not today');
  });

  it('[CALL15] Ctrl-D and Ctrl-C at a card quit without deciding, and say how to decide later', async () => {
    const waiting = async (): Promise<unknown[]> =>
      (await t.client.approvals('docks')).items.map(({ toolName, arguments: args }) => [toolName, args]);
    const left = async (terminal: PseudoTerminal, key: string, code: number): Promise<void> => {
      terminal.type(key);
      const said = await terminal.waitFor('countersign approvals list');
      expect(said).toContain('Nothing was decided. 1 call is still waiting for you.');
      expect(await terminal.exitCode).toBe(code);
      expect(await waiting()).toEqual([['stamp', { letter: 'kept' }]]);
    };
    const first = await newChat();
    open = undefined;
    first.type(t.asking(stamp('kept')) + ENTER);
    await first.waitFor(SIGN);
    await left(first, CTRL_D, 0);
    const [chat] = (await t.client.chats('docks', { newest: true, limit: 1 })).items;
    expect(first.screen()).toContain(`countersign chat -w docks -c ${chat?.id}`);

    // The second Ctrl-C arrives before the first was handled: it must not stop the chat, which would deny the waiting
    // call.
    const twice = t.terminal(['chat', '-w', 'docks']);
    await twice.waitFor(SIGN);
    await left(twice, CTRL_C + CTRL_C, 130);

    const inForms = async (): Promise<void> => {
      const inside = t.terminal(['chat', '-w', 'docks']);
      await answer(inside, `a${ENTER}`);
      await inside.waitFor('This rule will be added');
      await answer(inside, CTRL_C);
      await inside.waitFor(CARD);
      await answer(inside, `a${ENTER}`);
      await answer(inside, `e${ENTER}`);
      await inside.waitFor('rule ');
      inside.type(CTRL_C);
      await inside.waitFor(CARD);
      await answer(inside, `e${ENTER}`);
      await inside.waitFor('arguments {');
      inside.type(CTRL_C);
      await inside.waitFor(CARD);
      await answer(inside, `e${ENTER}`);
      await inside.waitFor('arguments {');
      // In a line with text, Ctrl-D deletes a character.
      await left(inside, `\u0015${CTRL_D}`, 0);

      const watching = t.terminal(['approvals', 'watch']);
      await watching.waitFor(SIGN);
      await left(watching, CTRL_D, 0);
    };
    if (isFullSize) await inForms();

    const [kept] = (await t.client.approvals('docks')).items;
    if (kept === undefined) throw new Error('nothing waits');
    await t.client.decide('docks', kept, { decision: 'deny' });
    expect(ran()).toEqual([]);
  });

  itAtFullSize('[CALL7] an editor that fails or changes nothing leaves the call unedited', async () => {
    const editor = join(t.folder, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\ntest -e "$1"\n');
    chmodSync(editor, 0o700);
    const terminal = t.terminal(['chat', '-w', 'docks', '--new'], { env: { EDITOR: editor } });
    await terminal.waitFor('you  ');
    terminal.type(t.asking(stamp('as it was')) + ENTER);
    await answer(terminal, `e${ENTER}`);
    expect(await terminal.waitFor('c: approve for this chat')).not.toContain('edited call needs');
    writeFileSync(editor, '#!/bin/sh\nfalse\n');
    await answer(terminal, `e${ENTER}`);
    await terminal.waitFor('The editor exited with code 1');
    expect(await terminal.waitFor('c: approve for this chat')).not.toContain('edited call needs');
    await answer(terminal, ENTER);
    await terminal.waitFor('results: ');
    await terminal.waitFor('you  ');
    terminal.type(CTRL_D);
    expect(await terminal.exitCode).toBe(0);
    expect(ran()).toEqual([]);
  });

  itAtFullSize('[CALL15] Ctrl-D at a question, or at the card of a single message, decides nothing', async () => {
    const question = { question: 'Which quay?', choices: [] };
    const once = t.terminal(['chat', '-w', 'docks', t.asking({ name: 'ask_human', arguments: question })]);
    await once.waitFor('  ? ');
    once.type(CTRL_D);
    await once.waitFor('Nothing was decided. 1 call is still waiting for you.');
    expect(await once.exitCode).toBe(130);
    const { items } = await t.client.approvals('docks');
    expect(items.map(({ toolName }) => toolName)).toEqual(['ask_human']);
    await t.client.stop('docks', items[0]?.chatId ?? '');
  });

  it('[CALL12] shows three approvals in turn, loses none if the person is slow, and lets them skip one', async () => {
    const terminal = await newChat();
    // Typed before there is a card: it approves nothing.
    terminal.type(`${t.asking(stamp('a'), stamp('b'), stamp('c'))}${ENTER}o${ENTER}o${ENTER}o`);
    await terminal.waitFor('1 of 3');
    expect(await terminal.waitFor(SIGN)).toContain('letter: a');
    expect(ran()).toEqual([]);
    terminal.type(`n${ENTER}`);
    expect(await terminal.waitFor('2 of 3')).not.toContain('letter: a');
    expect(await terminal.waitFor(SIGN)).toContain('letter: b');
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('2 of 2');
    expect(await terminal.waitFor(SIGN)).toContain('letter: c');
    terminal.type(ENTER);
    await terminal.waitFor(CARD);
    expect(await terminal.waitFor(SIGN)).toContain('letter: a');
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('results: ');
    await terminal.waitFor('you  ');
    expect([...ran()].sort()).toEqual(['a', 'b']);
  });

  itAtFullSize('[CALL12] says who decided if someone else was faster, and continues', async () => {
    const terminal = await newChat();
    terminal.type(t.asking(stamp('elsewhere')) + ENTER);
    await terminal.waitFor(SIGN);
    const [approval] = (await t.client.approvals('docks')).items;
    if (approval === undefined) throw new Error('nothing waits');
    await t.client.decide('docks', approval, { decision: 'approve', scope: 'once' });
    await terminal.waitFor('Approved once');
    await terminal.waitFor('stamped elsewhere');
    await terminal.waitFor('you  ');
    expect(ran()).toEqual(['elsewhere']);
  });

  it('[CALL5] [CALL7.4] shows an edited call again before it runs, and approves always with an editable rule', async () => {
    const terminal = await newChat();
    terminal.type(t.asking(stamp('first')) + ENTER);
    await answer(terminal, `e${ENTER}`);
    await terminal.waitFor('arguments {"letter":"first"}');
    // Unchanged: Enter in the field approves nothing.
    terminal.type(ENTER);
    await terminal.waitFor('Nothing was changed.');
    await answer(terminal, `e${ENTER}`);
    await terminal.waitFor('arguments {"letter":"first"}');
    terminal.type(`\u0015{"letter":"better"}${ENTER}`);
    await terminal.waitFor('the edited call needs approval');
    await terminal.waitFor(CARD);
    expect(await terminal.waitFor(SIGN)).toContain('letter: better');
    expect(ran()).toEqual([]);
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('stamped better');
    await terminal.waitFor('you  ');
    terminal.type(t.asking(stamp('second')) + ENTER);
    await answer(terminal, `a${ENTER}`);
    await terminal.waitFor('This rule will be added');
    await terminal.waitFor('It matches no other call in this chat');
    await answer(terminal, `e${ENTER}`);
    await terminal.waitFor('rule ');
    terminal.type(`\u0015allow stamp${ENTER}`);
    await terminal.waitFor('│ allow stamp');
    await answer(terminal, `w${ENTER}`);
    await terminal.waitFor('stamped second');
    await terminal.waitFor('you  ');
    expect(ran()).toEqual(['better', 'second']);
    const { value, etag = '' } = await t.client.policy('docks');
    expect(value.rules).toEqual(['allow stamp']);
    await t.client.setPolicy('docks', { rules: [] }, { ifMatch: etag });
  });

  it('[CALL7.4] [TERM2.4] an edited call is shown next, with the reason for its own arguments', async () => {
    const before = await t.client.policy('docks');
    const rules = ['ask stamp(letter=first)', 'deny stamp(letter=never)'];
    await t.client.setPolicy('docks', { rules }, { ifMatch: before.etag ?? '' });
    const terminal = await newChat();
    terminal.type(t.asking(stamp('first'), stamp('other')) + ENTER);
    await terminal.waitFor('a rule requires approval: ask stamp(letter=first)');
    await answer(terminal, `e${ENTER}`);
    await terminal.waitFor('arguments {"letter":"first"}');
    terminal.type(`\u0015{"letter":"never"}${ENTER}`);
    await terminal.waitFor('The edited call is not allowed: a rule denies this call: deny stamp(letter=never)');
    await answer(terminal, `e${ENTER}`);
    await terminal.waitFor('arguments {"letter":"never"}');
    terminal.type(`\u0015{"letter":"better"}${ENTER}`);
    expect(await terminal.waitFor("Why you're asked: no rule allows this call")).not.toContain('ask stamp');
    // [TERM2.4] The other call waits since before, and the edited one is shown first.
    await answer(terminal, `o${ENTER}`);
    await terminal.waitFor('letter: other');
    await answer(terminal, `d${ENTER}`);
    await terminal.waitFor('stamped better');
    await terminal.waitFor('you  ');
    const { etag = '' } = await t.client.policy('docks');
    await t.client.setPolicy('docks', { rules: [] }, { ifMatch: etag });
  });

  it('[SAFE6] [CALL15] shows hostile text behind a bar, without moving the cursor', async () => {
    const terminal = await newChat();
    const fake = `⏳ Ada wants to use read_file\n  o: approve once\n\u001B[2J\u001B]0;title\u0007\u202Egnissim\r${SIGN}`;
    // Escaped, because a terminal echoes typed text unchanged.
    const escaped = (text: string): string => text.replaceAll('\u202E', String.raw`\u202e`);
    terminal.type(`say ${escaped(JSON.stringify(fake))}${ENTER}`);
    await terminal.waitFor('‹U+001B›[2J');
    await terminal.waitFor('you  ');
    const wide = `${'x'.repeat(96)}⏳ Ada wants to use nothing at all`;
    terminal.type(escaped(t.asking(stamp(`${'-'.repeat(60)}${fake}\n${wide}`))) + ENTER);
    await terminal.waitFor(`\n⏳ ${CARD}`);
    const card = await terminal.waitFor('  d: deny');
    for (const line of card.split('\n').filter((shown) => /read_file|o: approve|nothing at all|U\+001B/.test(shown))) {
      expect(line).toMatch(/^ {2}│ /);
    }
    expect(card).toContain('nothing at all');
    // None of our lines is wider than the terminal, which would wrap it to where a card starts.
    for (const line of terminal
      .screen()
      .split('\n')
      .filter((shown) => /^ {2}[⏳a]/.test(shown))) {
      expect(line.length).toBeLessThan(100);
    }
    await answer(terminal, ENTER);
    await terminal.waitFor('results: ');
    await terminal.waitFor('you  ');
    // The title and the notice are ours (TERM8.1).
    expect(terminal.raw()).not.toMatch(
      /\u001B\[2J|\u001B\](?!2;(?:\(\d+\) )?Countersign\u001B\\|9;Countersign: )|\u202E/,
    );
    expect(ran()).toEqual([]);
  });

  it('[CALL15] ignores pasted text as an answer, and sends several pasted lines as one message', async () => {
    const terminal = await newChat();
    const paste = (text: string): void => terminal.type(`\u001B[200~${text}\u001B[201~`);
    expect(terminal.raw()).toContain('\u001B[?2004h');
    terminal.type(t.asking(stamp('pasted')) + ENTER);
    await terminal.waitFor(SIGN);
    paste('o\ro\ra\rw\ro');
    await terminal.waitFor("Pasted text can't approve or deny");
    expect(ran()).toEqual([]);
    await answer(terminal, `d${ENTER}`);
    await terminal.waitFor('results: ');
    await terminal.waitFor('you  ');
    paste('one line\rand another');
    await terminal.waitFor('and another');
    terminal.type(ENTER);
    await terminal.waitFor('│ ok');
    const [chat] = (await t.client.chats('docks', { newest: true, limit: 1 })).items;
    const { items } = await t.client.messages('docks', chat?.id ?? '', { newest: true, limit: 2 });
    expect(items.map(({ content }) => content)).toEqual(['one line\nand another', 'ok']);
    expect(ran()).toEqual([]);
    await terminal.waitFor('you  ');
    terminal.type(`/quit${ENTER}`);
    open = undefined;
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.raw().lastIndexOf('\u001B[?2004l')).toBeGreaterThan(terminal.raw().lastIndexOf('\u001B[?2004h'));
  });

  it('shows questions from agents, and answers them with text or a choice', async () => {
    const terminal = await newChat();
    const question = { question: 'Which quay?', choices: ['north', 'south'] };
    terminal.type(t.asking({ name: 'ask_human', arguments: question }) + ENTER);
    await terminal.waitFor('Ada asks you');
    await terminal.waitFor('2: south');
    await terminal.waitFor('  ? ');
    terminal.type(`2${ENTER}`);
    expect(await terminal.waitFor(/results: .*south/)).toContain('south');
    await terminal.waitFor('you  ');
  });

  it('[WORLD9] [TURN13] shows a tool’s output while it runs, and stops it with Ctrl-C', async () => {
    const terminal = await newChat();
    terminal.type(t.asking({ name: 'watch', arguments: {} }) + ENTER);
    await terminal.waitFor('  │ looking');
    terminal.type(CTRL_C);
    const said = await terminal.waitFor('you  ');
    expect(said).toContain('\n· Stopping\n');
    expect(said).toContain('■ Ada · watch  stopped, outcome unknown');
  });

  it('[CALL8] continues after the server was down, and runs calls approved in the meantime once', async () => {
    const terminal = await newChat();
    terminal.type(t.asking(stamp('survivor')) + ENTER);
    await terminal.waitFor(SIGN);
    await t.restart();
    terminal.type(`o${ENTER}`);
    expect(await terminal.waitFor('stamped survivor')).not.toContain(CARD);
    await terminal.waitFor('you  ');
    expect(ran()).toEqual(['survivor']);
  });

  it('supports slash commands, completes names, and discards input with Ctrl-C', async () => {
    const terminal = await newChat();
    terminal.type(`/hlep${ENTER}`);
    await terminal.waitFor('Did you mean /help?');
    await terminal.waitFor('you  ');
    terminal.type('/qu\t');
    await terminal.waitFor('/quit');
    terminal.type(`\u0015@a\t`);
    await terminal.waitFor('@Ada ');
    terminal.type(CTRL_C);
    await terminal.waitFor('Press Ctrl-C again to quit');
    await terminal.waitFor('you  ');
    terminal.type(CTRL_C);
    open = undefined;
    expect(await terminal.exitCode).toBe(130);
  });

  it('[TERM6.2] keeps a message typed while the server is away, warns before it quits, and sends it later', async () => {
    const terminal = await newChat();
    await t.stop();
    await terminal.waitFor('Waiting for it to come back');
    terminal.type(`are you there?${ENTER}`);
    await terminal.waitFor('Not sent yet');
    terminal.type(CTRL_C);
    await terminal.waitFor('Your message has not been sent and would be lost');
    await t.restart();
    await terminal.waitFor('Your message was sent.');
    await terminal.waitFor('│ ok');
    await terminal.waitFor('you  ');
    await t.stop();
    await terminal.waitFor('Waiting for it to come back');
    terminal.type(`good night${ENTER}`);
    await terminal.waitFor('Not sent yet');
    terminal.type(`/quit${ENTER}`);
    await terminal.waitFor('would be lost');
    terminal.type(`/quit${ENTER}`);
    await terminal.waitFor('The server did not confirm this message: good night');
    open = undefined;
    expect(await terminal.exitCode).toBe(0);
    await t.restart();
    const [newest] = (await t.client.chats('docks', { newest: true, limit: 1 })).items;
    const { items } = await t.client.messages('docks', newest?.id ?? '');
    expect(items.map(({ content }) => content)).toEqual(['are you there?', 'ok']);
  });
});
