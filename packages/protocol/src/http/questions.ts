import { z } from 'zod';
import { api, field, text } from '../input/field.js';
import { whoSchema } from '../people/who.js';

const count = (about: string): z.ZodNumber => field(z.number().int(), about);

const ruleUseSchema = z.object({
  rule: text('The rule.'),
  added: field(
    z.object({ who: whoSchema.clone(), at: text('When.') }).exactOptional(),
    'Who added it, and when. Absent if the audit log does not say.',
  ),
  used: count('How many calls it has decided: let run, stopped for approval, or denied.'),
  lastAt: text('When it last did.').exactOptional(),
});
export type RuleUse = z.infer<typeof ruleUseSchema>;

/** Where the rules of a world come from, and what they have done (RULE14). */
export const ruleUsesSchema = z.object({ items: field(z.array(ruleUseSchema), 'The rules, in their order.') });
export type RuleUses = z.infer<typeof ruleUsesSchema>;
api.add(ruleUsesSchema, { id: 'RuleUses' });

export const questionQuerySchema = z.strictObject({
  person: text('Only what this person decided. Default: everyone, for an admin; others see their own.').exactOptional(),
});

const times = (about: string) =>
  field(
    z.object({ count: count('How many.'), median: count('In milliseconds.'), p95: count('In milliseconds.') }),
    about,
  );

const figures = {
  calls: count('Calls that were judged.'),
  questions: count('Calls that needed approval. With a person: those that the person decided.'),
  approved: count('Questions that a person approved.'),
  denied: count('Questions that a person denied.'),
  hasty: count('Approvals within two seconds of the appearance of the card.'),
  waiting: times('How long questions waited for a decision.'),
  onCard: times('How long the card was on the screen before the decision, where the client says so.'),
};
const groupSchema = z.object({
  name: text('Name of the tool, id of the agent, or the rule. Empty: no rule.'),
  ...figures,
});
export type QuestionFigures = Omit<z.infer<typeof groupSchema>, 'name'>;

/** Whether the questions are worth asking (HTTP12.3). */
export const questionStatsSchema = z.object({
  since: text('Start of the 30 days.'),
  ...figures,
  perDay: field(z.number(), 'Questions per day with calls.'),
  perHundred: field(z.number(), 'Questions per hundred calls. With a person: of those of all people.'),
  saveable: count(
    'Questions that the rules of `policy/suggestions` would have saved. Only for an admin.',
  ).exactOptional(),
  tools: field(z.array(groupSchema), 'By tool, those with the most questions first, at most 50.'),
  agents: field(z.array(groupSchema), 'By agent.'),
  rules: field(z.array(groupSchema), 'By the rule that asked.'),
  more: field(z.boolean(), 'Whether there were more calls than are counted.'),
});
export type QuestionStats = z.infer<typeof questionStatsSchema>;
api.add(questionStatsSchema, { id: 'QuestionStats' });
