import { CountersignError, parseInput, refuseUnknownKeys } from '@countersign/protocol';
import { z } from 'zod';
import { ProviderError } from '../ports/index.js';

const callSchema = z.strictObject({
  // A model may send an empty name, and a script must be able to do the same.
  name: z.string(),
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())], 'must be an object or text').exactOptional(),
  id: z.string().exactOptional(),
});
const tokens = z.number().min(0);
const replySchema = z.strictObject({
  say: z.string().exactOptional(),
  thinking: z.string().exactOptional(),
  calls: z.array(callSchema).exactOptional(),
  usage: z.looseObject({ inputTokens: tokens, outputTokens: tokens }).exactOptional(),
  providerState: z.unknown().optional(),
});

/** Rejects a script that could only fail in the middle of a turn. The replies of a function are not known yet. */
export function checkScript(script: unknown): void {
  if (typeof script === 'function') return;
  if (!Array.isArray(script)) {
    throw new CountersignError('invalid', 'scripted: must be a list of replies, or a function that returns one', {
      field: 'script',
    });
  }
  for (const [at, reply] of script.entries()) checkReply(reply, `scripted: reply ${at + 1}`);
}

function checkReply(reply: unknown, what: string): void {
  if (typeof reply === 'string') return;
  if (typeof reply === 'object' && reply !== null && 'fail' in reply) {
    refuseUnknownKeys(reply, { fail: true }, what);
    if (reply.fail instanceof ProviderError) return;
    throw new CountersignError('invalid', `${what}: fail: must be a ProviderError`, { field: 'fail' });
  }
  parseInput(replySchema, reply, what);
}
