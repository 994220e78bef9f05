import { describeCall, readArguments, withCommand, type ApprovalView } from '@countersign/client';
import { errors } from '../words/errors.js';

/** The editable part of a call: the command, or all arguments as JSON. */
export function editable({ toolName, arguments: args }: ApprovalView): string {
  const shape = describeCall(toolName, args);
  return shape.kind === 'shell' ? shape.command : JSON.stringify(args);
}

/** Parses the edited text. Returns an error message if it is invalid. */
export function readEdited(
  { toolName, arguments: args }: ApprovalView,
  text: string,
): { arguments: Record<string, unknown> } | { problem: string } {
  const shape = describeCall(toolName, args);
  if (shape.kind === 'shell') {
    if (text.trim() === '') return { problem: errors.emptyCommand };
    return { arguments: withCommand(args, text) };
  }
  const read = readArguments(text);
  return 'error' in read ? { problem: read.error } : read;
}
