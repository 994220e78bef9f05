import type { ApprovalView } from '@countersign/client';
import { describeCall } from '../layout/describe-call.js';

/** What a person edits of a call: the command itself, or all arguments as JSON. */
export function editable({ toolName, arguments: args }: ApprovalView): string {
  const shape = describeCall(toolName, args);
  return shape.kind === 'shell' ? shape.command : JSON.stringify(args);
}

/** Reads it back. Words for the person when it is nothing that could run. */
export function readArguments(
  { toolName, arguments: args }: ApprovalView,
  text: string,
): { arguments: Record<string, unknown> } | { problem: string } {
  const shape = describeCall(toolName, args);
  if (shape.kind === 'shell') {
    if (text.trim() === '') return { problem: 'An empty command runs nothing: write one, or deny.' };
    const { parameters } = shape;
    return { arguments: { command: text, ...(parameters.length === 0 ? {} : { parameters: [...parameters] }) } };
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { arguments: { ...value } };
    return { problem: 'Arguments are a JSON object, such as {"path": "notes.md"}.' };
  } catch {
    return { problem: 'This is not JSON yet.' };
  }
}

/** The argument pattern of a rule such as `allow shell_cmd(rm *.tmp)`; undefined when it has none. */
export function patternOf(rule: string): string | undefined {
  return /^\s*(?:allow|ask|deny)\s+[^\s(]+\(([\s\S]*)\)\s*$/.exec(rule)?.[1];
}
