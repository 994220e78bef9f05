import { readAttachments, type Attachment } from '@countersign/protocol';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The content of an attachment in base64. Undefined if it was deleted. */
export type ReadFile = (id: string) => Promise<string | undefined>;

/** A stored result (TURN13): `{"result":…}` or `{"error":…,"reason":…}`. */
const frameSchema = z.looseObject({
  result: z.unknown().optional(),
  error: z.string().optional(),
  reason: z.string().optional(),
});

/** The blocks of a result that an MCP server returned, in the form in which they are stored. */
const storedBlockSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('resource'),
    uri: z.string(),
    mimeType: z.string().exactOptional(),
    text: z.string(),
  }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    description: z.string().exactOptional(),
    mimeType: z.string().exactOptional(),
  }),
]);

/** Converts a settled call's result to MCP content: its text, then its files. */
export async function toToolResult(stored: string, readFile: ReadFile): Promise<CallToolResult> {
  const frame = frameSchema.parse(JSON.parse(stored));
  const { result, error, reason } = frame;
  const content: ContentBlock[] = [];
  if (error !== undefined) content.push(text(reason === undefined ? error : `${error}: ${reason}`));
  if (result !== undefined || error === undefined) content.push(...toBlocks(result ?? null));
  for (const file of readAttachments(frame)) content.push(await toFile(file, readFile));
  return { content, ...(error === undefined ? {} : { isError: true }) };
}

export function text(said: string): ContentBlock {
  return { type: 'text', text: said };
}

function toBlocks(result: unknown): ContentBlock[] {
  return (Array.isArray(result) ? result : [result]).map(toBlock);
}

function toBlock(part: unknown): ContentBlock {
  if (typeof part === 'string') return text(part);
  const block = storedBlockSchema.safeParse(part);
  if (!block.success) return text(JSON.stringify(part));
  if (block.data.type === 'resource_link') return block.data;
  const { type, ...resource } = block.data;
  return { type, resource };
}

async function toFile({ id, kind, mimeType }: Attachment, readFile: ReadFile): Promise<ContentBlock> {
  const data = await readFile(id);
  if (data === undefined) return text(`[${mimeType}, deleted]`);
  if (kind === 'image') return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: `attachment:${id}`, mimeType, blob: data } };
}
