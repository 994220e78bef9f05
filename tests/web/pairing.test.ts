import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf } from './support/open-browser.js';
import { button, overflow, press } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('a phone', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[WHO2] [WHO2.1] is paired with a link whose code the first device confirms, and signs a call, in six clicks at most', async () => {
    const { world, chat } = await opened.newChat();
    await opened.api.send(world, chat, { content: press('green') });
    const { page, complaints } = await opened.visit({ path: '/account' });
    let clicks = 0;
    const click = async (control: Locator): Promise<void> => {
      clicks += 1;
      await control.click();
    };
    await click(button(page, 'Open on another device'));
    const dialog = page.getByRole('dialog', { name: 'Open on another device' });
    const link = dialog.getByLabel('Link', { exact: true });
    const full = await link.inputValue();
    // Refused: the link is used up, and the other browser says so.
    const phone = await opened.visit({
      path: '/inbox',
      invitation: full,
      width: 390,
      height: 844,
      touch: true,
      clock: true,
    });
    const code = phone.page.getByText(/^\d{3} \d{3}$/);
    await code.waitFor();
    await button(page, 'Refuse').click();
    await phone.page.getByText('This ticket was already used').waitFor();
    expect(await phone.page.evaluate('localStorage.length')).toBe(0);

    await button(page, 'Open on another device').click();
    await expect.poll(() => link.inputValue()).not.toBe(full);
    const other = await link.inputValue();
    await click(dialog.getByLabel('Reading and signing only'));
    await expect.poll(() => link.inputValue()).not.toBe(other);
    await dialog.getByText('limited to: read, sign').waitFor();
    const { origin, hash } = new URL(await link.inputValue());
    await phone.page.goto(`${origin}/inbox?again${hash}`);
    const shown = await code.textContent();
    await dialog.getByText(String(shown), { exact: true }).waitFor();
    await dialog.getByText(/^Chrome on \w+, at \S+, has opened the link/).waitFor();
    expect(await violations(phone.page, { within: 'main' })).toEqual([]);
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    expect(await overflow(phone.page)).toBe(0);
    await click(button(page, 'Confirm'));
    await dialog.getByText(/^Signed in: Chrome on \w+, opened from Chrome on \w+\.$/).waitFor();

    const approve = button(phone.page, 'Approve once');
    await click(phone.page.getByRole('listitem').getByText('press').first());
    await approve.waitFor();
    // The first second of a card is protected.
    await phone.page.clock.fastForward(1500);
    await click(approve);
    await expect.poll(() => opened.ran).toEqual(['green']);
    expect(clicks).toBeLessThanOrEqual(6);
    const { items } = await opened.api.audit(world);
    expect(items.find(({ decision }) => decision === 'approve')).toMatchObject({ who: { id: 'owner' } });
    expect([...complaints, ...phone.complaints]).toEqual([]);
  });
});
