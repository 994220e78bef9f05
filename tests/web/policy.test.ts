import { systemClock } from '@countersign/core/ports';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, call, enabled, goTo, overflow, remarked } from './support/steps.js';
import { violations } from './support/violations.js';

describe.runIf(hasBrowser)('the policy page', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  let path = '';
  let chat = '';
  let clicks = 0;
  /** How far the clock of the server is ahead. */
  let ahead = 0;
  beforeAll(async () => {
    opened = await openBrowser({ clock: { ...systemClock, now: () => systemClock.now() + ahead } });
    ({ world, path, chat } = await opened.newChat());
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  const write = (file: string): string => call('write_file', { path: file, content: 'x' });
  /** Two questions: one about the same file each day, and one about another file. Returns how many there were. */
  async function decideDay(day: number): Promise<number> {
    const { api } = opened;
    const status = async () => (await api.chat(world, chat)).status;
    await api.send(world, chat, { content: ['notes/log.md', `notes/day-${day}.md`].map(write).join('\n') });
    await expect.poll(status).not.toBe('working');
    const { items } = await api.approvals(world);
    ahead += 5_000;
    for (const approval of items) await api.decide(world, approval, { decision: 'approve', shownMs: 4_000 });
    await expect.poll(status).toBe('idle');
    return items.length;
  }

  it('[RULE13] [RULE13.4] [PAGE11.2] from “it asks too much” to half the questions, in at most eight clicks', async () => {
    for (const day of [1, 2, 3, 4, 5, 6]) expect(await decideDay(day)).toBe(2);
    await opened.api.send(world, chat, { content: write('notes/log.md') });
    visit = await opened.visit({ path });
    const { page } = visit;
    await page.exposeFunction('countClick', () => void (clicks += 1));
    await page.evaluate("addEventListener('click', () => countClick(), true)");
    await page.getByText(/This was asked \d+ times in 30 days/).waitFor();
    expect(await violations(page, { within: 'main' })).toEqual([]);
    clicks = 0;
    await page.getByRole('link', { name: 'See the rule that would answer it' }).click();
    const suggestion = page.getByRole('listitem').filter({ hasText: 'allow write_file' });
    await suggestion.getByText(/Would have saved \d+ questions/).waitFor();
    await button(page, 'Add…').click();
    await page.getByText(/needed approval. With this change:/).waitFor();
    await button(page, 'Save rule').click();
    // The call that waits would run at once, so it is shown first.
    await button(page, 'Save rule and run these calls').click();
    await remarked(page, 'Policy saved.');
    expect(clicks).toBeLessThanOrEqual(8);
    await expect.poll(async () => (await opened.api.chat(world, chat)).status).toBe('idle');
    expect(await decideDay(7)).toBe(1);
  });

  it('[RULE14] [PAGE11] [PAGE11.1] rules are rows, and a new one is tried while it is typed', async () => {
    const { page } = visit;
    await page.reload();
    const rows = page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
    await rows.filter({ hasText: /allow write_file.*Added by .* · decided 2 calls, last/s }).waitFor();
    await button(page, 'Add rule').click();
    const field = page.getByRole('combobox', { name: 'New rule' });
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /ask shell_cmd removing \*/ }).waitFor();
    await field.fill('deny wri');
    await page.getByRole('option', { name: 'deny write_file' }).click();
    expect(await field.inputValue()).toBe('deny write_file');
    await page.getByText(/calls? would have been denied although approved:/).waitFor();
    await field.fill('deny write_file(');
    await page.getByText(/line 1, character \d+/).waitFor();
    expect(await button(page, 'Save rule').isDisabled()).toBe(true);
    await field.fill('allow npm test');
    await page.getByText('Did you mean "allow shell_cmd(npm test)"').waitFor();
    await field.fill('allow press for 30m');
    await enabled(button(page, 'Save rule'));
    await button(page, 'Save rule').click();
    const ending = rows.filter({ hasText: 'allow press until' });
    await ending.getByText('not used yet').waitFor();
    // [RULE12.4] One record for each editing session: the page was reloaded once.
    const { items } = await opened.api.audit(world, { limit: 200 });
    expect(items.filter(({ decision }) => decision === 'replayed')).toHaveLength(2);
    // [RULE11] A rule that has ended stays visible.
    ahead += 3_600_000;
    await page.reload();
    await ending.getByText('ended', { exact: true }).waitFor();
    expect(await violations(page, { contrast: true })).toEqual([]);
    await ending.getByRole('button', { name: 'Remove' }).click();
    await button(page, 'Remove rule').click();
    await expect.poll(() => ending.count()).toBe(0);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('switch', { name: 'Edit as text' }).click();
    await page.getByLabel('Rules').fill('allow press(\nask press\ndeny flood)');
    await button(page, 'Save policy').click();
    await page.getByText(/^Line 1, character/).waitFor();
    await page.getByText(/^Line 3, character/).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('[HTTP12.3] the statistics say whether the questions are worth asking', async () => {
    const { page } = visit;
    await page.setViewportSize({ width: 1280, height: 800 });
    await goTo(page, `/w/${world}/stats`);
    const section = page.getByRole('region', { name: 'Is it worth asking?' });
    const { questions, hasty } = await opened.api.questionStats(world);
    expect([questions, hasty]).toEqual([14, 0]);
    await section.getByText(/^14$/).first().waitFor();
    await section.getByRole('row', { name: /write_file 14 0/ }).waitFor();
    expect(await violations(page, { within: 'main', contrast: true })).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  });
});
