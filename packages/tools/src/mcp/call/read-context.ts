import type { McpContext, McpContextRequest } from '@countersign/protocol';
import type { Client, ContentBlock } from '@modelcontextprotocol/client';
import { capText } from '../cap-text.js';
import type { HideValues } from '../hide-values.js';

const MAX_ITEMS = 500;
const LONGEST_NAME = 500;
const LONGEST_DESCRIPTION = 2_000;
const LONGEST_TEXT = 256 * 1024;

interface Asking {
  client: Client;
  hide: HideValues;
  timeout: number;
}

/** The prompts and resources that a server lists. */
export async function listContext({ client, hide, timeout }: Asking): Promise<McpContext> {
  const offers = client.getServerCapabilities();
  const prompts = offers?.prompts === undefined ? [] : (await client.listPrompts(undefined, { timeout })).prompts;
  const resources =
    offers?.resources === undefined ? [] : (await client.listResources(undefined, { timeout })).resources;
  const told = (description: string | undefined): { description?: string } =>
    description === undefined ? {} : { description: capText(description, LONGEST_DESCRIPTION) };
  return hide.inData({
    prompts: prompts.slice(0, MAX_ITEMS).map(({ name, description, arguments: args = [] }) => ({
      name: name.slice(0, LONGEST_NAME),
      ...told(description),
      arguments: args.slice(0, 50).map((arg) => ({
        name: arg.name.slice(0, LONGEST_NAME),
        ...told(arg.description),
        isRequired: arg.required === true,
      })),
    })),
    resources: resources
      .filter(({ uri }) => uri.length <= 4096)
      .slice(0, MAX_ITEMS)
      .map(({ uri, name, description, mimeType }) => ({
        uri,
        name: name.slice(0, LONGEST_NAME),
        ...told(description),
        ...(mimeType === undefined ? {} : { mimeType: mimeType.slice(0, LONGEST_NAME) }),
      })),
  });
}

/** The text of a prompt or resource. Content that is not text is replaced by a note. */
export async function readContext({ client, hide, timeout }: Asking, wanted: McpContextRequest): Promise<string> {
  const parts =
    'uri' in wanted
      ? (await client.readResource({ uri: wanted.uri }, { timeout })).contents.map(resourceText)
      : (await client.getPrompt({ name: wanted.prompt, arguments: wanted.arguments ?? {} }, { timeout })).messages.map(
          ({ content }) => blockText(content),
        );
  return hide.inData(capText(parts.join('\n\n'), LONGEST_TEXT));
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource':
      return resourceText(block.resource);
    case 'resource_link':
      return block.uri;
    case 'image':
    case 'audio':
      return `[${block.mimeType}, not shown]`;
  }
}

function resourceText(
  resource: { uri: string; mimeType?: string | undefined } & ({ text: string } | { blob: string }),
): string {
  return 'text' in resource ? resource.text : `[${resource.uri}: ${resource.mimeType ?? 'binary content'}, not shown]`;
}
