import { z } from 'zod';
import type { Cause } from './causes.js';

export const approvalOptionSchema = z.enum(['deny', 'approve_once', 'approve_session', 'approve_always']);
export type ApprovalOption = z.infer<typeof approvalOptionSchema>;

export const scopeSchema = z.enum(['once', 'session', 'always']);
export type Scope = z.infer<typeof scopeSchema>;

/** A field of an approval message, such as `{path}`. */
export const MESSAGE_FIELD = /\{([^{}\s]{1,200})\}/g;

/** The message of an approval whose tool declares none. */
export function defaultMessage(toolName: string): string {
  return `Run ${toolName}`;
}

/** What a tool says about being asked for (A1). Absent altogether: it runs unasked. */
export const toolApprovalSchema = z.strictObject({
  required: z.boolean(),
  /** Shown to the person; `{argument}` is filled from the masked arguments. */
  message: z.string().max(2000).exactOptional(),
  /** Limits what is offered. `deny` is always offered, whether listed or not. */
  options: z.array(approvalOptionSchema).min(1).exactOptional(),
  /** The widest scope offered. */
  scope: scopeSchema.exactOptional(),
  /** A rule's argument pattern (A19) of calls that need no question. */
  pattern: z.string().min(1).max(2000).exactOptional(),
});
export type ToolApproval = z.infer<typeof toolApprovalSchema>;

/** Tool names are what vendors accept, so that no provider has to rename one. */
export const toolNameSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    'a tool name starts with a letter or _ and has at most 64 of A-Z a-z 0-9 _ -',
  );

export const toolDefinitionSchema = z.strictObject({
  name: toolNameSchema,
  description: z.string().min(1, 'a tool needs a description: it is all a model knows of it').max(8000),
  /** JSON Schema of an object. */
  parameters: z.record(z.string(), z.unknown()),
  location: z.enum(['server', 'client']),
  readOnly: z.boolean().exactOptional(),
  idempotent: z.boolean().exactOptional(),
  approval: toolApprovalSchema.exactOptional(),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

/**
 * What a call touches, told by its tool so that rules match on meaning (A1).
 * `words`: one simple command, or one call's arguments as `name=value` words. An allow rule has to
 * spell out those at the places of `spell`: no star stands for them. With `exact` only a rule without any star covers them, because no sandbox
 * limits what they do (A32). `inner` is what runs inside another subject:
 * deny and ask rules look at it, and what is allowed is the subject it is in.
 * `argument`: the name of the argument that a path or host comes from, so that rules about that argument match on meaning.
 * `dynamic`: no rule ever allows it (A19), because of `why`, which custom tools give as text. With `told` all that it runs and names is among the other subjects; without,
 * nobody knows before it runs whether some rule is about it. With `always` no grant and no mode allows it either: each such
 * call is asked, because it may run later where nobody looks (A20).
 */
export type Subject =
  | { kind: 'words'; words: readonly string[]; spell?: readonly number[]; exact?: true; inner?: true }
  | { kind: 'path'; path: string; argument?: string }
  | { kind: 'host'; host: string; argument?: string }
  | { kind: 'dynamic'; why: Cause | string; told?: true; always?: true };
