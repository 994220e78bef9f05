import type { DeliveryRecord, StoreTransaction, WebhookRecord } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { DeliveryRow, WebhookRow, WebhookStatements } from '../queries/webhooks.js';
import type { TransactionState } from '../transaction-state.js';

type WebhookVerbs = Pick<
  StoreTransaction,
  | 'webhooks'
  | 'webhookCursor'
  | 'pendingDeliveries'
  | 'deliveries'
  | 'insertWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'moveWebhookCursor'
  | 'insertDelivery'
  | 'claimDelivery'
  | 'finishDelivery'
  | 'replayDeliveries'
>;

const KEEP_MS = 7 * 24 * 60 * 60 * 1000;

export function webhookVerbs(on: Connection, s: WebhookStatements, state: TransactionState): WebhookVerbs {
  const webhooks = on.all(s.webhooks, toWebhook);
  const insertWebhook = on.run(s.insertWebhook);
  const updateWebhook = on.run(s.updateWebhook);
  const deleteWebhook = on.run(s.deleteWebhook);
  const deleteDeliveries = on.run(s.deleteDeliveries);
  const webhookCursor = on.first(s.webhookCursor, ([upto]) => upto);
  const startWebhookCursors = on.run(s.startWebhookCursors);
  const startWebhookCursor = on.run(s.startWebhookCursor);
  const moveWebhookCursor = on.run(s.moveWebhookCursor);
  const pendingDeliveries = on.all(s.pendingDeliveries, toDelivery);
  const deliveries = on.all(s.deliveries, toDelivery);
  const insertDelivery = on.run(s.insertDelivery);
  const forgetDeliveries = on.run(s.forgetDeliveries);
  const claimDelivery = on.run(s.claimDelivery);
  const finishDelivery = on.run(s.finishDelivery);
  const replayDelivery = on.run(s.replayDelivery);
  const replayDead = on.run(s.replayDeadDeliveries);

  return {
    webhooks: async () => webhooks({}),
    webhookCursor: async (worldId) => (await webhookCursor({ worldId })) ?? 0,
    pendingDeliveries: async (webhookId, { limit }) => pendingDeliveries({ webhookId, limit }),
    deliveries: async (webhookId, { state: which = null, limit }) => deliveries({ webhookId, state: which, limit }),

    async insertWebhook({ definition, ...record }) {
      if ((await webhooks({})).length === 0) await startWebhookCursors({});
      await insertWebhook({ ...record, definition: JSON.stringify(definition) });
    },
    async updateWebhook({ id, definition, sealed, rev }) {
      return (await updateWebhook({ id, sealed, rev, definition: JSON.stringify(definition) })) === 1;
    },
    async deleteWebhook(id) {
      await deleteDeliveries({ id });
      return (await deleteWebhook({ id })) === 1;
    },
    async moveWebhookCursor(worldId, { from, upto }) {
      await startWebhookCursor({ worldId });
      return (await moveWebhookCursor({ worldId, from, upto })) === 1;
    },

    async insertDelivery(record) {
      await forgetDeliveries({ before: state.now - KEEP_MS });
      await insertDelivery(record);
    },
    claimDelivery: async ({ id, attempts }, until) => (await claimDelivery({ id, attempts, until })) === 1,
    async finishDelivery({ id, attempts, state: next, nextAt, problem, endedAt }) {
      await finishDelivery({ id, attempts, state: next, nextAt, problem, endedAt });
    },
    async replayDeliveries(webhookId, { id }) {
      const { now } = state;
      return id === undefined ? await replayDead({ webhookId, now }) : await replayDelivery({ webhookId, id, now });
    },
  };
}

function toWebhook([id, personId, definition, sealed, rev, createdAt]: WebhookRow): WebhookRecord {
  return { id, personId, definition: JSON.parse(definition) as WebhookRecord['definition'], sealed, rev, createdAt };
}

function toDelivery(row: DeliveryRow): DeliveryRecord {
  const [id, webhookId, worldId, eventId, type, subject, state, attempts, nextAt, problem, createdAt, endedAt] = row;
  return {
    ...{ id, webhookId, worldId, eventId, subject, attempts, nextAt, problem, createdAt, endedAt },
    type: type as DeliveryRecord['type'],
    state: state as DeliveryRecord['state'],
  };
}
