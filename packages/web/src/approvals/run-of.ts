import type { ApprovalView } from '@countersign/client';
import { RUN_TOOL } from '@countersign/protocol';

/** The run that a call would apply, unless it applies only a part of one, which can be neither sent back nor selected from (RUN33.5). */
export function runOf({ toolName, arguments: args, effect }: ApprovalView): string | undefined {
  const isWhole = toolName === RUN_TOOL && effect?.run?.part === undefined;
  const run = isWhole && args !== null && typeof args === 'object' && 'run' in args ? args.run : undefined;
  return typeof run === 'string' ? run : undefined;
}
