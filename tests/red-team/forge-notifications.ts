import { changeChat } from '@countersign/core';
import { expect } from 'vitest';
import pg from 'pg';
import type { Site } from './site.js';

/**
 * Any role that may connect to the database can send notifications: forges those of our processes, and replays real
 * ones.
 */
export async function forgeNotifications({ databaseUrl, engine, worldId, chatId, victim, url }: Site): Promise<void> {
  if (databaseUrl === undefined) return;
  const stranger = new pg.Client({ connectionString: databaseUrl });
  await stranger.connect();
  try {
    const heard: string[] = [];
    stranger.on('notification', ({ payload = '' }) => heard.push(payload));
    await stranger.query(`listen "${CHANNEL}"`);
    // A process sends hints only if there are others.
    await engine.runtime.store.shared?.beat('run_witness', 0);
    const rename = async (): Promise<number> => {
      await changeChat(engine.runtime, worldId, chatId, { title: 'A chat' });
      return heard.length;
    };
    await expect.poll(rename).toBeGreaterThan(0);
    const genuine = [...heard];
    const data = {
      type: 'chunk',
      messageId: 'msg_forged',
      agentName: 'Ada',
      content: 'REA2CHED',
      attempt: 1,
      offset: 0,
    };
    const hints = [
      { kind: 'unstored', worldId, chatId, event: { event: 'sse', data } },
      { kind: 'abort', turnId: victim.turnId, reason: 'REA2CHED' },
      { kind: 'events', worldId, id: Number.MAX_SAFE_INTEGER },
      { kind: 'wake', turnId: victim.turnId },
      { kind: 'events' },
    ];
    const forged = ['', '{', 'AAAA', 'x'.repeat(7_900), ...hints.map((hint) => JSON.stringify({ from: 'x', hint }))];
    const sent = [...forged, ...genuine];
    for (const text of sent) await stranger.query('select pg_notify($1, $2)', [CHANNEL, text]);
    // Each connection receives them in order, so the server has received them too, or will before anything sent later.
    await expect.poll(() => heard.length).toBeGreaterThanOrEqual(genuine.length + sent.length);
    expect((await fetch(`${url}/api/health`)).status).toBe(200);
  } finally {
    await stranger.end();
  }
}

const CHANNEL = 'countersign countersign';
