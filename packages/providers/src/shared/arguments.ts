import type { ToolCall } from '@countersign/protocol';
import { isRecord } from './records.js';

/** A tool call in the format of the provider port. The id is the vendor's, unchanged: it may be empty or repeated (MODEL5). */
export function toToolCall(id: string, name: string, args: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } };
}

/**
 * A past call's arguments as an object, which vendors require. Invalid JSON is wrapped and marked as such: if the vendor rejected it, every
 * later turn in the chat would fail.
 */
export function argumentsObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Not JSON; it is wrapped below.
  }
  return { unparsable: text };
}

/** Like `argumentsObject`, as JSON text. Text that is already an object stays unchanged. */
export function argumentsText(text: string): string {
  const value = argumentsObject(text);
  return text.trim() === '' || 'unparsable' in value ? JSON.stringify(value) : text;
}

/**
 * Removes whitespace between JSON tokens, so that streamed and parsed arguments are equal (MODEL3). Numbers, escapes and repeated
 * keys stay as written; invalid JSON stays unchanged.
 */
export function withoutWhitespace(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (part) => (part.startsWith('"') ? part : ''));
}
