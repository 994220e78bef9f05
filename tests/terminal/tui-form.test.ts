import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stdio } from '../mcp/support/servers.js';
import { command, hasTmux, openTmux, type Tmux } from '../support/tmux.js';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';

const TOOL = 'mcp__everything__trigger-elicitation-request';

describe.runIf(hasTmux)('a form of an MCP server in the full-screen UI', () => {
  let t: HarbourServer;
  let tmux: Tmux;
  beforeAll(async () => {
    t = await openHarbourServer();
    tmux = await openTmux(t.env, { columns: 60, rows: 20 });
  });
  afterAll(async () => {
    await tmux.close();
    await t.close();
  });

  it('[HTTP8.7] is filled in with the keyboard on a small screen, and answers the server', async () => {
    await t.client.addMcpServer('docks', stdio('everything'));
    await expect.poll(async () => (await t.client.testMcpServer('docks', 'everything')).tools).toContain(TOOL);
    const { etag = '*' } = await t.client.policy('docks');
    await t.client.setPolicy('docks', { rules: ['allow mcp__everything__*'] }, { ifMatch: etag });
    const { id } = await t.client.createChat('docks');
    await t.client.send('docks', id, { content: t.asking({ name: TOOL, arguments: {} }) });
    await tmux.type(`clear; ${command} tui -w docks -c ${id}`);
    await tmux.press('Enter');
    await tmux.see('Ctrl-G to review');
    await tmux.press('C-g');
    await tmux.see('The agent is waiting for your answer.');
    await tmux.press('r');
    await tmux.see(/String · text, required · 1 of \d+/);
    await tmux.press('Enter');
    await tmux.see('Enter a value.');
    await tmux.type('Ada?');
    await tmux.see('› Ada?');
    await tmux.press('Enter');
    await tmux.see('( ) yes');
    await tmux.press('Space');
    await tmux.see('(•) yes');
    await tmux.resize(80, 24);
    await tmux.press('Enter');
    await tmux.see(/3 of \d+/);
    // The other fields are optional or have defaults.
    const count = Number(/3 of (\d+)/.exec(await tmux.screen())?.[1]);
    for (let position = 4; position <= count; position += 1) {
      await tmux.press('Enter');
      await tmux.see(`${position} of ${count}`);
    }
    await tmux.press('Enter');
    await tmux.see('All fields are filled in.');
    await tmux.press('Enter');
    await expect.poll(async () => (await t.client.chat('docks', id)).status).toBe('idle');
    const told = JSON.stringify((await t.client.messages('docks', id)).items);
    expect(told).toContain('Ada?');
    expect(told).not.toContain('declined');
  });
});
