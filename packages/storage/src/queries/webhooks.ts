import { webhookDeliveries, webhooks, type Cells, type RowOf } from '../schema.js';
import { insertInto, prepared } from './prepared.js';

export type WebhookRow = Cells<typeof webhooks>;
export type DeliveryRow = Cells<typeof webhookDeliveries>;

export type WebhookStatements = typeof webhookStatements;

type Changed = Omit<RowOf<typeof webhooks>, 'createdAt' | 'personId'>;
type Attempt = { id: string; attempts: number };
type Finished = Attempt & { state: string; nextAt: number; problem: string | null; endedAt: number | null };

const deliveries = `select ${webhookDeliveries.names.join(', ')} from webhook_deliveries`;
const again = "update webhook_deliveries set state = 'pending', attempts = 0, next_at = :now, ended_at = null";

export const webhookStatements = {
  webhooks: prepared<object, WebhookRow>(`select ${webhooks.names.join(', ')} from webhooks order by ordinal`),
  insertWebhook: insertInto(webhooks),
  updateWebhook: prepared<Changed>(
    'update webhooks set definition = :definition, sealed = :sealed, rev = rev + 1 where id = :id and rev = :rev',
  ),
  deleteWebhook: prepared<{ id: string }>('delete from webhooks where id = :id'),
  deleteDeliveries: prepared<{ id: string }>('delete from webhook_deliveries where webhook_id = :id'),

  webhookCursor: prepared<{ worldId: string }, [upto: number]>(
    'select upto from webhook_cursors where world_id = :worldId',
  ),
  startWebhookCursors: prepared<object>(
    'insert into webhook_cursors (world_id, upto) select id, event_seq from worlds where deleted_at is null on conflict (world_id) do update set upto = excluded.upto',
  ),
  startWebhookCursor: prepared<{ worldId: string }>(
    'insert into webhook_cursors (world_id, upto) values (:worldId, 0) on conflict (world_id) do nothing',
  ),
  moveWebhookCursor: prepared<{ worldId: string; from: number; upto: number }>(
    'update webhook_cursors set upto = :upto where world_id = :worldId and upto = :from',
  ),

  pendingDeliveries: prepared<{ webhookId: string; limit: number }, DeliveryRow>(
    `${deliveries} where webhook_id = :webhookId and state = 'pending' order by next_at limit :limit + 0`,
  ),
  deliveries: prepared<{ webhookId: string; state: string | null; limit: number }, DeliveryRow>(
    `${deliveries} where webhook_id = :webhookId and state = coalesce(:state, state) order by ordinal desc limit :limit + 0`,
  ),
  insertDelivery: insertInto(webhookDeliveries, ' on conflict (id) do nothing'),
  forgetDeliveries: prepared<{ before: number }>(
    'delete from webhook_deliveries where ended_at is not null and ended_at <= :before',
  ),
  claimDelivery: prepared<Attempt & { until: number }>(
    `update webhook_deliveries set attempts = attempts + 1, next_at = :until, problem = null where id = :id and attempts = :attempts and state = 'pending'`,
  ),
  finishDelivery: prepared<Finished>(
    `update webhook_deliveries set state = :state, next_at = :nextAt, problem = :problem, ended_at = :endedAt where id = :id and attempts = :attempts and state = 'pending'`,
  ),
  replayDelivery: prepared<{ webhookId: string; id: string; now: number }>(
    `${again} where id = :id and webhook_id = :webhookId and state <> 'pending'`,
  ),
  replayDeadDeliveries: prepared<{ webhookId: string; now: number }>(
    `${again} where webhook_id = :webhookId and state = 'dead'`,
  ),
};
