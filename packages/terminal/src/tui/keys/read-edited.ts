import { describeCall, readArguments, type ApprovalView } from '@countersign/client';
import { errors } from '../../words/errors.js';

/** What a person edits of a call: the command itself, or all arguments as JSON. */
export function editable({ toolName, arguments: args }: ApprovalView): string {
  const shape = describeCall(toolName, args);
  return shape.kind === 'shell' ? shape.command : JSON.stringify(args);
}

/** Reads it back. Words for the person when it is nothing that could run. */
export function readEdited(
  { toolName, arguments: args }: ApprovalView,
  text: string,
): { arguments: Record<string, unknown> } | { problem: string } {
  const shape = describeCall(toolName, args);
  if (shape.kind === 'shell') {
    if (text.trim() === '') return { problem: errors.emptyCommand };
    const { parameters } = shape;
    return { arguments: { command: text, ...(parameters.length === 0 ? {} : { parameters: [...parameters] }) } };
  }
  const read = readArguments(text);
  return 'error' in read ? { problem: read.error } : read;
}
