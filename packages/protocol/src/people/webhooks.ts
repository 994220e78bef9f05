import { z } from 'zod';
import { api, createdAt, field, text } from '../input/field.js';

export const webhookEventSchema = z.enum([
  'approval.requested',
  'approval.overdue',
  'approval.decided',
  'approval.expired',
  'call.failed',
  'chat.idle',
]);
/** What a webhook can be told about (HOOK1.3). */
export type WebhookEvent = z.infer<typeof webhookEventSchema>;

export const webhookFormatSchema = z.enum(['standard', 'slack', 'discord', 'telegram', 'ntfy']);
export type WebhookFormat = z.infer<typeof webhookFormatSchema>;

export const deliveryStateSchema = z.enum(['pending', 'sent', 'dropped', 'dead']);
export type DeliveryState = z.infer<typeof deliveryStateSchema>;

const url = z.string().min(1).max(2000);
const events = z.array(webhookEventSchema).min(1, 'name at least one event').max(20);
const worlds = z.array(z.string().min(1).max(200)).min(1, 'name at least one world').max(100);
const minutes = z.number().int().min(1).max(10_080);

export const newWebhookSchema = z.strictObject({
  url: field(url.clone(), "Where to send: HTTPS, unless the administrator's file names the host. Never returned."),
  events: field(events.clone(), 'What to tell it about.'),
  format: field(
    webhookFormatSchema.exactOptional(),
    'Which service the URL belongs to, and so the form of the body. Default: standard.',
  ),
  worlds: field(worlds.exactOptional(), 'Ids of worlds. Default: all.'),
  overdueMinutes: field(
    minutes.exactOptional(),
    'For `approval.overdue`: after how many minutes without a decision. Default: 30.',
  ),
});
export type NewWebhook = z.infer<typeof newWebhookSchema>;

export const webhookChangeSchema = z.strictObject({
  url: field(url.exactOptional(), 'Another URL.'),
  events: field(events.exactOptional(), 'What to tell it about.'),
  worlds: field(worlds.nullable().exactOptional(), 'Ids of worlds, or null for all.'),
  overdueMinutes: field(minutes.exactOptional(), 'After how many minutes without a decision a call is overdue.'),
  active: field(z.boolean().exactOptional(), 'Whether anything is sent. What happens meanwhile is never sent.'),
  rotateSecret: field(
    z.literal(true).exactOptional(),
    'Create another secret. For 24 hours, messages are signed with the old one, too.',
  ),
});
export type WebhookChange = z.infer<typeof webhookChangeSchema>;

export const webhookSchema = z.object({
  id: text('Id of the webhook.'),
  format: field(webhookFormatSchema.clone(), 'The form of the body.'),
  origin: text('Scheme, host and port of its URL. The rest may contain a token and is never returned.'),
  events: field(z.array(webhookEventSchema), 'What it is told about.'),
  worlds: field(z.array(z.string()).exactOptional(), 'Ids of worlds. Absent: all.'),
  overdueMinutes: field(z.number().exactOptional(), 'After how many minutes without a decision a call is overdue.'),
  active: field(z.boolean(), 'Whether anything is sent.'),
  owner: field(z.string().exactOptional(), 'Id of the person whose rights it has. Absent: an owner’s.'),
  createdAt,
});
api.add(webhookSchema, { id: 'Webhook' });
export type Webhook = z.infer<typeof webhookSchema>;

export const savedWebhookSchema = webhookSchema.extend({
  secret: field(z.string().exactOptional(), 'For checking signatures. Returned only when it is created.'),
});
api.add(savedWebhookSchema, { id: 'SavedWebhook' });
export type SavedWebhook = z.infer<typeof savedWebhookSchema>;

export const webhookDeliverySchema = z.object({
  id: text('Id of the message, the same in each attempt (`webhook-id`).'),
  event: field(webhookEventSchema.clone(), 'What happened.'),
  world: text('Id of the world.'),
  subject: text('Id of the approval, call or chat.'),
  state: field(deliveryStateSchema, 'Waits, was sent, was dropped because nothing was left to say, or was given up.'),
  attempts: field(z.number(), 'How often it was tried.'),
  problem: field(z.string().exactOptional(), 'Why the last attempt failed.'),
  createdAt,
  nextAt: field(z.string().exactOptional(), 'When it is tried next.'),
  endedAt: field(z.string().exactOptional(), 'When it was sent, dropped or given up.'),
});
api.add(webhookDeliverySchema, { id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof webhookDeliverySchema>;

export const webhookReplaySchema = z.strictObject({
  delivery: field(
    z.string().min(1).max(100).exactOptional(),
    'Id of a delivery that has ended. Default: all dead ones.',
  ),
});
export const webhookReplayedSchema = z.object({ replayed: field(z.number(), 'How many are sent again.') });
