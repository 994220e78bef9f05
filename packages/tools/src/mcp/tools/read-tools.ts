import type { McpToolDefinition } from '@countersign/core/ports';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { HideValues } from '../hide-values.js';
import { toolName } from './tool-names.js';

const MAX_TOOLS = 500;
/** Larger than any real definition; models pay for every character. */
const LARGEST_DEFINITION = 64 * 1024;
const LONGEST_NAME = 256;
const DEEPEST = 32;

export interface ReadTools {
  tools: { name: string; definition: McpToolDefinition }[];
  /** What was omitted and why, for a person. */
  leftOut: string[];
}

/** The tools from a server that may be offered to models. An invalid definition is omitted without affecting the others. */
export function readTools(server: string, listed: readonly ServerTool[], hide: HideValues): ReadTools {
  const byName = new Map<string, McpToolDefinition>();
  const leftOut: string[] = [];
  const leaveOut = (name: string, why: string): void => {
    leftOut.push(`${JSON.stringify(name.slice(0, 80))} was omitted: ${why}`);
  };
  // Names without a suffix come first: a server could choose a name that looks like another tool's suffixed name.
  const inOrder = listed.slice(0, MAX_TOOLS).map((tool) => ({ tool, name: toolName(server, tool.name) }));
  const plain = inOrder.filter(({ tool, name }) => name.endsWith(`__${tool.name}`));
  const marked = inOrder.filter((entry) => !plain.includes(entry));
  for (const { tool, name } of [...plain, ...marked]) {
    const why = whyNot(tool);
    if (why !== undefined) leaveOut(tool.name, why);
    else if (byName.has(name)) leaveOut(tool.name, `another tool is already called ${name}`);
    else if (hide.inData(tool.name) !== tool.name) leaveOut(hide.inData(tool.name), 'its name contains a secret value');
    else byName.set(name, hide.inData(definitionOf(tool)));
  }
  if (listed.length > MAX_TOOLS) leftOut.push(`only the first ${MAX_TOOLS} of ${listed.length} tools are used`);
  return { tools: [...byName].map(([name, definition]) => ({ name, definition })), leftOut };
}

function whyNot(tool: ServerTool): string | undefined {
  if (tool.name === '' || tool.name.length > LONGEST_NAME) return 'its name is empty or too long';
  if (tool.inputSchema.type !== 'object') return 'its arguments are not an object';
  if (depthOf(tool.inputSchema) > DEEPEST || depthOf(tool.outputSchema) > DEEPEST)
    return 'its schema is nested too deeply';
  if (JSON.stringify(definitionOf(tool)).length > LARGEST_DEFINITION) {
    return `its definition is larger than ${LARGEST_DEFINITION / 1024} KiB`;
  }
  return undefined;
}

/** Includes only the pinned fields: a new icon doesn't make it a different tool. */
function definitionOf({ name, description, inputSchema, outputSchema, annotations }: ServerTool): McpToolDefinition {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function depthOf(value: unknown, from = 0): number {
  if (typeof value !== 'object' || value === null || from > DEEPEST) return from;
  return Object.values(value).reduce<number>((deepest, part) => Math.max(deepest, depthOf(part, from + 1)), from);
}
