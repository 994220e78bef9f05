import { ToolFailure, type ToolContext } from '@countersign/core/ports';
import { describeFile } from '@countersign/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { capText } from '../cap-text.js';
import type { HideValues } from '../hide-values.js';

/** The limit per text: several times as much as a model is shown, and small enough to search for secrets. */
const LONGEST_TEXT = 256 * 1024;
const MAX_BLOCKS = 1_000;
/** A larger value is more than a model could read. */
const LARGEST_STRUCTURE = 1024 * 1024;

/** The result of a call as text and JSON. Throws if the server reports a failure. */
export function toResult(result: CallToolResult, hide: HideValues, attach?: ToolContext['attach']): unknown {
  const value = hide.inData(readResult(result, keeper(attach, hide)));
  if (result.isError !== true) return value;
  throw new ToolFailure(`the tool reported a failure: ${hide.inText(shortText(value))}`, value);
}

function readResult({ content, structuredContent }: CallToolResult, keep: Keep): unknown {
  const blocks = content.slice(0, MAX_BLOCKS).map((block) => readBlock(block, keep));
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

/** Binary content is kept as an attachment, and described in the text: base64 would fill the context window. */
function readBlock(block: ContentBlock, keep: Keep): unknown {
  switch (block.type) {
    case 'text':
      return capText(block.text, LONGEST_TEXT);
    case 'image':
    case 'audio':
      return keep(block.mimeType, block.data);
    case 'resource_link': {
      const { uri, name, description, mimeType } = block;
      return { type: 'resource_link', uri, name, ...told({ description, mimeType }) };
    }
    case 'resource': {
      const { resource } = block;
      const about = { type: 'resource', uri: resource.uri, ...told({ mimeType: resource.mimeType }) };
      return 'text' in resource
        ? { ...about, text: capText(resource.text, LONGEST_TEXT) }
        : { ...about, content: keep(resource.mimeType ?? 'application/octet-stream', resource.blob) };
    }
  }
}

/** Keeps a file and returns its description, such as `[image/png, 12 kB]`. */
type Keep = (mimeType: string, base64: string) => string;

function keeper(attach: ToolContext['attach'], hide: HideValues): Keep {
  return (claimed, base64) => {
    // A masked type is not a valid one, so the file gets the unknown type.
    const mimeType = capText(hide.inData(claimed), LONGEST_TYPE);
    const told = (why: string): string => `[${describeFile(mimeType, bytesOf(base64))}, ${why}]`;
    if (attach === undefined) return told('not kept');
    // A mask in binary content would corrupt it.
    const content = Buffer.from(base64.slice(0, MOST_SEARCHED), 'base64').toString('latin1');
    if (hide.inData(content) !== content) return told('not kept: it contains a secret');
    const file = attach({ mimeType, base64 });
    if ('refused' in file) return told(`not kept: ${file.refused}`);
    return `[${describeFile(file.mimeType, file.bytes)}${file.kind === 'image' ? '' : ', can be downloaded'}]`;
  };
}

const LONGEST_TYPE = 130;
/** Larger files are refused anyway. */
const MOST_SEARCHED = 5_000_000;

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
