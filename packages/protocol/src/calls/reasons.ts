import { z } from 'zod';
import { field, text } from '../input/field.js';
import { causeSchema } from './causes.js';

const rule = text('The rule.');
const tool = text('Name of the tool.');
/** The call changed after it was `shown` or `approved`, so it needs approval again (CALL7). */
const changedSince = field(
  z.enum(['shown', 'approved', 'signed']).exactOptional(),
  'Set if the call changed after it was shown or approved, or if a signature no longer counts (signed).',
);
/**
 * What changed. `folder`: the working folder is another one. `effect`: files in the folder changed, so that the call would do something else.
 * `content`: the file that it overwrites. `tool`: its definition.
 */
const changed = field(
  z.array(z.enum(['folder', 'sandbox', 'effect', 'content', 'tool', 'rules'])).exactOptional(),
  'What changed since the call was shown or approved.',
);
const again = { changedSince, changed };

/** Why a call needs approval. */
export const askReasonSchema = z.discriminatedUnion('code', [
  z.object({
    code: field(
      z.enum(['no-rule', 'outcome-unknown', 'leaves-sandbox', 'question', 'edited']),
      'Stable code for programs.',
    ),
    ...again,
  }),
  z.object({ code: field(z.enum(['untrusted-tool', 'tool-question']), 'Stable code for programs.'), tool, ...again }),
  z.object({
    code: field(
      z.enum(['ask-rule', 'star', 'star-without-sandbox', 'rule-without-sandbox', 'effect-unknown', 'effect-exceeds']),
      'Stable code for programs.',
    ),
    rule,
    ...again,
  }),
  z.object({
    code: field(z.enum(['unpredictable', 'not-coverable', 'every-call']), 'Stable code for programs.'),
    cause: field(causeSchema.clone(), 'Why no rule can allow the call in advance.'),
    ...again,
  }),
  z.object({
    code: z.literal('tool-changed'),
    tool,
    difference: text('How the current definition differs from the accepted one.'),
    ...again,
  }),
  z.object({ code: z.literal('policy-unreadable'), problem: text('What is wrong.'), ...again }),
]);
export type AskReason = z.infer<typeof askReasonSchema>;
/** What changed since a call was shown. */
export type WhatChanged = NonNullable<AskReason['changed']>[number];

/** Why the gate runs a call, asks a person or refuses. Codes are stable and may be compared; `describeReason` has the texts. */
export const reasonSchema = z.discriminatedUnion('code', [
  askReasonSchema,
  z.object({
    code: field(
      z.enum(['decision', 'grant', 'pattern', 'no-approval-needed', 'contained', 'unattended']),
      'Stable code for programs.',
    ),
  }),
  z.object({ code: field(z.enum(['allow-rule', 'deny-rule']), 'Stable code for programs.'), rule }),
  z.object({ code: z.literal('read-mode'), tool }),
  z.object({ code: z.literal('cannot-run'), problem: text('What is wrong.') }),
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
