import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeTerminals, ENTER } from '../support/pseudo-terminal.js';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());
afterEach(closeTerminals);

describe('notices', () => {
  it('[WORLD3.5] says in line mode that nobody has the mentioned name', async () => {
    const terminal = t.terminal(['chat', '-w', 'docks', '--new']);
    await terminal.waitFor('you  ');
    terminal.type(`@nobody hello${ENTER}`);
    const said = await terminal.waitFor('no agent here is called @nobody');
    expect(said).toMatch(/^ {2}│ No agent will answer: no agent/m);
  });

  it('[TERM2] [WORLD3.5] [MODEL4] says once in one-shot mode why nobody answers, and why an agent could not', async () => {
    const silent = await t.runHere(['chat', '-w', 'docks', '@nobody hello']);
    expect(silent.code).toBe(1);
    expect(`${silent.stdout}${silent.stderr}`.split('no agent here is called')).toHaveLength(2);
    const file = 'countersign: 1\nname: Keyless\nagents:\n  - { name: Kay, provider: missing, model: any }\n';
    const { id } = await t.client.importWorld(file);
    const failed = await t.runHere(['chat', '-w', id, 'hello']);
    expect(failed.code).toBe(1);
    expect(`${failed.stdout}${failed.stderr}`.split('Kay uses the provider')).toHaveLength(2);
    // The JSON output still has the text in the same place.
    const json = await t.runHere(['chat', '-w', 'docks', '--json', '@nobody hello']);
    expect(json.stdout.trim().split('\n').at(-1)).toMatch(/"type":"end".*no agent here is called/);
  });
});
