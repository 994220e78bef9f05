import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { closeTerminals } from '../support/pseudo-terminal.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';

/** Clears the screen with an eight-bit control, reverses the text direction, and adds an invisible character. */
const HOSTILE = 'a\u009B2Jb\u202Ec\u{E0041}d';
const HIDDEN = /[\u009B\u202E\u{E0041}]/u;

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
  await t.client.createChat('docks', { title: HOSTILE });
});
afterAll(() => t.close());
afterEach(closeTerminals);

describe('output for programs, printed on a terminal', () => {
  it('[SAFE6] hides nothing, never moves the cursor, and is the same JSON', async () => {
    const ended = await t.runHere(['chats', 'list', '-w', 'docks', '--json']);
    expect(ended.stdout).not.toMatch(HIDDEN);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ title: HOSTILE })]) as unknown,
    });
    const shown = await t.runHere(['chats', 'list', '-w', 'docks', '--json'], { columns: 400 });
    expect(shown.stdout).not.toMatch(HIDDEN);
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(ended.stdout));
  });

  itAtFullSize('[SAFE6] is equally safe in exports and JSON Lines', async () => {
    const said = t.terminal(['chat', '-w', 'docks', '--json', '--unattended', 'deny', t.asking(stamp(HOSTILE))], {
      columns: 4000,
    });
    expect(await said.exitCode).toBe(3);
    expect(said.raw()).not.toMatch(HIDDEN);
    expect(said.screen()).toContain(String.raw`\u202e`);
    await t.client.createAgent('docks', { name: 'Odd', provider: 'obedient', model: 'any', systemPrompt: HOSTILE });
    const audit = await t.runHere(['audit', 'export', '-w', 'docks'], { columns: 4000 });
    const csv = await t.runHere(['audit', 'export', '-w', 'docks', '--format', 'csv'], { columns: 4000 });
    const yaml = await t.runHere(['export', 'docks'], { columns: 4000 });
    for (const { code, stdout } of [audit, csv, yaml]) {
      expect(code).toBe(0);
      expect(stdout).not.toMatch(HIDDEN);
    }
    expect(yaml.stdout).toContain('U+202E');
    const lines = audit.stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual((await t.client.audit('docks')).items);
  });
});
