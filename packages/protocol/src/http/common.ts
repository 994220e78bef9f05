import { z } from 'zod';
import { api, field, text } from '../input/field.js';

/** An error response (HTTP1, RFC 9457). */
export const problemSchema = z.object({
  type: text('URI of the problem type. about:blank means that only the status code applies.'),
  title: text('Name of the HTTP status.'),
  status: field(z.number().int(), 'HTTP status code.'),
  detail: text('What happened and what to do next.'),
  field: text('The path of the invalid input field.').exactOptional(),
  errors: field(
    z
      .array(z.object({ field: text('The path of the field.'), detail: text('What is wrong with it.') }))
      .exactOptional(),
    'All errors, if there are several, such as rules that cannot be parsed.',
  ),
  state: text("The state of a call that couldn't be decided.").exactOptional(),
});
api.add(problemSchema, { id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

/** The format of every list (HTTP13). `next` is the cursor for `after` (or `before`, when reading backwards); absent at the end. */
export function listOf<T extends z.ZodType>(
  items: T,
): z.ZodObject<{ items: z.ZodArray<T>; next: z.ZodExactOptional<z.ZodString> }> {
  return z.object({
    items: field(z.array(items), 'Items on this page.'),
    next: text(
      'Send it as `after` (or `before`, reading backwards) to get the next page. Absent on the last page.',
    ).exactOptional(),
  });
}

export const healthSchema = z.object({
  status: field(z.literal('ok'), 'Current status.'),
  version: text('Version of the server.'),
});
export type Health = z.infer<typeof healthSchema>;

/** A single-use start link that signs in one browser. It expires after a minute (WHO1). */
export const startLinkSchema = z.object({
  ticket: text('Ticket of a start link. Single use, valid for one minute.'),
  open: text('Start link for a browser.'),
  expiresAt: text('When it expires.'),
});
export type StartLink = z.infer<typeof startLinkSchema>;
