import { z } from 'zod';
import { api, chatId, createdAt, field, text } from '../input/field.js';
import { principalSchema } from '../people/delegations.js';

const LONGEST = 20_000;
const cronSchema = z
  .string()
  .max(200)
  .regex(
    /^[\dA-Za-z*,/#-]+( [\dA-Za-z*,/#-]+){4}$/,
    'must have five fields: minute, hour, day of the month, month, day of the week, such as "0 8 * * 1-5"',
  );
export const zoneSchema = z
  .string()
  .max(100)
  .regex(/^[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*$/, 'must be a time zone, such as Europe/Berlin or UTC');
const contentSchema = z
  .string()
  .max(LONGEST, `the message of a schedule can have at most ${LONGEST} characters`)
  .refine((content) => content.trim() !== '', 'a message must not be empty');
const atSchema = z.iso.datetime({ offset: true });

/** A message that is sent later, once (`at`) or repeatedly (`cron`), for the person who makes the schedule (SCHED1). */
export const newScheduleSchema = z.strictObject({
  chatId: field(z.string().min(1).max(200), 'Id of the chat to which the message is sent.'),
  content: field(contentSchema, 'Text of the message.'),
  cron: field(
    cronSchema.exactOptional(),
    'When the message is sent: minute, hour, day of the month, month and day of the week. Send either this or `at`.',
  ),
  at: field(atSchema.exactOptional(), 'When the message is sent, once, at most a year from now.'),
  timeZone: field(zoneSchema.default('UTC'), 'Time zone of `cron`, such as Europe/Berlin.'),
});
export type NewSchedule = z.input<typeof newScheduleSchema>;

export const scheduleChangeSchema = z.strictObject({
  content: field(contentSchema.clone().exactOptional(), 'Text of the message.'),
  cron: field(cronSchema.clone().exactOptional(), 'When the message is sent. Replaces `at`.'),
  at: field(atSchema.clone().exactOptional(), 'When the message is sent, once. Replaces `cron`.'),
  timeZone: field(zoneSchema.clone().exactOptional(), 'Time zone of `cron`.'),
  paused: field(z.boolean().exactOptional(), 'Pauses or resumes the schedule.'),
});
export type ScheduleChange = z.infer<typeof scheduleChangeSchema>;

export const scheduleSchema = z.object({
  id: text('Id of the schedule.'),
  chatId,
  by: field(principalSchema.clone(), 'The person who made it, and for whom it sends.'),
  content: text('Text of the message. Secrets are masked.'),
  cron: text('When the message is sent.').exactOptional(),
  at: text('When the message is sent, once.').exactOptional(),
  timeZone: text('Time zone of `cron`.'),
  state: field(
    z.enum(['active', 'paused', 'stopped']),
    'active, paused, or stopped because its person may no longer send messages there.',
  ),
  dueAt: text('When the message is sent next.').exactOptional(),
  lastAt: text('When it was last sent.').exactOptional(),
  lastMessageId: text('Id of the message that was sent last.').exactOptional(),
  skippedAt: text(
    'When it was last due, but not sent, because the message before was not answered yet.',
  ).exactOptional(),
  createdAt,
});
api.add(scheduleSchema, { id: 'Schedule' });
export type Schedule = z.infer<typeof scheduleSchema>;
