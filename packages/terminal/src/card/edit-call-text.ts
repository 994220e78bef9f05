import { describeCall, readArguments, withCommand, type ApprovalView } from '@countersign/client';
import { CommandError } from '../command-error.js';
import type { CommandContext } from '../context.js';
import { editText } from '../input/edit-text.js';
import { errors } from '../words/errors.js';

type EditableCall = Pick<ApprovalView, 'toolName' | 'arguments'>;

/** The editable part of a call: the command, or all arguments as JSON. */
export function editable({ toolName, arguments: args }: EditableCall, space?: number): string {
  const shape = describeCall(toolName, args);
  return shape.kind === 'shell' ? shape.command : JSON.stringify(args, null, space);
}

/** Parses the edited text. Returns an error message if it is invalid. */
export function readEdited(
  { toolName, arguments: args }: EditableCall,
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

/** Opens the editable part of a call in the person's editor. Undefined if it was not changed. */
export async function editInEditor(
  context: CommandContext,
  call: EditableCall,
): Promise<Record<string, unknown> | undefined> {
  const isCommand = describeCall(call.toolName, call.arguments).kind === 'shell';
  const name = isCommand ? 'command.sh' : 'arguments.json';
  // Editors end the last line with a line feed, which is not part of the call.
  return await editText(context, `${editable(call, 2)}\n`, name, (text) => {
    const read = readEdited(call, text.replace(/\n$/, ''));
    if ('problem' in read) throw new CommandError(read.problem);
    return Promise.resolve(read.arguments);
  });
}
