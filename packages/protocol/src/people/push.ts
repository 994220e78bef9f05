import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { zoneSchema } from '../worlds/schedules.js';

const timeSchema = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time, such as 22:00');
/** A time of each day in which a device is told of nothing new. */
const quietHoursSchema = z.strictObject({
  from: field(timeSchema, 'When they start, such as 22:00.'),
  until: field(timeSchema.clone(), 'When they end, such as 07:00.'),
  timeZone: field(zoneSchema.clone(), 'Time zone of both, such as Europe/Berlin.'),
});
export type QuietHours = z.infer<typeof quietHoursSchema>;

export const pushChangeSchema = z.strictObject({
  quietHours: field(quietHoursSchema.nullable(), 'What comes in these hours is told once when they end. Null: none.'),
});

/** What a browser's `PushSubscription` contains. The endpoint is a secret: anyone who has it can send to the device. */
export const newPushSchema = z.strictObject({
  endpoint: field(z.string().max(2000), 'URL at the push service of the browser. Must be HTTPS.'),
  keys: field(
    z.strictObject({
      p256dh: field(
        z.string().regex(/^[\w-]{87}=?$/, 'must be a P-256 public key in base64url'),
        'Public key of the device.',
      ),
      auth: field(
        z.string().regex(/^[\w-]{22}={0,2}$/, 'must be 16 bytes in base64url'),
        'Authentication secret of the device.',
      ),
    }),
    'Keys of the device, for which messages are encrypted.',
  ),
});
export type NewPush = z.infer<typeof newPushSchema>;

export const pushSubscriptionSchema = z.object({
  id: text('Id of the subscription.'),
  device: text('The browser and system, such as "Chrome on Android".'),
  service: text('Host of its push service. The whole URL is never returned.'),
  current: field(z.boolean(), 'Whether the session or token of this request created it.'),
  createdAt: text('When it was created.'),
  usedAt: field(z.string().exactOptional(), 'When the last message was sent.'),
  quietHours: field(quietHoursSchema.clone().exactOptional(), 'When the device is told of nothing new.'),
});
api.add(pushSubscriptionSchema, { id: 'PushSubscription' });
export type PushDevice = z.infer<typeof pushSubscriptionSchema>;

export const pushListSchema = z.object({
  items: field(z.array(pushSubscriptionSchema), 'Your devices, oldest first.'),
  publicKey: text("The server's public key, which a browser needs to subscribe (VAPID)."),
});
export type PushList = z.infer<typeof pushListSchema>;

/** From a notification. It can only deny the one call that the notification was about. */
export const newDenialSchema = z.strictObject({
  code: field(z.string().min(1).max(1000), 'The code in the message.'),
});
