import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { answersFrom, button, call, choose, drawn, enabled, goTo, press, said, toolCard } from './support/steps.js';

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, index) => `: ${word} line ${index}`).join('\n');

/** Each kind of card, with a word that identifies it. */
const SHAPES = {
  short: (word: string) => press(word),
  long: (word: string) => call('shell_cmd', { command: lines(90, word) }),
  write: (word: string) => call('write_file', { path: `${word}.md`, content: lines(60, word) }),
  question: (word: string) => call('ask_human', { question: `Which ${word}?`, choices: ['this', 'that'] }),
  many: (word: string) => call('fill', { a: word, b: 'x'.repeat(90), c: 'y', d: 'z', e: lines(4, word), f: 'w' }),
  edited: (word: string) => press(`${word}-edit`),
};
type Shape = keyof typeof SHAPES;

/** A sequence in which each pair is adjacent once: a de Bruijn sequence. */
function everyPair<T>(all: readonly T[]): T[] {
  const pairs = all.flatMap((each, index) => [each, ...all.slice(index + 1).flatMap((other) => [each, other])]);
  return [...pairs, ...all.slice(0, 1)];
}

type Place = { x: number; y: number; width: number; height: number };

/** The positions of the bar's buttons, in order. */
async function barOf(page: Page): Promise<Place[]> {
  return await page.evaluate<Place[]>(`[...document.querySelectorAll('[data-panel] section footer button')]
    .filter((each) => each.getAttribute('aria-label') !== 'More choices')
    .map((each) => each.getBoundingClientRect().toJSON())
    .map(({ x, y, width, height }) => ({ x, y, width, height }))`);
}

async function readToEnd(page: Page): Promise<void> {
  await page.evaluate(`document.querySelector('[data-reading]').scrollTop = 1e9`);
}

async function edit(page: Page, { clock }: BrowserContext): Promise<void> {
  await choose(page, 'Edit');
  // The menu restores the focus before the form opens.
  await clock.runFor(50);
  await page.getByLabel('Arguments').waitFor();
}

describe.runIf(hasBrowser)('approving only what was meant and seen', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  /** A browser for each width: each visit takes a second of CPU. */
  const visits = new Map<number, Visit>();

  /** A chat at this width, with a clock that the test controls. */
  async function enter(
    width: number,
    calls: readonly string[],
  ): Promise<{ page: Page; context: BrowserContext; world: string; sent: string[] }> {
    const { world, chat, path } = await opened.newChat();
    const visit = visits.get(width) ?? (await opened.visit({ width, height: 844, touch: width < 500, clock: true }));
    visits.set(width, visit);
    const { page, context } = visit;
    await context.clock.resume();
    await goTo(page, path);
    await page.getByLabel('Message').waitFor();
    const sent = answersFrom(page);
    await opened.api.send(world, chat, { content: calls.join('\n') });
    await expect.poll(async () => (await opened.api.approvals(world)).items.length).toBe(calls.length);
    const stop = async (): Promise<void> => context.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1000);
    // Retried if that moment passed before the clock was stopped.
    const isStopped = (): Promise<boolean> =>
      stop().then(
        () => true,
        () => false,
      );
    await expect.poll(isStopped).toBe(true);
    if (width < 1120) await page.getByRole('button', { name: /waiting for you/ }).click();
    await page.locator('[data-panel] section').waitFor();
    return { page, context, world, sent };
  }

  // All pairs at each width take minutes, so only `npm run verify` runs them. `npm test` shows every kind but the long one once, at the
  // narrowest width or at the widest; CALL18.2 shows long ones.
  const orders: readonly Shape[][] = [
    ['short', 'question'],
    ['many', 'edited', 'write'],
  ];
  const kinds = Object.keys(SHAPES) as Shape[];
  const order = (index: number): readonly Shape[] => (isFullSize ? everyPair(kinds) : (orders[index] ?? kinds));

  const inputs = [
    { width: 390, by: 'tap', order: order(0) },
    { width: 1440, by: isFullSize ? 'click' : 'key', order: order(1) },
    ...(isFullSize ? [{ width: 768, by: 'key', order: order(2) } as const] : []),
  ] as const;
  it.each(inputs)(
    '[CALL18] at $width, by $by: repeating the same input within a second never decides the next card, of any kind',
    async ({ width, by, order }) => {
      const shapes = order.map((shape, index) => ({
        shape,
        word: `card${index}x`,
      }));
      const { page, context, world, sent } = await enter(
        width,
        shapes.map(({ shape, word }) => SHAPES[shape](word)),
      );
      let bar: Place[] | undefined;
      let answers = 0;
      const hit = async ({ x, y, width: wide, height }: Place): Promise<void> => {
        const [left, top] = [x + wide / 2, y + height / 2] as const;
        if (by === 'tap') await page.touchscreen.tap(left, top);
        else await page.mouse.click(left, top);
      };
      for (const [index, { shape, word }] of shapes.entries()) {
        await page.locator('[data-call]').filter({ hasText: word }).first().waitFor();
        // The same order, position and size on every card.
        const here = await barOf(page);
        expect(here).toHaveLength(3);
        bar ??= here;
        expect({ word, here }).toEqual({ word, here: bar });
        const [denyPlace, , signPlace] = here as [Place, Place, Place];
        await readToEnd(page);
        // The space of the first card was empty before.
        for (const moment of index === 0 ? [] : [0, 999]) {
          if (moment > 0) await context.clock.runFor(moment);
          await hit(signPlace);
          await hit(denyPlace);
          for (const key of ['o', 'c', 'a', 'd', 'Enter', ' ']) await page.keyboard.press(key);
        }
        expect({ word, sent: sent.length }).toEqual({ word, sent: answers });
        await context.clock.runFor(1000);
        if (shape === 'question') await page.getByLabel('Your answer').fill('this');
        if (shape === 'edited') {
          await edit(page, context);
          await page.getByLabel('Arguments').fill(JSON.stringify({ button: `${word}-changed` }));
          await context.clock.runFor(1000);
          await enabled(button(page, 'Preview'));
          await hit(signPlace);
          await page.getByText('This is the edited call. Check it, then approve it.').waitFor();
          answers += 1;
          await hit(signPlace);
          await context.clock.runFor(1000);
        }
        await readToEnd(page);
        const sign = button(page, shape === 'question' ? 'Answer' : 'Approve once');
        await enabled(sign);
        const next = shapes[index + 1];
        if (by === 'key' && shape !== 'question' && shape !== 'edited') {
          await page.evaluate(`document.querySelector('[data-panel] section').focus()`);
          // Repeats of a held key were meant for this card and must not decide the next one.
          await page.keyboard.down('o');
          if (next !== undefined) await page.locator('[data-call]').filter({ hasText: next.word }).first().waitFor();
          await page.keyboard.down('o');
          await page.keyboard.up('o');
        } else await hit(signPlace);
        answers += 1;
        await expect.poll(() => sent.length).toBe(answers);
      }
      await expect.poll(async () => (await opened.api.approvals(world)).items.length).toBe(0);
      expect(sent.filter((body) => /session|always/.test(body))).toEqual([]);
      expect((await opened.api.grants(world)).items).toEqual([]);
      expect((await opened.api.policy(world)).value.rules).toEqual([]);
    },
  );

  it('[CALL18] a second click or a held key on the menu or its choices grants nothing', async () => {
    const { page, context, world, sent } = await enter(1440, [press('menu')]);
    await context.clock.runFor(1000);
    const more = button(page, 'More choices');
    await enabled(more);
    const place = await more.boundingBox();
    const [x, y] = [(place?.x ?? 0) + 10, (place?.y ?? 0) + 10];
    await page.mouse.click(x, y);
    await page.getByRole('menu').waitFor();
    await page.mouse.click(x, y);
    await context.clock.runFor(50);
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    await more.focus();
    await page.keyboard.down('Enter');
    await page.getByRole('menu').waitFor();
    for (let repeats = 0; repeats < 5; repeats += 1) {
      await page.keyboard.down('Enter');
      await context.clock.runFor(50);
    }
    await page.keyboard.up('Enter');
    await drawn(page, context);
    expect(sent).toEqual([]);
    // A held key reached the form that explains the grant; a click there is accepted after a second.
    await page.getByRole('group', { name: 'Approve for this chat' }).waitFor();
    expect(await button(page, 'Approve for this chat').isDisabled()).toBe(true);
    expect(await button(page, 'Deny').isEnabled()).toBe(true);
    await context.clock.runFor(1000);
    await button(page, 'Approve for this chat').click();
    await toolCard(page, 'menu').getByText('approved for this chat', { exact: true }).waitFor();
    expect((await opened.api.grants(world)).items).toHaveLength(1);
  });

  const hidden = `${lines(90, 'harmless')}\nrm -rf everything`;

  /** Long calls, with a text that identifies their card. */
  const longCalls = {
    lines: { words: 'harmless', call: call('shell_cmd', { command: hidden }) },
    oneLine: { words: 'a a a', call: call('shell_cmd', { command: `echo ${'a '.repeat(3000)}; rm -rf everything` }) },
    folded: {
      words: 'long.md',
      call: call('write_file', { path: 'long.md', content: `${lines(300, 'written')}\nthe end` }),
    },
    edited: { words: 'begin bbb', call: press(`begin ${'b'.repeat(9000)} end`) },
  };
  const everyCall = ['lines', 'oneLine', 'folded', 'edited'] as const;

  // `npm run verify` tries every call at both widths, `npm test` one at each.
  it.each<{ width: number; shown: readonly (keyof typeof longCalls)[] }>([
    { width: 390, shown: isFullSize ? everyCall : ['edited'] },
    { width: 1440, shown: isFullSize ? everyCall : ['lines'] },
  ])('[CALL18.2] at $width a call can be approved only after its end was on the screen', async ({ width, shown }) => {
    const { page, context, world, sent } = await enter(
      width,
      shown.map((each) => longCalls[each].call),
    );
    const approve = button(page, 'Approve once');
    const reading = page.locator('[data-reading]');
    /** The call can't be approved by button, key or menu, but it can be denied. */
    let isTried = false;
    const cannotApprove = async (why: RegExp): Promise<void> => {
      await context.clock.runFor(1000);
      await enabled(button(page, 'Deny'));
      await page.locator('footer').getByText(why).waitFor();
      expect(await approve.isDisabled()).toBe(true);
      expect(await approve.getAttribute('aria-describedby')).not.toBeNull();
      // Keys and the menu follow the button; `npm run verify` tries them on every call.
      if (isTried && !isFullSize) return;
      isTried = true;
      await page.evaluate(`document.querySelector('[data-panel] section').focus()`);
      for (const key of ['o', 'c', 'a']) await page.keyboard.press(key);
      await button(page, 'More choices').click();
      for (const name of ['Approve for this chat', 'Always…'])
        for (const item of await page.getByRole('menuitem', { name }).all())
          expect(await item.getAttribute('aria-disabled')).toBe('true');
      expect(await page.getByRole('menuitem', { name: 'Edit' }).getAttribute('aria-disabled')).toBeNull();
      await page.keyboard.press('Escape');
      await context.clock.runFor(50);
      await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    };
    const isWrapped = (): Promise<boolean> =>
      reading.evaluate(
        (box: { scrollWidth: number; clientWidth: number; querySelectorAll: (what: string) => Iterable<unknown> }) =>
          box.scrollWidth <= box.clientWidth,
      );
    const reads = {
      async lines(): Promise<void> {
        await cannotApprove(/call, scroll to its end/);
        await page.getByRole('button', { name: /^\d+ more lines$/ }).waitFor();
        // By keyboard alone, page by page.
        await page.evaluate(`document.querySelector('[data-panel] section').focus()`);
        for (let pages = 0; pages < 60 && !(await approve.isEnabled()); pages += 1) {
          await page.keyboard.press('PageDown');
          await drawn(page, context);
        }
        expect(await page.getByRole('button', { name: /more lines?$/ }).count()).toBe(0);
        // Scrolling back to the start does not disable approval again.
        await page.keyboard.press('Home');
      },
      async oneLine(): Promise<void> {
        // One line that doesn't exceed the right edge.
        await cannotApprove(/call, scroll to its end/);
        expect(await isWrapped()).toBe(true);
        await readToEnd(page);
      },
      async folded(): Promise<void> {
        // Folded text doesn't count as shown, even after scrolling to the end.
        await readToEnd(page);
        await cannotApprove(/call, expand it and scroll/);
        await page.getByRole('button', { name: /^Show \d+ more lines/ }).click();
        await page.locator('footer').getByText('call, scroll to its end').waitFor();
        expect(await approve.isDisabled()).toBe(true);
        await readToEnd(page);
      },
      async edited(): Promise<void> {
        await readToEnd(page);
        await cannotApprove(/call, expand it and scroll/);
        await page.getByRole('button', { name: /^Show more/ }).click();
        await page.locator('footer').getByText('call, scroll to its end').waitFor();
        await readToEnd(page);
        await enabled(approve);

        // The card of the edited call must be read to its end, too.
        await edit(page, context);
        await context.clock.runFor(1000);
        await page.getByLabel('Arguments').fill(JSON.stringify({ button: `begin ${'c'.repeat(9000)} end` }));
        await enabled(button(page, 'Preview'));
        await button(page, 'Preview').click();
        await page.getByText('This is the edited call. Check it, then approve it.').waitFor();
        await cannotApprove(/call, expand it and scroll/);
        await page.getByRole('button', { name: /^Show more/ }).click();
        await readToEnd(page);
      },
    };
    for (const [index, each] of shown.entries()) {
      await page.locator('[data-call]').filter({ hasText: longCalls[each].words }).waitFor();
      await reads[each]();
      await enabled(approve);
      await approve.click();
      await expect.poll(() => sent.length).toBe(each === 'edited' ? index + 2 : index + 1);
    }
    await expect.poll(async () => (await opened.api.approvals(world)).items.length).toBe(0);
    await said(page, 'Finished.').waitFor();
  });
});
