import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { policySchema } from '../worlds/worlds.js';

/** Which rules to try on the calls of the past (HTTP10.5). */
export const policyReplaySchema = z.strictObject({
  rules: field(
    policySchema.shape.rules.exactOptional(),
    "The rules to try, one per item. Default: the world's own. Nothing is stored.",
  ),
  since: field(
    z.iso.datetime({ offset: true }).exactOptional(),
    'Only calls since this time, in ISO 8601. Default: 30 days ago.',
  ),
  session: field(
    z.string().min(8).max(64).exactOptional(),
    'Any id of an editing session. Its replays are recorded once an hour, and a new one cancels the one before.',
  ),
});
export type PolicyReplay = z.infer<typeof policyReplaySchema>;

const outcome = z.enum(['run', 'ask', 'refuse']);

const replayedCallSchema = z.object({
  toolCallId: text('Id of the call.'),
  seq: field(z.number().int(), 'Number of its audit record.'),
  at: text('When it was judged.'),
  agentId: text('Id of the agent.'),
  chatId: text('Id of the chat.'),
  toolName: text('Name of the tool.'),
  arguments: field(z.unknown(), 'Arguments of the call. Secrets are masked.'),
  was: field(outcome.clone(), 'What the gate decided: run, ask or refuse.'),
  would: field(outcome.clone(), 'What it would have decided: run, ask or refuse.'),
  decidedBy: field(z.enum(['person', 'rule']), 'Who denied or approved it: person or rule.'),
  rule: text('The rule that would have decided.').exactOptional(),
});
export type ReplayedCall = z.infer<typeof replayedCallSchema>;

export const replayedSchema = z.object({
  calls: field(z.number().int(), 'How many calls were judged again. Each counts once, as it was first judged.'),
  asked: field(
    z.object({
      // oxlint-disable-next-line unicorn/no-thenable -- a number in JSON, which nothing awaits
      then: field(z.number().int(), 'Calls that needed approval.'),
      now: field(z.number().int(), 'Calls that would have needed approval.'),
    }),
    'Questions then and now.',
  ),
  wouldRunAlthoughDenied: field(
    z.array(replayedCallSchema),
    'Calls that would have run without approval, although a person or rule denied them.',
  ),
  wouldBeDeniedAlthoughApproved: field(
    z.array(replayedCallSchema),
    'Calls that would have been denied, although a person or rule approved them.',
  ),
  notJudged: field(
    z.array(
      z.object({
        code: field(
          z.enum(['no-evidence', 'other-key', 'agent-removed', 'not-rehearsed']),
          'Why: a stable code for programs.',
        ),
        calls: field(z.number().int(), 'How many calls.'),
      }),
    ),
    "Calls that can't be judged again. `no-evidence`: rules didn't decide about them, or what the gate saw was too large to keep or wasn't kept by that version. `not-rehearsed`: a rule about effects applies, and the effect of the call is unknown.",
  ),
  otherRules: field(
    z.number().int(),
    "Calls among `calls` that were judged when their agent or the administrator had other rules. Today's rules of both are used for them.",
  ),
  differs: field(z.number().int(), 'Calls that the same rules would judge differently. Always 0, or report a bug.'),
  more: field(z.boolean(), 'Whether there were more calls than one replay judges or lists.'),
});
api.add(replayedSchema, { id: 'PolicyReplay' });
/** While a replay runs, on request (HTTP10.6). */
export const replayProgressSchema = z.object({ calls: field(z.number().int(), 'How many calls were judged so far.') });
export type Replayed = z.infer<typeof replayedSchema>;

const suggestedCallSchema = z.object({
  toolCallId: text('Id of the call.'),
  agentId: text('Id of the agent.'),
  arguments: field(z.unknown(), 'Arguments of the call. Secrets are masked.'),
});
export type SuggestedCall = z.infer<typeof suggestedCallSchema>;

const ruleSuggestionSchema = z.object({
  rule: text('The allow rule.'),
  saves: field(z.number().int(), 'How many questions of the last 30 days it would have saved.'),
  savesLater: field(
    z.number().int(),
    'How many of them are in the last 30 % of the calls, from which it was not made.',
  ),
  covers: field(z.array(suggestedCallSchema), 'Calls that it would have allowed, at most 20.'),
  covered: field(z.number().int(), 'How many calls it would have allowed.'),
  nearest: field(
    z.array(suggestedCallSchema),
    'Questions about the same tool that it would not have saved, at most 3.',
  ),
});
export type RuleSuggestion = z.infer<typeof ruleSuggestionSchema>;

/** Rules that would have saved questions (RULE13). */
export const suggestionsSchema = z.object({
  items: field(z.array(ruleSuggestionSchema), 'At most five, the most useful first.'),
  saved: field(z.number().int(), 'How many questions they would have saved together.'),
});
export type Suggestions = z.infer<typeof suggestionsSchema>;
api.add(suggestionsSchema, { id: 'RuleSuggestions' });
