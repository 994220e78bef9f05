import { nearest, parseInput } from '@countersign/protocol';
import { z } from 'zod';
import type { ModelScript, ScriptedModelReply } from './types.js';

/** `/…/` with optional flags; any other text matches as a substring. */
const PATTERN = /^\/(?<source>.+)\/(?<flags>[imsu]*)$/s;

export function toTest(condition: string): (text: string) => boolean {
  const { source, flags } = PATTERN.exec(condition)?.groups ?? {};
  if (source === undefined) return (text) => text.includes(condition);
  const pattern = new RegExp(source, flags);
  return (text) => pattern.test(text);
}

const conditionSchema = z
  .string()
  .min(1)
  .superRefine((condition, context) => {
    try {
      toTest(condition);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      context.addIssue({ code: 'custom', message: `is not a valid regular expression: ${reason}` });
    }
  });

const milliseconds = z.number().min(0).max(3_600_000).exactOptional();
const tokens = z.int().min(0);

const replySchema = strict({
  when: strict({
    user: conditionSchema.exactOptional(),
    toolResult: conditionSchema.exactOptional(),
    system: conditionSchema.exactOptional(),
    model: conditionSchema.exactOptional(),
    tool: z.string().min(1).exactOptional(),
    turn: z.int().min(1).exactOptional(),
  }).exactOptional(),
  text: z.string().exactOptional(),
  thinking: z.string().min(1).exactOptional(),
  calls: z
    .array(
      strict({
        name: z.string().min(1),
        arguments: z
          .union([z.string(), z.record(z.string(), z.unknown())], { error: 'must be an object, or text' })
          .exactOptional(),
      }),
    )
    .min(1, 'must contain at least one call')
    .exactOptional(),
  usage: strict({ input: tokens, output: tokens }).exactOptional(),
  error: strict({
    status: z.int().min(400, 'must be from 400 to 599').max(599, 'must be from 400 to 599'),
    code: z.string().min(1).exactOptional(),
    message: z.string().min(1).exactOptional(),
    retryAfter: z.number().min(0).exactOptional(),
  }).exactOptional(),
  delayMs: milliseconds,
  chunkDelayMs: milliseconds,
  connection: z.enum(['hang', 'drop']).exactOptional(),
}).superRefine(({ text, thinking, calls, error, connection }, context) => {
  const answers = text !== undefined || thinking !== undefined || calls !== undefined;
  const add = (message: string): void => context.addIssue({ code: 'custom', message });
  if (error !== undefined && (answers || connection !== undefined)) {
    add("a reply with an error can't have text, thinking, calls or connection");
  } else if (!answers && error === undefined && connection === undefined) {
    add('is empty. Add text, thinking, calls, error or connection');
  }
});

/** A string is short for a reply with only text. */
const shortReplySchema = z.preprocess((reply) => (typeof reply === 'string' ? { text: reply } : reply), replySchema);

const scriptSchema = strict({
  models: z.array(z.string().min(1)).min(1, 'must contain at least one model').exactOptional(),
  apiKey: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of visible ASCII characters')
    .exactOptional(),
  replies: z
    .array(shortReplySchema)
    .min(1, 'must contain at least one reply')
    .superRefine((replies, context) => {
      const first = replies.findIndex(({ when }) => when === undefined);
      if (first < 0 || first === replies.length - 1) return;
      const message = `is never used, because replies[${first}] has no "when". Move replies[${first}] to the end`;
      context.addIssue({ code: 'custom', path: [first + 1], message });
    }),
});

/** A validated script, with short replies expanded. */
export interface CheckedScript {
  models: readonly string[];
  apiKey: string | undefined;
  replies: readonly ScriptedModelReply[];
}

export function checkScript(script: ModelScript, name: string): CheckedScript {
  const { models = ['scripted'], apiKey, replies } = parseInput(scriptSchema, script, name);
  return { models, apiKey, replies };
}

export function checkReply(reply: ScriptedModelReply | string): ScriptedModelReply {
  return parseInput(shortReplySchema, reply, 'the scripted reply');
}

/** Rejects unknown keys: a reply with a misspelled condition would match every request. */
function strict<S extends z.ZodRawShape>(shape: S) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const meant = nearest(issue.keys[0] ?? '', known);
      return `unknown key. ${meant === undefined ? `Known keys: ${known.join(', ')}` : `Did you mean "${meant}"?`}`;
    },
  });
}
