import { z } from 'zod';
import { newCallContextSchema } from '../calls/call-context.js';
import { field, text } from '../input/field.js';
import { oneLine } from '../people/people.js';
import { externalClaimSchema } from './external.js';

/** For the agent of a gated session, which reads it as it is: nobody can hide text in it from the others (EXT1.24). */
export const newSentenceSchema = z.strictObject({
  text: field(oneLine(1_000), 'What the agent is told, on one line of visible characters.'),
});

/** What a hook sends when it runs. */
export const sessionContextSchema = externalClaimSchema.extend({
  agent: field(
    z.string().min(1).max(200).exactOptional(),
    'Id of the agent. Default: the one that the token belongs to.',
  ),
  delivery: field(
    z.string().min(1).max(200).exactOptional(),
    'An id that this run of the hook chose. Sent again with it, the request returns the same sentence. Without it, none is returned.',
  ),
  context: field(
    newCallContextSchema.exactOptional(),
    'What the program says about the session now. People see it in the chat as a claim, and nothing is decided by it.',
  ),
});

const sentenceSchema = z.object({
  from: text('Name of the person who wrote it.'),
  text: text('What the agent is told.'),
});
export type SentenceForSession = z.infer<typeof sentenceSchema>;

export const sessionAnswerSchema = z.object({
  sentence: field(sentenceSchema.exactOptional(), 'What a person told the agent. Returned to one delivery only.'),
});
