import { z } from 'zod';
import { field } from '../input/field.js';
import type { Cause } from './causes.js';

export const approvalOptionSchema = z.enum(['deny', 'approve_once', 'approve_session', 'approve_always']);
/** A way to answer an approval. */
export type ApprovalOption = z.infer<typeof approvalOptionSchema>;

export const scopeSchema = z.enum(['once', 'session', 'always']);
/** How long a decision applies. */
export type Scope = z.infer<typeof scopeSchema>;

/** A field of an approval message, such as `{path}`. */
export const MESSAGE_FIELD = /\{([^{}\s]{1,200})\}/g;

/** The approval message for a tool that declares none. */
export function defaultMessage(toolName: string): string {
  return `Run ${toolName}`;
}

/** A tool's approval settings (CALL1). If absent, its calls run without approval. */
export const toolApprovalSchema = z.strictObject({
  required: field(z.boolean(), 'Whether calls need approval.'),
  message: field(
    z.string().max(2000).exactOptional(),
    'Shown to the person; `{argument}` is filled from the masked arguments.',
  ),
  options: field(z.array(approvalOptionSchema).min(1).exactOptional(), 'Limits the options. `deny` is always offered.'),
  scope: field(scopeSchema.exactOptional(), 'The widest scope offered.'),
  pattern: field(
    z.string().min(1).max(2000).exactOptional(),
    'An argument pattern. Calls that match it need no approval.',
  ),
});
/** How a tool asks for approval. */
export type ToolApproval = z.infer<typeof toolApprovalSchema>;

/** The tool names that all vendors accept, so that no provider has to rename a tool. */
export const toolNameSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
    'a tool name must start with a letter or _, and can have up to 64 characters: A-Z, a-z, 0-9, _ and -',
  );

export const toolDefinitionSchema = z.strictObject({
  name: field(toolNameSchema.clone(), 'Name of the tool.'),
  description: field(
    z.string().min(1, 'a tool needs a description, because models rely on it').max(8000),
    'What the tool does, for models.',
  ),
  parameters: field(z.record(z.string(), z.unknown()), 'JSON Schema of the arguments.'),
  location: field(z.enum(['server', 'client']), 'Whether the tool runs in the server or in a client.'),
  readOnly: field(z.boolean().exactOptional(), 'Whether the tool is read-only.'),
  idempotent: field(z.boolean().exactOptional(), 'Whether it is safe to run a call again after a crash.'),
  approval: field(
    toolApprovalSchema.exactOptional(),
    'Whether calls to this tool need approval, and how to ask for it.',
  ),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;

/** What a call touches, reported by its tool, so that rules match what the call does (CALL1). */
export type Subject =
  /**
   * One simple command, or arguments as `name=value` words. Allow rules must spell out the words at `spell`; with `exact`, no star
   * matches (RULE8). `files`: positions of operands that the program reads as names of files; absent if that isn't known. `inner`: runs inside another subject; deny and ask rules check it, and allowing the outer subject covers it.
   */
  | {
      kind: 'words';
      words: readonly string[];
      spell?: readonly number[];
      files?: readonly number[];
      exact?: true;
      inner?: true;
    }
  /** `argument`: the argument that a path or host comes from, so that rules about that argument match it. */
  | { kind: 'path'; path: string; argument?: string }
  | { kind: 'host'; host: string; argument?: string }
  /**
   * No rule can allow the call (RULE1). `told`: the other subjects include everything that the call runs and names. `always`: every such call needs
   * approval, regardless of grants and modes: what it writes may run later outside the sandbox (RULE2), or its program may describe it wrongly (EXT3).
   */
  | { kind: 'dynamic'; why: Cause | string; told?: true; always?: true };
