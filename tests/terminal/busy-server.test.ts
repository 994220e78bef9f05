import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { itAtFullSize } from '../support/scaled.js';
import { closeTerminals, ENTER } from '../support/pseudo-terminal.js';
import { openBusyProxy, type BusyProxy } from './busy-proxy.js';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
let proxy: BusyProxy;
beforeAll(async () => {
  t = await openHarbourServer();
  proxy = await openBusyProxy(t.serving().url, t.serving().home.token.value);
});
afterAll(async () => {
  await proxy.close();
  await t.close();
});
let before = 0;
beforeEach(() => {
  before = t.runs.length;
});
afterEach(closeTerminals);

const isDecision = ({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean =>
  method === 'POST' && url.endsWith('/tool-results');

describe('a server that is briefly busy', () => {
  it('[CALL13] [STORE7] receives the denial of a job on a retry, so that the job ends', async () => {
    proxy.refuse(2, isDecision);
    const words = ['chat', '-w', 'docks', '--timeout', '10m', t.asking(stamp('unsigned'))];
    const ended = await t.runHere(words, { env: { COUNTERSIGN_URL: proxy.url } });
    expect(ended.stdout).toContain('denied: nobody is here to approve it');
    expect(ended.code).toBe(3);
    expect(proxy.refused()).toBe(2);
    expect(t.runs.slice(before)).toEqual([]);
  });

  it('[CALL12] makes the terminal retry, and nothing is lost', async () => {
    const terminal = t.terminal(['chat', '-w', 'docks', '--new'], { env: { COUNTERSIGN_URL: proxy.url } });
    await terminal.waitFor('you  ');
    proxy.refuse(1, isDecision);
    terminal.type(t.asking(stamp('busy')) + ENTER);
    await terminal.waitFor('  ✍ ');
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('The server is busy. Try again.');
    await terminal.waitFor('letter: busy');
    await terminal.waitFor('  ✍ ');
    expect(t.runs.slice(before)).toEqual([]);
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('stamped busy');
    expect(t.runs.slice(before)).toEqual(['busy']);
  });

  itAtFullSize('[CALL12] makes approvals watch retry too', async () => {
    const { id } = await t.client.createChat('docks');
    const terminal = t.terminal(['approvals', 'watch', '-w', 'docks'], { env: { COUNTERSIGN_URL: proxy.url } });
    await terminal.waitFor('Nothing is waiting for you');
    proxy.refuse(1, isDecision);
    await t.client.send('docks', id, { content: t.asking(stamp('watched')) });
    await terminal.waitFor('  ✍ ');
    terminal.type(`o${ENTER}`);
    await terminal.waitFor('The server is busy. Try again.');
    await terminal.waitFor('  ✍ ');
    terminal.type(`o${ENTER}`);
    await expect.poll(() => t.runs.slice(before)).toEqual(['watched']);
  });
});
