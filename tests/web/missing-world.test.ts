import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, goTo } from './support/steps.js';

describe.runIf(hasBrowser)('a world that can’t be shown', () => {
  let opened: Opened;
  let visit: Visit;
  let world = '';
  beforeAll(async () => {
    opened = await openBrowser();
    ({ world } = await opened.newChat());
    visit = await opened.visit({ path: `/w/${world}` });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  const refuse = (status: number, detail: string) => ({
    status,
    json: { type: 'about:blank', title: 'No', status, detail },
  });

  it('[W2] a missing world is reported, and another is offered', async () => {
    const { page } = visit;
    await page.goto(`${opened.serving.url}/w/nope/policy`);
    await page.getByText('There is no world “nope”.').waitFor();
    await page.getByRole('link', { name: 'Lab 1' }).click();
    await page.getByRole('button', { name: 'World: Lab 1' }).waitFor();
    await expect.poll(() => page.getByText('There is no world').count()).toBe(0);
  });

  it('[W4] a world that someone deletes disappears from the page too', async () => {
    const { page } = visit;
    const { id } = await opened.api.createWorld({ name: 'Short lived' });
    await goTo(page, `/w/${id}/policy`);
    await page.getByLabel('Rules').waitFor();
    await opened.api.deleteWorld(id);
    await page.getByText('The world “Short lived” was deleted.').waitFor();
    await page.getByRole('link', { name: 'Lab 1' }).click();
    await page.getByRole('button', { name: 'World: Lab 1' }).click();
    await page.getByRole('menuitem', { name: 'New world…' }).waitFor();
    // The list is reloaded when the world is gone; the response may not have arrived yet.
    await expect.poll(() => page.getByRole('menuitem', { name: 'Short lived' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('an invalid chat URL does not break the page', async () => {
    const { page } = visit;
    await page.goto(`${opened.serving.url}/w/${world}/c/%25E0`);
    await page.getByText('This page does not exist.').waitFor();
    await page.getByRole('button', { name: 'World: Lab 1' }).waitFor();
    expect(await page.getByText("This page can't be shown").count()).toBe(0);
  });

  it('a world that failed to load is retried when someone opens it', async () => {
    const { page } = visit;
    const one = `**/api/worlds/${world}`;
    await page.route(one, (route) => route.fulfill(refuse(403, 'Not from here.')));
    await page.goto(`${opened.serving.url}/w/${world}`);
    await page.getByText('Not from here.').waitFor();
    await page.unroute(one);
    await button(page, 'Try now').click();
    await page.getByRole('button', { name: 'World: Lab 1' }).waitFor();
    await expect.poll(() => page.getByText('Not from here.').count()).toBe(0);
  });

  it('[W1] an ended session leads to the sign-in page immediately, whatever its message', async () => {
    const { page } = visit;
    await page.route(`**/api/worlds/${world}`, (route) => route.fulfill(refuse(401, 'Open a new start link.')));
    await page.goto(`${opened.serving.url}/w/${world}`);
    await page.getByText('This session has ended.').waitFor();
    expect(await page.getByRole('button', { name: /^World:/ }).count()).toBe(0);
  });

  it('no page throws or violates the content security policy', () => {
    expect(visit.complaints).toEqual([]);
  });
});
