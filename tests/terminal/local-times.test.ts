import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openHarbourServer, stamp, type HarbourServer } from './harbour-server.js';

const ZONE = 'Asia/Kolkata';
let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());

/** `2026-11-15 15:35:07` in the person's time zone. */
function local(at: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'medium' });
  return parts.format(new Date(at));
}

describe('times in tables and on cards', () => {
  it('are in the reader’s time zone, and in JSON as recorded', async () => {
    await t.client.updateWorld('docks', { approvalTimeoutMs: 600_000 });
    const { id: chat } = await t.client.createChat('docks');
    await t.client.send('docks', chat, { content: t.asking(stamp('granted')) });
    await expect.poll(async () => (await t.client.approvals('docks')).items.length).toBe(1);
    const [first] = (await t.client.approvals('docks')).items;
    if (first === undefined) throw new Error('nothing waits');
    await t.client.decide('docks', first, { decision: 'approve', scope: 'session', pattern: 'letter=granted' });
    await expect.poll(async () => (await t.client.chat('docks', chat)).status).toBe('idle');
    await t.client.send('docks', chat, { content: t.asking(stamp('waits')) });
    await expect.poll(async () => (await t.client.approvals('docks')).items.length).toBe(1);
    // Node reads the time zone from its environment: the first command is a separate process, the others run in this
    // one.
    vi.stubEnv('TZ', ZONE);
    onTestFinished(() => void vi.unstubAllEnvs());
    const run = async (...words: string[]) => await t.runHere(words);
    const [approvals, shown, chats, grants, audit, found, json] = await Promise.all([
      t.run(['approvals', 'list', '-w', 'docks'], { env: { TZ: ZONE } }),
      run('approvals', 'show', (await t.client.approvals('docks')).items[0]?.approvalId ?? ''),
      run('chats', 'list', '-w', 'docks'),
      run('grants', 'list', '-w', 'docks'),
      run('audit', 'list', '-w', 'docks', '--last', '1'),
      run('search', '-w', 'docks', 'granted'),
      run('approvals', 'list', '-w', 'docks', '--json'),
    ]);
    const [approval] = (await t.client.approvals('docks')).items;
    const [grant] = (await t.client.grants('docks')).items;
    const [message] = (await t.client.messages('docks', chat)).items;
    const last = (await t.client.audit('docks')).items.at(-1);
    const { createdAt } = await t.client.chat('docks', chat);
    expect(approvals.stdout).toContain(local(approval?.requestedAt ?? ''));
    expect(shown.stdout).toContain(`Expires at ${local(approval?.expiresAt ?? '').slice(11)}`);
    expect(chats.stdout).toContain(local(createdAt).slice(0, 16));
    expect(grants.stdout).toContain(local(grant?.lastUsedAt ?? '').slice(0, 16));
    expect(audit.stdout).toContain(local(last?.at ?? ''));
    expect(found.stdout).toContain(local(message?.createdAt ?? '').slice(0, 16));
    expect(json.stdout).toContain(`"requestedAt":"${approval?.requestedAt}"`);
  });
});
