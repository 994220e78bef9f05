import { describe, expect, it } from 'vitest';
import type { DeliveryRecord, WebhookRecord } from '../../ports/index.js';
import { HOSTILE, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

function webhook(id: string, more: Partial<WebhookRecord> = {}): WebhookRecord {
  const definition = { origin: `https://${HOSTILE}`, events: ['call.failed' as const], active: true };
  return { id, personId: null, definition, sealed: HOSTILE, rev: 1, createdAt: 7, ...more };
}

function delivery(id: string, more: Partial<DeliveryRecord> = {}): DeliveryRecord {
  const about = { webhookId: 'hook', worldId: 'w', eventId: 3, type: 'call.failed', subject: HOSTILE } as const;
  return {
    id,
    ...about,
    state: 'pending',
    attempts: 0,
    nextAt: 5,
    problem: null,
    createdAt: 5,
    endedAt: null,
    ...more,
  };
}

/** Webhooks and their deliveries, which belong to no world. */
export function describeWebhooks(open: OpenStore): void {
  const { store } = freshStore(open);
  const pending = async () =>
    (await store().read((r) => r.pendingDeliveries('hook', { limit: 10 }))).map(({ id }) => id);

  describe('webhooks', () => {
    it('[HOOK1] round-trip, and no concurrent change is lost', async () => {
      await write(store(), (tx) => tx.insertWebhook(webhook('hook')));
      await write(store(), (tx) => tx.insertWebhook(webhook('other', { personId: 'olga' })));
      const paused = webhook('hook', { sealed: 'new' });
      expect(await write(store(), (tx) => tx.updateWebhook(paused))).toBe(true);
      expect(await write(store(), (tx) => tx.updateWebhook(webhook('hook')))).toBe(false);
      expect(await store().read((r) => r.webhooks())).toStrictEqual([
        { ...paused, rev: 2 },
        webhook('other', { personId: 'olga' }),
      ]);
      await write(store(), (tx) => tx.insertDelivery(delivery('one')));
      expect(await write(store(), (tx) => tx.deleteWebhook('hook'))).toBe(true);
      expect(await write(store(), (tx) => tx.deleteWebhook('hook'))).toBe(false);
      expect(await pending()).toEqual([]);
    });

    it('[HOOK3] the cursor starts at the last event, and only one of two processes moves it', async () => {
      const [world] = await store().read((r) => r.worlds());
      const id = world?.id ?? '';
      const last = await store().read((r) => r.lastEventId(id));
      await write(store(), (tx) => tx.insertWebhook(webhook('hook')));
      expect(await store().read((r) => r.webhookCursor(id))).toBe(last);
      expect(await store().read((r) => r.webhookCursor('new'))).toBe(0);
      const move = (from: number, upto: number) => write(store(), (tx) => tx.moveWebhookCursor('new', { from, upto }));
      expect([await move(0, 4), await move(0, 5), await move(4, 6)]).toEqual([true, false, true]);
      expect(await store().read((r) => r.webhookCursor('new'))).toBe(6);
    });

    it('[HOOK3.2] an attempt begins once, and a late process ends only its own', async () => {
      await write(store(), (tx) => tx.insertDelivery(delivery('one')));
      await write(store(), (tx) => tx.insertDelivery(delivery('one', { subject: 'again' })));
      await write(store(), (tx) => tx.insertDelivery(delivery('two', { nextAt: 4 })));
      expect(await pending()).toEqual(['two', 'one']);
      const claims = [1, 2].map(() => write(store(), (tx) => tx.claimDelivery({ id: 'one', attempts: 0 }, 60)));
      expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
      expect(await write(store(), (tx) => tx.claimDelivery({ id: 'one', attempts: 1 }, 120))).toBe(true);
      const late = { id: 'one', attempts: 1, state: 'sent', nextAt: 9, problem: null, endedAt: 9 } as const;
      await write(store(), (tx) => tx.finishDelivery(late));
      expect(await pending()).toEqual(['two', 'one']);
      await write(store(), (tx) => tx.finishDelivery({ ...late, attempts: 2, state: 'dead', problem: HOSTILE }));
      const dead = delivery('one', { attempts: 2, state: 'dead', nextAt: 9, endedAt: 9, problem: HOSTILE });
      expect(await store().read((r) => r.deliveries('hook', { limit: 9 }))).toStrictEqual([
        delivery('two', { nextAt: 4 }),
        dead,
      ]);
      expect(await store().read((r) => r.deliveries('hook', { limit: 9, state: 'dead' }))).toStrictEqual([dead]);
    });

    it('[HOOK3.4] what has ended is sent again on request, and forgotten after a week', async () => {
      const now = await store().read(async (r) => r.now());
      const ended = (id: string, state: 'dead' | 'sent', endedAt: number) =>
        write(store(), (tx) => tx.insertDelivery(delivery(id, { state, endedAt, attempts: 10 })));
      await ended('dead', 'dead', now);
      await ended('sent', 'sent', now);
      await ended('old', 'sent', now - 8 * 24 * 60 * 60 * 1000);
      await ended('new', 'sent', now);
      const replay = (which: { id?: string }) => write(store(), (tx) => tx.replayDeliveries('hook', which));
      expect([await replay({}), await replay({}), await replay({ id: 'sent' }), await replay({ id: 'old' })]).toEqual([
        1, 0, 1, 0,
      ]);
      const [first] = await store().read((r) => r.pendingDeliveries('hook', { limit: 1 }));
      expect(first).toMatchObject({ id: 'dead', attempts: 0, endedAt: null });
      expect(await write(store(), (tx) => tx.replayDeliveries('another', { id: 'sent' }))).toBe(0);
    });
  });
}
