import { publishMessage, publishToolResult, setPolicy } from '@countersign/core';
import { SERVER_LOG } from '@countersign/core/ports';
import { SYSTEM } from '@countersign/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, type Opened, picturesOf } from './support/open-browser.js';
import { button, decide, goTo, press, write } from './support/steps.js';

const system = { who: SYSTEM, via: 'test' };
const ada = { kind: 'person', id: 'ada', name: 'Ada' } as const;

describe.runIf(hasBrowser)('a call that several people must sign', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await openBrowser();
    await opened.serving.home.engine.runtime.store.transact(SERVER_LOG, async (tx) => {
      await tx.lockServerLog();
      const rights = { role: 'approver', worldRoles: {}, status: 'active' } as const;
      await tx.insertPerson({ id: ada.id, name: ada.name, email: null, ...rights, rev: 1, createdAt: 0 });
      await tx.putGroup({ name: 'finance', people: ['owner', ada.id], oidcGroup: null });
    });
  });
  beforeEach(({ onTestFailed, task }) => onTestFailed(() => picturesOf(task.name)));
  afterAll(() => opened.close());

  it('[A48.3] the card shows who signed and who is missing, and stays until the last signature', async () => {
    const { world, chat, path } = await opened.newChat();
    const { runtime } = opened.serving.home.engine;
    await setPolicy(runtime, world, ['ask press by 2 of @finance'], system);
    const { page, complaints } = await opened.visit({ path, clock: true });
    await write(page, press('pay'));
    await page.getByText('Needs 2 of Finance', { exact: true }).waitFor();
    await decide(page, 'Approve once');
    await page.getByText(/^Needs 2 of Finance · signed by .+, 1 more$/).waitFor();
    expect(await page.evaluate<string[]>('remarks')).toContain('Signed. This call needs more signatures.');
    // Neither a wider scope nor an edit is offered.
    expect(await button(page, 'More choices').isDisabled()).toBe(true);
    expect(opened.ran).toEqual([]);

    const [approval] = (await opened.api.approvals(world)).items;
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
    await publishToolResult(runtime, world, undefined, decision, { who: ada, via: 'phone' });
    await page.getByText(/Finished/).waitFor();
    expect(opened.ran).toEqual(['pay']);

    // Messages of other people show their names, here and in search results.
    const who = { kind: 'person', id: 'grace', name: 'Grace Hopper' } as const;
    await publishMessage(runtime, { worldId: world, chatId: chat, speaker: 'human', content: 'Paid at last', who });
    await page.getByRole('article', { name: 'Grace Hopper', exact: true }).getByText('Paid at last').waitFor();
    expect(await page.getByRole('article', { name: 'you', exact: true }).count()).toBe(1);
    await goTo(page, `/w/${world}/search?q=paid`);
    await page.getByRole('link').filter({ hasText: 'Grace Hopper' }).getByText('Paid at last').waitFor();
    expect(complaints).toEqual([]);
  });
});
