import { z } from 'zod';
import { causeSchema } from './causes.js';

const rule = z.string();
const tool = z.string();
/** The call changed after it was `shown` or `approved`, so it needs approval again (A7). */
const changedSince = z.enum(['shown', 'approved', 'signed']).exactOptional();
/**
 * What changed. `folder`: the working folder is another one. `effect`: files in the folder changed, so that the call would do something else.
 * `content`: the file that it overwrites. `tool`: its definition.
 */
const changed = z.array(z.enum(['folder', 'sandbox', 'effect', 'content', 'tool', 'rules'])).exactOptional();
const again = { changedSince, changed };

/** Why a call needs approval. */
export const askReasonSchema = z.discriminatedUnion('code', [
  z.object({ code: z.enum(['no-rule', 'outcome-unknown', 'leaves-sandbox', 'question', 'edited']), ...again }),
  z.object({ code: z.enum(['untrusted-tool', 'tool-question']), tool, ...again }),
  z.object({
    code: z.enum([
      'ask-rule',
      'star',
      'star-without-sandbox',
      'rule-without-sandbox',
      'effect-unknown',
      'effect-exceeds',
    ]),
    rule,
    ...again,
  }),
  z.object({ code: z.enum(['unpredictable', 'not-coverable', 'every-call']), cause: causeSchema, ...again }),
  z.object({ code: z.literal('tool-changed'), tool, difference: z.string(), ...again }),
  z.object({ code: z.literal('policy-unreadable'), problem: z.string(), ...again }),
]);
export type AskReason = z.infer<typeof askReasonSchema>;
/** What changed since a call was shown. */
export type WhatChanged = NonNullable<AskReason['changed']>[number];

/** Why the gate runs a call, asks a person or refuses. Codes are stable and may be compared; `describeReason` has the texts. */
export const reasonSchema = z.discriminatedUnion('code', [
  askReasonSchema,
  z.object({ code: z.enum(['decision', 'grant', 'pattern', 'no-approval-needed', 'contained', 'unattended']) }),
  z.object({ code: z.enum(['allow-rule', 'deny-rule']), rule }),
  z.object({ code: z.literal('read-mode'), tool }),
  z.object({ code: z.literal('cannot-run'), problem: z.string() }),
]);
export type Reason = z.infer<typeof reasonSchema>;

/** Applies a function, such as masking, to all texts in a reason. Codes stay unchanged. */
export function mapReason<R extends Reason>(reason: R, change: (text: string) => string): R {
  return mapTexts(reason, change) as R;
}

const CODES: ReadonlySet<string> = new Set(['code', 'changedSince', 'changed']);

function mapTexts(value: object, change: (text: string) => string): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => {
      if (CODES.has(key)) return [key, inner];
      if (typeof inner === 'string') return [key, change(inner)];
      return [key, typeof inner === 'object' && inner !== null ? mapTexts(inner, change) : inner];
    }),
  );
}
