import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { command, hasTmux, openTmux, READY, type Tmux } from '../support/tmux.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';
import { chatWith } from './numbered-messages.js';

const COUNT = isFullSize ? 10_000 : 1_000;

describe.runIf(hasTmux)('the full screen', () => {
  let t: HarbourServer;
  let tmux: Tmux;
  beforeAll(async () => {
    t = await openHarbourServer();
    await chatWith(t, COUNT);
    // Crashes on demand: an uncaught error must not leave a broken terminal.
    const crash = `process.on('SIGUSR2',()=>{throw new Error('boom')})`;
    tmux = await openTmux({ ...t.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(crash)}` });
  });
  afterAll(async () => {
    await tmux.close();
    await t.close();
  });
  const open = async (): Promise<void> => {
    await tmux.type(`clear; ${command} tui -w docks`);
    await tmux.press('Enter');
    await tmux.see('› ', { not: 'Loading' });
  };
  /** Resolves when the shell has its terminal back unchanged. */
  const isClean = async (): Promise<string> => {
    const shell = await tmux.see(READY);
    expect(await tmux.flag('alternate_on')).toBe('0');
    expect(await tmux.flag('cursor_flag')).toBe('1');
    expect(await tmux.flag('wrap_flag')).toBe('1');
    await tmux.type('clear; stty -a; echo "tried"');
    await tmux.press('Enter');
    await tmux.see([/^tried/m, /(?<!-)\bicanon\b[\s\S]*(?<!-)\becho\b/]);
    return shell;
  };

  it(`opens a chat of ${COUNT} messages at its end, and loads earlier ones when scrolling up`, async () => {
    await open();
    await tmux.see(`this is number ${COUNT} of`);
    await tmux.press('Tab');
    for (let page = 0; page < 12; page += 1) await tmux.press('PPage');
    const above = new RegExp(`this is number ${isFullSize ? 9 : ''}[89]\\d\\d of`);
    await tmux.see([/message \d+ of \d{3,}/, above], { not: `number ${COUNT} of` });
    // When the first loaded message is reached, the page before it is prepended and nothing jumps.
    for (let round = 0; round < 3; round += 1) {
      const before = lowest(await tmux.screen());
      await expect
        .poll(async () => {
          await tmux.press('g');
          return lowest(await tmux.screen());
        })
        .toBeLessThan(before);
    }
    // Retries: on a slow machine, keys arrive together and are treated as a paste, which does not scroll.
    const goDown = async (): Promise<string> => {
      await tmux.press('G');
      return await tmux.screen();
    };
    await expect.poll(goDown, { interval: 300 }).toContain(`this is number ${COUNT} of`);
    await tmux.press('Escape');
    await tmux.see('Enter sends');
  });

  it('[SAFE6] [CALL15] shows hostile text safely: nothing is painted over a card', async () => {
    const hostile =
      '\u001B[2J\u001B[H\u001B[31mred\u001B[0m \u202Etxt.exe \u200B漢字🚢\n─ ⏳ Waiting for you · 1 of 1 ─\n o Approve once';
    await tmux.type(`say ${JSON.stringify(hostile)}`);
    await tmux.press('Enter');
    await tmux.see(['│ ‹U+001B›[2J‹U+001B›[H‹U+001B›[31mred', /│ ─ ⏳ Waiting for you · 1 of 1 ─/, '漢字🚢']);
    const red = (await tmux.screen({ colours: true })).split('\n').find((line) => line.includes('txt.exe'));
    expect(red).not.toContain('\u001B[31mred');
    await tmux.type(t.asking(stamp('a\u001B[1A\u202Eb')));
    await tmux.press('Enter');
    await tmux.see('Ada wants to use stamp');
    await tmux.press('C-g');
    await tmux.see(['Nothing runs until you approve it.', /letter: a‹U\+001B›\[1A‹U\+202E›b/], {
      not: 'Ctrl-G to focus it',
    });
  });

  it('[HTTP14] says who decided elsewhere, and then shows the next call', async () => {
    const { items } = await t.client.approvals('docks');
    const [first] = items;
    if (first === undefined) throw new Error('nothing waits');
    await tmux.press('o');
    await tmux.see('Approve exactly this call, once');
    await t.client.decide('docks', first, { decision: 'deny', reason: 'from elsewhere' });
    await tmux.see(/Denied by .*: from elsewhere/);
    await tmux.press('Enter');
    await tmux.see('○ idle', { not: 'Decided elsewhere' });
    expect(t.runs).toEqual([]);
  });

  itAtFullSize('answers a question with one of its choices', async () => {
    await tmux.type(
      t.asking({ name: 'ask_human', arguments: { question: 'Which berth?', choices: ['north', 'south'] } }),
    );
    await tmux.press('Enter');
    await tmux.see('Ada asks');
    await tmux.press('C-g');
    await tmux.see('The agent is waiting for your answer.');
    await tmux.press('2');
    await tmux.see('Answer south');
    await tmux.press('Enter');
    expect(await tmux.see([/results: .*south/, /✓ ask_human .*answered by/])).not.toContain('Ada asks');
  });

  itAtFullSize('restores the terminal when a signal ends it, and when it crashes', async () => {
    await tmux.signal('SIGTERM');
    await isClean();
    await open();
    await tmux.signal('SIGUSR2');
    expect(await isClean()).toContain('countersign: Unexpected error: boom');
  });
});

/** The lowest message number on the screen. */
function lowest(screen: string): number {
  return Math.min(...Array.from(screen.matchAll(/this is number (\d+) of/g), ([, number]) => Number(number)));
}
