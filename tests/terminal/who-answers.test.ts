import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command, hasTmux, openTmux, type Tmux } from '../support/tmux.js';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';

describe.runIf(hasTmux)('the line above the message in chat', () => {
  let t: HarbourServer;
  let shell: Tmux;
  beforeAll(async () => {
    t = await openHarbourServer();
    shell = await openTmux(t.env, { columns: 60, rows: 20 });
  });
  afterAll(async () => {
    await shell.close();
    await t.close();
  });

  it('[WORLD3.6] shows who will answer, and Tab corrects a mention in a wrapped line', async () => {
    await shell.type(`clear; ${command} chat -w docks --new`);
    await shell.press('Enter');
    await shell.see('→ Ada');
    await shell.type(`@Aad, ${'a line that is much wider than this terminal '.repeat(2)}`);
    await shell.see('→ nobody: no agent is called @Aad · Tab fixes it');
    await shell.press('Tab');
    const fixed = await shell.see('→ Ada', { not: '→ nobody' });
    expect(fixed.match(/→/g)).toHaveLength(1);
    expect(fixed).toContain('you  @Ada, a line');
    await shell.press('Enter');
    await shell.see('│ ok');
  });
});
