import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeTerminals, ENTER } from '../support/pseudo-terminal.js';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());
afterEach(closeTerminals);

describe('what nobody said but a person has to know', () => {
  it('[M3] tells in line mode that nobody has the name that was addressed', async () => {
    const terminal = t.terminal(['chat', '-w', 'docks', '--new']);
    await terminal.waitFor('you  ');
    terminal.type(`@nobody hello${ENTER}`);
    const said = await terminal.waitFor('no agent here is called @nobody');
    expect(said).toMatch(/^ {2}│ Nobody answers: no agent/m);
  });
});
