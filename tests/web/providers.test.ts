import { startScriptedModel, type ScriptedModel } from '@countersign/providers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isFullSize, itAtFullSize } from '../support/scaled.js';
import { hasBrowser, openBrowser, type Opened, picturesOf, type Visit } from './support/open-browser.js';
import { button, focused, goTo, holdUp, overflow, remarked, said } from './support/steps.js';
import { violations } from './support/violations.js';

const KEY = 'sk-Ab3dEf6hIj9kLmN0pQrStUvWx2z4';
const DEAD = 'http://127.0.0.1:9';

describe.runIf(hasBrowser)('providers', () => {
  let opened: Opened;
  let visit: Visit;
  let model: ScriptedModel;
  let isBusy = false;
  beforeAll(async () => {
    opened = await openBrowser();
    model = await startScriptedModel({
      script: ({ headers, model: name, user }) => {
        if (headers.authorization !== `Bearer ${KEY}`) return { error: { status: 401 } };
        if (name === 'scriptd') return { error: { status: 404 } };
        if (name === 'busy' || isBusy) return { error: { status: 429 } };
        if (user.includes('Take your time'))
          return {
            thinking: 'I weigh this carefully.',
            text: 'It took a while, word by word, to the end.',
            chunkDelayMs: 200,
          };
        return name === 'slow' ? { connection: 'hang' } : 'OK';
      },
    });
    visit = await opened.visit({ path: '/providers' });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(async () => {
    await opened.close();
    await model.close();
  });

  const card = (page: Page, name: string): Locator =>
    page.getByRole('main').getByRole('listitem').filter({ hasText: name }).first();

  it('[MODEL7] [MODEL7.3] [MODEL8] [MODEL9.1] [MODEL9.3] are added, tested, edited and removed, and every failure is explained', async () => {
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    const box = card(page, 'GPU box');
    const result = box.getByRole('status').first();
    await page.getByText('No providers yet.').waitFor();
    await button(page, 'Add provider').click();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);

    // The kind fills in the name and URL, and invalid input is refused at its field.
    await dialog.getByLabel('Kind').selectOption('Groq');
    expect(await dialog.getByLabel('Base URL').inputValue()).toBe('https://api.groq.com/openai/v1');
    await button(page, 'Add provider').last().click();
    await dialog.getByText('Groq needs an API key').waitFor();
    await dialog.getByLabel('Kind').selectOption('OpenAI-compatible');
    await dialog.getByLabel('Name').fill('GPU box');
    await dialog.getByLabel('Base URL').fill('gpu:8000');
    await dialog.getByLabel('API key').fill('wrong key');
    await button(page, 'Add provider').last().click();
    await dialog.getByText('Must begin with http:// or https://').waitFor();
    expect(await dialog.getByLabel('Base URL').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Base URL').fill('http://gpu.example');
    await dialog.getByText('This URL is not encrypted').waitFor();
    await dialog.getByLabel('Base URL').fill(model.url);
    await expect.poll(() => dialog.getByText('This URL is not encrypted').count()).toBe(0);
    await button(page, 'Add provider').last().click();
    await dialog.getByText('Must be one word of visible ASCII characters').waitFor();
    expect((await opened.api.providers()).items.filter(({ source }) => source === 'stored')).toEqual([]);

    // Saved with a wrong key, and tested immediately.
    await dialog.getByLabel('API key').fill('sk-wrong');
    await dialog.getByLabel('API key').press('Enter');
    await box.getByText('key saved').waitFor();
    await result.getByText('It answers and lists 1 model.').waitFor();
    await box.getByRole('button', { name: 'Models' }).click();
    const models = box.getByRole('list', { name: 'Models of GPU box' });
    await models.getByText('scripted').waitFor();
    const test = async (name: string, code: string, words: string): Promise<void> => {
      await box.getByLabel('Find or enter a model').fill(name);
      await box.getByLabel('Find or enter a model').press('Enter');
      await result.getByText(code, { exact: true }).waitFor();
      await result.getByText(words).waitFor();
    };
    await test('scripted', 'wrong key', 'Check the key or create a new one.');
    expect(await violations(page, { within: 'main' })).toEqual([]);

    // The key is never shown; a new one replaces it.
    await box.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByText('A key is saved.').waitFor();
    expect(await dialog.getByLabel('API key', { exact: true }).locator('input').count()).toBe(0);
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await button(page, 'Replace key').click();
    await button(page, 'Save').click();
    await dialog.getByText('Enter the new key, or keep the saved one.').waitFor();
    await dialog.getByLabel('API key').fill(KEY);
    await button(page, 'Save').click();
    await expect.poll(() => dialog.count()).toBe(0);
    await result.getByText('It answers and lists 1 model.').waitFor();
    await test('scripted', 'works', 'The model scripted answered.');
    await test('busy', 'rate limit', 'The key works; wait a moment.');
    await test('scriptd', 'unknown model', 'Choose a model from the list.');
    await button(page, 'Test scripted instead').click();
    await result.getByText('The model scripted answered.').waitFor();
    await box.getByLabel('Find or enter a model').fill('slow');
    await box.getByLabel('Find or enter a model').press('Enter');
    await button(page, 'Cancel test').click();
    await expect.poll(() => result.textContent()).toBe('');

    // Another host needs the key again, and no server listens there.
    await box.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Base URL').fill(DEAD);
    await dialog.getByText('Enter the key again, or remove it, because it would be sent to another server.').waitFor();
    expect(await dialog.getByText('API key (optional)').count()).toBe(0);
    await button(page, 'Remove key').click();
    await dialog.getByText('The saved key will be removed.').waitFor();
    await button(page, 'Keep the saved key').click();
    await dialog.getByLabel('API key').fill(KEY);
    await button(page, 'Save').click();
    await result.getByText('wrong address', { exact: true }).waitFor();
    await result.getByText('127.0.0.1:9').waitFor();
    // [MODEL9.3] One message, not a green one beside a red one.
    await result.getByText('Saved, but the test failed.').waitFor();
    expect(await page.getByText('Saved.', { exact: true }).count()).toBe(0);
    expect(await page.content()).not.toContain(KEY);

    // A provider that agents use is removed only with a second button.
    const { world } = await opened.newChat();
    await opened.api.createAgent(world, { name: 'Bea', provider: 'gpu-box', model: 'm' });
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await box.getByRole('button', { name: 'Remove' }).click();
    await button(page, 'Remove').last().click();
    await dialog.getByText('Bea (Lab 1)').waitFor();
    expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
    await button(page, 'Remove anyway').click();
    await page.getByText('No providers yet.').waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('[MODEL7] providers from the environment are labelled, and one without a key there can get a saved key', async () => {
    const { page } = visit;
    const anthropic = card(page, 'Anthropic');
    await anthropic.getByText('no key').waitFor();
    expect(await anthropic.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await anthropic.getByRole('button', { name: 'Add key' }).click();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Anthropic');
    expect(await page.getByRole('dialog').getByLabel('Base URL').inputValue()).toBe('https://api.anthropic.com');
    await page.keyboard.press('Escape');
  });

  itAtFullSize('[MODEL7] can be added, tested and removed with the keyboard alone', async () => {
    const { page } = visit;
    const tabTo = async (control: Locator): Promise<void> => {
      const focused = control.and(page.locator(':focus'));
      for (let tabs = 0; tabs < 60 && (await focused.count()) === 0; tabs += 1) await page.keyboard.press('Tab');
      expect(await focused.count()).toBe(1);
    };
    const dialog = page.getByRole('dialog');
    await button(page, 'Add provider').waitFor();
    await tabTo(button(page, 'Add provider'));
    await page.keyboard.press('Enter');
    await tabTo(dialog.getByLabel('Kind'));
    await page.keyboard.type('LM');
    await tabTo(dialog.getByLabel('Base URL'));
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`${DEAD}?key=x`);
    await page.keyboard.press('Enter');
    await dialog.getByText('Must not contain parameters').waitFor();
    // The focus goes to the field with the error.
    expect(await dialog.getByLabel('Base URL').and(page.locator(':focus')).count()).toBe(1);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(DEAD);
    await page.keyboard.press('Enter');
    const added = card(page, 'LM Studio');
    await added.getByText('wrong address').waitFor();
    await tabTo(added.getByRole('button', { name: 'Test' }));
    await tabTo(added.getByRole('button', { name: 'Remove' }));
    await page.keyboard.press('Enter');
    await tabTo(dialog.getByRole('button', { name: 'Remove' }));
    await page.keyboard.press('Enter');
    await page.getByText('No providers yet.').waitFor();
  });

  it('[WORLD13] [WORLD13.1] [MODEL7.1] [MODEL11.2] from the demo to an agent on a real model, without a restart', async () => {
    const { page } = visit;
    await goTo(page, '/w/harbour');
    await page.getByRole('link', { name: 'Use a real model' }).click();
    const main = page.getByRole('main');
    // [PAGE1.4] The focus follows each step.
    await focused(page.getByRole('heading', { level: 1, name: 'Use a real model' }));
    await main.getByLabel('Kind').selectOption('vLLM');
    await main.getByLabel('Name').fill('Real');
    await main.getByLabel('Base URL').fill(model.url);
    await main.getByLabel('API key').fill('sk-wrong');
    await main.getByLabel('API key').press('Enter');
    await main.getByText('It answers and lists 1 model.').waitFor();
    await focused(main.getByLabel('Provider'));

    // [WORLD13.2] A real call shows that the key is wrong: the form opens at its field, and nothing was added.
    await expect.poll(() => main.getByLabel('Model', { exact: true }).inputValue()).toBe('scripted');
    await button(page, 'Start chatting').click();
    const key = main.getByLabel('API key');
    await expect.poll(() => key.getAttribute('aria-invalid')).toBe('true');
    await main.getByText('Check the key or create a new one.').first().waitFor();
    expect(await button(page, 'Save anyway').count()).toBe(0);
    expect((await opened.api.agents('harbour')).items.map(({ provider }) => provider)).not.toContain('real');
    expect(await violations(page, { within: 'main' })).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await key.fill(KEY);
    await button(page, 'Save').click();
    await main.getByText('It answers and lists 1 model.').waitFor();
    // A wrong address is shown at its field as soon as it is saved.
    await button(page, 'Edit').click();
    await main.getByLabel('Base URL').fill(DEAD);
    await key.fill(KEY);
    await button(page, 'Save').click();
    await focused(main.getByLabel('Base URL').and(page.locator('[aria-invalid=true]')));
    await main.getByText('Saved, but the test failed.').waitFor();
    await main.getByLabel('Base URL').fill(model.url);
    await key.fill(KEY);
    await button(page, 'Save').click();
    await main.getByText('It answers and lists 1 model.').waitFor();
    await main.getByLabel('Model', { exact: true }).fill('scriptd');
    await button(page, 'Start chatting').click();
    // [MODEL9.2] An unknown model gets the same warning as in the agent form; a rate limit can be ignored.
    await main.getByText('Real does not list this model.').waitFor();
    expect(await button(page, 'Save anyway').count()).toBe(1);
    await focused(button(page, 'Use scripted'));
    await button(page, 'Use scripted').click();
    await focused(main.getByLabel('Model', { exact: true }));
    isBusy = true;
    await button(page, 'Start chatting').click();
    await button(page, 'Save anyway').waitFor();
    await focused(button(page, 'Start chatting'));
    isBusy = false;
    await main.getByLabel('Model', { exact: true }).fill('scripted ');
    await main.getByLabel('Model', { exact: true }).fill('scripted');
    expect(await button(page, 'Save anyway').count()).toBe(0);
    // The only model is chosen; reading is all that the first template can do.
    await expect.poll(() => main.getByLabel('Model', { exact: true }).inputValue()).toBe('scripted');
    expect(await main.getByRole('radio', { name: 'Reviewer' }).isChecked()).toBe(true);
    expect(await violations(page, { within: 'main' })).toEqual([]);
    await main.getByRole('radio', { name: 'Planner and worker' }).check();
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await button(page, 'Start chatting').click();
    await page.getByText('→ Planner').waitFor();
    await focused(page.getByLabel('Message'));
    const { items } = await opened.api.agents('harbour');
    expect(items.slice(-2)).toMatchObject([
      { name: 'Planner', provider: 'real', model: 'scripted' },
      { name: 'Worker', provider: 'real', model: 'scripted' },
    ]);
    await page.getByLabel('Message').fill('Hello');
    await page.getByLabel('Message').press('Enter');
    await said(page, 'OK').waitFor();
    await focused(page.getByLabel('Message'));
    // [MODEL11.2] Thinking that a person opens while it streams stays open.
    await page.getByLabel('Message').fill('Take your time');
    await page.getByLabel('Message').press('Enter');
    await page.getByRole('log').locator('summary').last().click();
    await said(page, 'to the end.').getByText('I weigh this carefully.').waitFor();
    if (!isFullSize) return;

    // [MODEL4.2] A failed turn offers to try again and to fix the agent, until someone sends a message.
    const { value } = await opened.api.agent('harbour', 'planner');
    await opened.api.updateAgent('harbour', 'planner', { model: 'scriptd' });
    await page.getByLabel('Message').fill('And now?');
    await page.getByLabel('Message').press('Enter');
    await button(page, 'Edit agent').waitFor();
    expect(await button(page, 'Use a real model').count()).toBe(1);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await violations(page, { within: 'main' })).toEqual([]);
    await button(page, 'Edit agent').click();
    const form = page.getByRole('dialog');
    expect(await form.getByLabel('Name').inputValue()).toBe('Planner');
    await form.getByLabel('Model', { exact: true }).fill(value.model);
    await page.keyboard.press('Escape');
    await button(page, 'Save').click();
    await expect.poll(() => form.count()).toBe(0);
    await page.goBack();
    await button(page, 'Try again').click();
    const log = page.getByRole('log');
    await expect.poll(() => log.getByText('OK', { exact: true }).count()).toBe(2);
    expect(await log.getByText('And now?', { exact: true }).count()).toBe(2);
    expect(await button(page, 'Try again').count()).toBe(0);
    expect(model.requests.some(({ system }) => system.includes('@Worker'))).toBe(true);

    // The same in a new world for another folder; a folder that doesn't exist is refused at its field.
    await goTo(page, '/w/harbour/start');
    await main.getByLabel('Works in').selectOption('a new world for another folder');
    await main.getByLabel('Folder').fill('/nowhere/at all');
    await button(page, 'Start chatting').click();
    await expect.poll(() => main.getByLabel('Folder').getAttribute('aria-invalid')).toBe('true');
    expect((await opened.api.worlds()).items.map(({ name }) => name)).not.toContain('at all');
  });

  itAtFullSize(
    '[MODEL9.2] an agent gets a model from the list of its provider, or another one after a warning',
    async () => {
      await opened.api.addProvider({ kind: 'vllm', name: 'Box', baseUrl: model.url, apiKey: KEY });
      const { world } = await opened.newChat();
      const { page, complaints } = visit;
      // The list of providers is new.
      await page.goto(`${opened.serving.url}/w/${world}/agents`);
      await button(page, 'Add agent').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Cy');
      await dialog.getByLabel('Provider').selectOption('Box');
      await dialog.getByLabel('Model', { exact: true }).fill('scriptd');
      // Read-only tools are ticked, and every tool is described.
      await dialog.getByText('Lists a folder in the working folder').first().waitFor();
      expect(await dialog.getByRole('checkbox', { name: 'read_file' }).isChecked()).toBe(true);
      expect(await dialog.getByRole('checkbox', { name: 'shell_cmd' }).isChecked()).toBe(false);
      await dialog.getByLabel('Model', { exact: true }).press('Enter');
      await dialog.getByText('Box does not list this model.').waitFor();
      expect((await opened.api.agents(world)).items.map(({ name }) => name)).toEqual(['Ada']);
      await focused(button(page, 'Use scripted'));
      await button(page, 'Save anyway').waitFor();
      await button(page, 'Use scripted').click();
      await focused(dialog.getByLabel('Model', { exact: true }));
      expect(await dialog.getByLabel('Model', { exact: true }).inputValue()).toBe('scripted');
      // By keyboard: the list opens, and Escape closes it but not the dialog.
      await dialog.getByLabel('Model', { exact: true }).fill('');
      await dialog.getByRole('listbox').getByRole('option').waitFor();
      await page.keyboard.press('Escape');
      expect(await dialog.getByRole('listbox').count()).toBe(0);
      await page.keyboard.press('ArrowDown');
      expect(await violations(page, { within: 'dialog[open]' })).toEqual([]);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      expect(await dialog.getByLabel('Model', { exact: true }).inputValue()).toBe('scripted');
      await page.keyboard.press('Enter');
      await expect.poll(() => dialog.count()).toBe(0);
      const { items } = await opened.api.agents(world);
      expect(items.at(-1)).toMatchObject({ name: 'Cy', provider: 'box', model: 'scripted' });
      expect(items.at(-1)?.tools).toEqual(expect.arrayContaining(['list_files', 'read_file', 'grep']));
      expect(items.at(-1)?.tools).not.toContain('shell_cmd');
      // While the list is loading, the agent is saved, and the warning comes with the answer.
      const { asked, letGo } = await holdUp(page, /\/providers\/box\/models/);
      await page.reload();
      await button(page, 'Add agent').click();
      await dialog.getByLabel('Name').fill('Dee');
      await dialog.getByLabel('Provider').selectOption('Box');
      await dialog.getByLabel('Model', { exact: true }).fill('scriptd');
      await asked;
      await dialog.getByLabel('Model', { exact: true }).press('Enter');
      await remarked(page, 'box does not list the model scriptd. Did you mean scripted? It was saved anyway.');
      letGo();
      expect(complaints).toEqual([]);
    },
  );
});
