import { createHash } from 'node:crypto';
import type { McpToolDefinition, McpToolRecord, OpenedToSandbox, Tool, ToolContext } from '@countersign/core/ports';
import type { CallSandbox, McpServerDefinition, ToolDefinition } from '@countersign/protocol';
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { capText } from './cap-text.js';
import { checkArguments } from './check-schema.js';
import { namePrefix } from './tool-names.js';

/** What vendors and our own schema take. */
const LONGEST_DESCRIPTION = 7_500;

/** One that its server offers now. */
export type SeenTool = McpToolRecord & { seen: McpToolDefinition; seenDigest: string };

export interface McpToolOptions {
  tool: SeenTool;
  server: McpServerDefinition;
  sandbox: (opened: OpenedToSandbox) => CallSandbox;
  unconfined: boolean;
  checker: jsonSchemaValidator;
  run: (args: Record<string, unknown>, context: ToolContext) => Promise<unknown>;
}

/** A server's tool as the engine knows tools. */
export function mcpTool({ tool, server, sandbox, unconfined, checker, run }: McpToolOptions): Tool {
  const { seen, seenDigest, acceptedDigest } = tool;
  const identity = connectionDigest(server);
  const check = checkArguments(checker, seen.inputSchema);
  return {
    definition: definitionOf(tool.name, server.name, seen),
    // What was accepted is what was trusted.
    trusted: server.trusted && seenDigest === acceptedDigest,
    pin: seenDigest,
    sandbox,
    unconfined,
    validate: check,
    // Behind the same name another program would do something else with what was signed (A7).
    fingerprint: () => Promise.resolve(identity),
    execute: (args, context) => run(args as Record<string, unknown>, context),
  };
}

function definitionOf(name: string, server: string, seen: McpToolDefinition): ToolDefinition {
  const said = seen.description?.trim() ?? '';
  const renamed =
    name === `${namePrefix(server)}${seen.name}` ? '' : `\n(Its server calls it ${JSON.stringify(seen.name)}.)`;
  const described = said === '' ? `A tool of the MCP server "${server}" that says nothing of itself.` : said;
  const hint = (key: string): boolean => seen.annotations?.[key] === true;
  // A tool that contradicts itself is not read-only.
  const readOnly = hint('readOnlyHint') && !hint('destructiveHint');
  return {
    name,
    description: `${capText(described, LONGEST_DESCRIPTION)}${renamed}`,
    parameters: seen.inputSchema,
    location: 'server',
    readOnly,
    idempotent: readOnly || hint('idempotentHint'),
    // Trust covers tools that declare themselves read-only (A1). Without trust none of this counts, and all need approval.
    ...(readOnly ? {} : { approval: { required: true } }),
  };
}

/** Changes with whatever decides which program answers, secrets included. */
export function connectionDigest({ trusted: _t, enabled: _e, ...connection }: McpServerDefinition): string {
  return createHash('sha256').update(JSON.stringify(connection)).digest('hex');
}
