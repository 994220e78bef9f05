import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTER } from '../support/pseudo-terminal.js';
import { command, hasTmux, openTmux } from '../support/tmux.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';
import { ownToken } from './own-token.js';

let t: HarbourServer;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  t = await openHarbourServer();
  for (const name of ['Ada', 'Bob', 'Eve']) {
    tokens[name.toLowerCase()] = await ownToken(t, name, ['read', 'chat', 'sign']);
  }
  await t.client.putGroup('finance', { people: ['ada', 'bob'] });
  const { etag } = await t.client.policy('docks');
  await t.client.setPolicy('docks', { rules: ['ask stamp by 2 of @finance'] }, { ifMatch: etag ?? '' });
});
afterAll(() => t.close());

const as = (person: string): { env: Record<string, string> } => ({
  env: { COUNTERSIGN_TOKEN: tokens[person] ?? '' },
});

describe.runIf(hasTmux)('a call that several people must sign', () => {
  it('[SIGN1.10] chat, approvals and tui ask only those who can sign, and say who did', async () => {
    const chat = t.terminal(['chat', '-w', 'docks', '--new'], as('ada'));
    await chat.waitFor('you  ');
    chat.type(t.asking(stamp('invoice')) + ENTER);
    const card = await chat.waitFor('d: deny');
    expect(card).toContain('Needs 2 of Finance');
    expect(await chat.waitFor('  ✍ ')).not.toContain('e: edit');
    chat.type(`o${ENTER}`);
    await chat.waitFor('Signed. This call needs more signatures.');
    await chat.waitFor('You signed · 1 more of Finance needed');
    await chat.waitFor('Bob can sign.');
    // Not asked again: the person can continue to write.
    await chat.waitFor('you  ');

    const list = ['approvals', 'list'];
    expect((await t.runHere(list, as('ada'))).stdout).toContain('others (you signed)');
    expect((await t.runHere(list, as('bob'))).stdout).toMatch(/ you .* letter: invoice$/m);
    expect((await t.runHere([...list, '--who', 'eve'], as('eve'))).stderr).toContain('Nothing is waiting for you.');
    expect((await t.runHere([...list, '--who', 'Bob'], as('eve'))).stdout).toMatch(/ others .* letter: invoice$/m);
    const [approval] = (await t.client.approvals('docks')).items;
    const again = ['approvals', 'approve', approval?.approvalId ?? '', '--yes', '--detach'];
    expect((await t.runHere(again, as('ada'))).stderr).toContain('You have already signed this call.');
    expect((await t.runHere(again, as('eve'))).stderr).toContain('Ask Bob');

    const tmux = await openTmux({ ...t.env, ...as('eve').env });
    try {
      await tmux.type(`clear; ${command} tui -w docks`);
      await tmux.press('Enter');
      const screen = await tmux.see(['Waiting for others', /signed by Ada.*, 1 more/, 'Bob can sign.', 'd Deny']);
      expect(screen).not.toMatch(/Approve once|e Edit|Waiting for you/);
      await tmux.press('C-c');
      await tmux.see('ready$');
      await tmux.type(`clear; COUNTERSIGN_TOKEN=${tokens['bob']} ${command} tui -w docks`);
      await tmux.press('Enter');
      await tmux.see(['Waiting for you', 'o Approve once'], { not: 'e Edit' });
      await tmux.press('Tab');
      await tmux.see('Nothing runs until you approve it.', { not: 'Ctrl-G to focus it' });
      await tmux.press('o');
      await tmux.see('Approve exactly this call, once');
      await tmux.press('Enter');
      await expect.poll(() => t.runs).toEqual(['invoice']);
    } finally {
      await tmux.close();
    }
    await chat.waitFor('approved once by you and Bob');
    await chat.waitFor('results: ');
  });
});
