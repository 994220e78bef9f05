import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, type Visit } from './support/open-browser.js';
import { aboveView, atRest, belowView, call, goTo, said, toolCard, wrote } from './support/steps.js';

/** Simulates a busy machine: scroll events arrive late, and not always in order. */
const HEARS_LATE = `
  let passes = false;
  let heard = 0;
  addEventListener(
    'scroll',
    (event) => {
      if (passes) return;
      event.stopImmediatePropagation();
      heard += 1;
      setTimeout(() => {
        passes = true;
        event.target.dispatchEvent(new Event('scroll'));
        passes = false;
      }, (heard * 70) % 310);
    },
    true,
  );
`;

/** Later bursts vary more in length. Running all takes a minute, so only `npm run verify` does. */
const BURSTS = isFullSize ? Array.from({ length: 12 }, (_, index) => index + 1) : [12];

describe.runIf(hasBrowser)('a reader at the end of a chat', () => {
  let opened: Opened;
  let visit: Visit;
  let slow: Visit;
  beforeAll(async () => {
    opened = await openBrowser();
    visit = await opened.visit();
    slow = await opened.visit({ script: HEARS_LATE });
  });
  afterAll(() => opened.close());

  // A message to nobody is followed by a notice; one to a person is not.
  it.each(['@human', '@nobody'])(
    'stays there while many messages to %s arrive together, however late scroll events are',
    async (to) => {
      const { world, chat, path } = await opened.newChat();
      const { page, complaints } = slow;
      await goTo(page, path);
      const log = page.getByRole('log', { name: 'Transcript' });
      for (const burst of BURSTS) {
        const words = Array.from({ length: 20 }, (_, index) => `${to} ${'and more words '.repeat(index % burst)}`);
        await Promise.all(words.map((content) => opened.api.send(world, chat, { content })));
        await opened.api.send(world, chat, { content: `${to} the end of ${burst}.` });
        await wrote(page, `the end of ${burst}.`).waitFor();
        await expect.poll(() => belowView(log)).toBeLessThan(40);
      }
      expect(complaints).toEqual([]);
    },
  );

  it('can scroll up a little, stays there while more arrives, and follows again at the end', async () => {
    const { world, chat, path } = await opened.newChat();
    for (let number = 1; number <= 30; number += 1)
      await opened.api.send(world, chat, { content: `@human number ${number}.` });
    const { page } = visit;
    await goTo(page, path);
    const log = page.getByRole('log', { name: 'Transcript' });
    await wrote(page, 'number 30.').waitFor();
    await expect.poll(() => belowView(log)).toBeLessThan(1);
    await log.hover();
    await page.mouse.wheel(0, -40);
    await expect.poll(() => belowView(log)).toBeGreaterThan(30);
    await atRest(log);
    const before = await aboveView(log);
    await opened.api.send(world, chat, { content: '@human number 31.' });
    await expect.poll(() => belowView(log)).toBeGreaterThan(60);
    expect(await aboveView(log)).toBe(before);
    await page.mouse.wheel(0, 4000);
    // A wheel gesture scrolls to where the end was when it started.
    await expect.poll(() => belowView(log)).toBeLessThan(40);
    await opened.api.send(world, chat, { content: '@human number 32.' });
    await wrote(page, 'number 32.').waitFor();
    await expect.poll(() => belowView(log)).toBeLessThan(1);
  });

  it('still sees the end when the composer grows', async () => {
    const { world, chat, path } = await opened.newChat();
    for (let number = 1; number <= 30; number += 1)
      await opened.api.send(world, chat, { content: `@human number ${number}.` });
    const { page } = visit;
    await goTo(page, path);
    const log = page.getByRole('log', { name: 'Transcript' });
    await wrote(page, 'number 30.').waitFor();
    await expect.poll(() => belowView(log)).toBeLessThan(1);
    const height = async (): Promise<number> => (await log.boundingBox())?.height ?? 0;
    const before = await height();
    await page.getByLabel('Message').fill('one\n'.repeat(8));
    await expect.poll(height).toBeLessThan(before);
    await expect.poll(() => belowView(log)).toBeLessThan(1);
  });

  it('keeps a call open if it opened automatically just before the click, and closes it on the next click', async () => {
    const { world, chat, path } = await opened.newChat();
    const { page } = visit;
    await goTo(page, path);
    await page.getByLabel('Message').waitFor();
    // Clicks at the moment it opens, as if the person aimed while it was still closed.
    await page.evaluate(`
      const observer = new MutationObserver(() => {
        const header = document.querySelector('[data-invocation] button[aria-expanded="true"]');
        if (header === null) return;
        observer.disconnect();
        header.click();
        header.dataset.clicked = 'early';
      });
      observer.observe(document.body, { subtree: true, childList: true, attributes: true });
    `);
    await opened.api.send(world, chat, { content: call('watch', {}) });
    const header = toolCard(page, 'watch').getByRole('button').first();
    await expect.poll(() => header.getAttribute('data-clicked')).toBe('early');
    await expect.poll(() => toolCard(page, 'watch').getByText('running').count()).toBe(1);
    expect(await header.getAttribute('aria-expanded')).toBe('true');
    await header.click();
    await expect.poll(() => header.getAttribute('aria-expanded')).toBe('false');
    await opened.api.stop(world, chat);
    await toolCard(page, 'watch').getByText('stopped', { exact: true }).waitFor();
  });

  it('opens a call without moving its header, and closes it in place', async () => {
    const { world, chat, path } = await opened.newChat();
    for (let number = 1; number <= 20; number += 1)
      await opened.api.send(world, chat, { content: `@nobody number ${number}.` });
    const command = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
    await opened.api.send(world, chat, { content: call('press', { button: command }) });
    await expect.poll(async () => (await opened.api.approvals(world)).items.length).toBe(1);
    for (const approval of (await opened.api.approvals(world)).items)
      await opened.api.decide(world, approval, { decision: 'approve', scope: 'once' });
    // A call that is visible while it runs opens automatically.
    await expect.poll(async () => (await opened.api.chat(world, chat)).status).toBe('idle');
    const { page } = visit;
    await page.setViewportSize({ width: 390, height: 844 });
    await goTo(page, path);
    const log = page.getByRole('log', { name: 'Transcript' });
    await said(page, 'Finished. done').waitFor();
    const header = toolCard(page, 'press').getByRole('button').first();
    await header.waitFor();
    await expect.poll(() => belowView(log)).toBeLessThan(1);
    const top = async (): Promise<number> => Math.round((await header.boundingBox())?.y ?? 0);
    const before = await top();
    await header.click();
    await expect.poll(() => header.getAttribute('aria-expanded')).toBe('true');
    await expect.poll(() => belowView(log)).toBeGreaterThan(100);
    await atRest(log);
    expect(await top()).toBe(before);
    // Later messages don't move it either.
    await opened.api.send(world, chat, { content: '@nobody number 21.' });
    await expect.poll(() => page.getByText('number 21.').count()).toBe(1);
    await atRest(log);
    expect(await top()).toBe(before);
    await header.click();
    await expect.poll(() => header.getAttribute('aria-expanded')).toBe('false');
    await atRest(log);
    expect(await top()).toBe(before);
  });
});
