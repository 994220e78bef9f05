import { z } from 'zod';
import { api, field, text } from '../input/field.js';

const LONGEST = 4_000;

/** What a program outside read in its own transcript. Together at most 16 KiB of a request, as the hook sends it. */
export const newCallContextSchema = z.strictObject({
  prompt: field(
    z.string().min(1).max(LONGEST).exactOptional(),
    `What its user last asked for, as the program says. At most ${LONGEST} characters.`,
  ),
  said: field(
    z.string().min(1).max(LONGEST).exactOptional(),
    `What the agent last said, as the program says. At most ${LONGEST} characters.`,
  ),
  subagent: field(
    z.string().min(1).max(200).exactOptional(),
    'The sub-agent that makes the call, as the program says.',
  ),
});
export type CallContext = z.infer<typeof newCallContextSchema>;

/** The same, masked, on an approval. Nothing is decided by it, and no signature covers it. */
export const callContextSchema = z.object({
  prompt: text('What the user of the program last asked for. Secrets are masked.').exactOptional(),
  said: text('What the agent last said. Secrets are masked.').exactOptional(),
  subagent: text('The sub-agent that makes the call.').exactOptional(),
});
api.add(callContextSchema, {
  description:
    'What the program outside that proposed the call says about its session. Nobody checks it, nothing is decided by it, and no signature covers it.',
});
