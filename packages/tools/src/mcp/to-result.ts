import { ToolFailure } from '@countersign/core/ports';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { capText } from './cap-text.js';
import type { HideValues } from './hide-values.js';

/** The limit per text: several times as much as a model is shown, and small enough to search for secrets. */
const LONGEST_TEXT = 256 * 1024;
const MAX_BLOCKS = 1_000;
/** A larger value is more than a model could read. */
const LARGEST_STRUCTURE = 1024 * 1024;

/** The result of a call as text and JSON. Throws if the server reports a failure. */
export function toResult(result: CallToolResult, hide: HideValues): unknown {
  const value = hide.inData(readResult(result));
  if (result.isError !== true) return value;
  throw new ToolFailure(`the tool reported a failure: ${hide.inText(shortText(value))}`, value);
}

function readResult({ content, structuredContent }: CallToolResult): unknown {
  const blocks = content.slice(0, MAX_BLOCKS).map(readBlock);
  if (content.length > MAX_BLOCKS) blocks.push(`[${content.length - MAX_BLOCKS} more parts were omitted.]`);
  const [only] = blocks;
  const said = blocks.length === 1 && typeof only === 'string' ? only : blocks;
  if (structuredContent === undefined) return said;
  const text = JSON.stringify(structuredContent);
  if (text.length > LARGEST_STRUCTURE) return { structured: capText(text, LONGEST_TEXT), content: said };
  // Servers repeat structured content as text for older clients; a model needs it once.
  return typeof said === 'string' && isSame(said, text)
    ? structuredContent
    : { structured: structuredContent, content: said };
}

function isSame(said: string, text: string): boolean {
  try {
    return JSON.stringify(JSON.parse(said)) === text;
  } catch {
    return false;
  }
}

/** Describes binary content instead of sending it: a one-megabyte image would fill the context window. */
function readBlock(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text':
      return capText(block.text, LONGEST_TEXT);
    case 'image':
    case 'audio':
      return { type: block.type, mimeType: block.mimeType, bytes: bytesOf(block.data), note: NOT_SHOWN };
    case 'resource_link': {
      const { uri, name, description, mimeType } = block;
      return { type: 'resource_link', uri, name, ...told({ description, mimeType }) };
    }
    case 'resource': {
      const { resource } = block;
      const about = { type: 'resource', uri: resource.uri, ...told({ mimeType: resource.mimeType }) };
      return 'text' in resource
        ? { ...about, text: capText(resource.text, LONGEST_TEXT) }
        : { ...about, bytes: bytesOf(resource.blob), note: NOT_SHOWN };
    }
  }
}

const NOT_SHOWN = 'this content is not text and is not shown';

function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

function told(fields: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, capText(value, 4_000)]));
}

function shortText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return capText(text, 1_000);
}
