import { newExternalCallSchema } from '@countersign/protocol';
import { z } from 'zod';

/** What Claude Code sends to the tool that `--permission-prompt-tool` names. */
export const permissionRequestSchema = z.looseObject({
  // The name is shown on the card, so it must not contain other text.
  tool_name: newExternalCallSchema.shape.tool,
  input: z.record(z.string(), z.unknown()),
  tool_use_id: z.string().min(1).max(200).optional(),
});

export const PERMISSION_PROMPT = {
  name: 'permission_prompt',
  description:
    'For the option --permission-prompt-tool of Claude Code. Asks for permission to run a tool; the answer says whether it may run.',
  inputSchema: {
    type: 'object' as const,
    properties: {
      tool_name: { type: 'string' },
      input: { type: 'object' },
      tool_use_id: { type: 'string' },
    },
    required: ['tool_name', 'input'],
  },
};

export type Permission = { allow: Record<string, unknown> } | { deny: string };

/** The answer in the form that Claude Code reads. Anything but `allow` means no. */
export function permissionText(permission: Permission): string {
  return JSON.stringify(
    'allow' in permission
      ? { behavior: 'allow', updatedInput: permission.allow }
      : { behavior: 'deny', message: permission.deny },
  );
}
