import type { ToolCall } from '@countersign/protocol';
import { isRecord } from './records.js';

/** A call as the port wants it. The id is the vendor's, as it came: empty, repeated or somebody else's (P5). */
export function toToolCall(id: string, name: string, args: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: args } };
}

/**
 * A past call's arguments as the object that vendors demand. Broken text that a model once sent is shown to it under a name that
 * says so: refused by the vendor, it would end every later turn of the chat.
 */
export function argumentsObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Not JSON: shown as it is below.
  }
  return { unparsable: text };
}

/** The same as text, unchanged where it is an object already. */
export function argumentsText(text: string): string {
  const value = argumentsObject(text);
  return text.trim() === '' || 'unparsable' in value ? JSON.stringify(value) : text;
}

/**
 * JSON without the blanks between its parts, so that a streamed text and an object that was parsed on the way read the same (P3).
 * Numbers, escapes and repeated keys stay as the model wrote them. What is no JSON is left alone: the gate tells the model.
 */
export function withoutBlanks(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, (part) => (part.startsWith('"') ? part : ''));
}
