import { createHash } from 'node:crypto';
import type { McpToolDefinition, McpToolRecord, OpenedToSandbox, Tool, ToolContext } from '@countersign/core/ports';
import type { CallSandbox, McpServerDefinition, ToolDefinition } from '@countersign/protocol';
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { capText } from '../cap-text.js';
import { checkArguments } from './check-schema.js';
import { namePrefix } from './tool-names.js';

/** The limit set by vendors and by our own schema. */
const LONGEST_DESCRIPTION = 7_500;

/** A tool that its server currently offers. */
export type SeenTool = McpToolRecord & { seen: McpToolDefinition; seenDigest: string };

export interface McpToolOptions {
  tool: SeenTool;
  server: McpServerDefinition;
  sandbox: (opened: OpenedToSandbox) => CallSandbox;
  unconfined: boolean;
  checker: jsonSchemaValidator;
  run: (args: Record<string, unknown>, context: ToolContext) => Promise<unknown>;
}

/** Wraps a server's tool as an engine tool. */
export function mcpTool({ tool, server, sandbox, unconfined, checker, run }: McpToolOptions): Tool {
  const { seen, seenDigest, acceptedDigest } = tool;
  const identity = connectionDigest(server);
  const check = checkArguments(checker, seen.inputSchema);
  return {
    definition: definitionOf(tool.name, server.name, seen),
    // Trust applies only to the definition that a person accepted.
    trusted: server.trusted && seenDigest === acceptedDigest,
    pin: seenDigest,
    sandbox,
    unconfined,
    validate: check,
    // A different program under the same name would handle an approved call differently (CALL7).
    fingerprint: () => Promise.resolve(identity),
    execute: (args, context) => run(args as Record<string, unknown>, context),
  };
}

function definitionOf(name: string, server: string, seen: McpToolDefinition): ToolDefinition {
  const said = seen.description?.trim() ?? '';
  const renamed =
    name === `${namePrefix(server)}${seen.name}` ? '' : `\n(Its server calls it ${JSON.stringify(seen.name)}.)`;
  const described = said === '' ? `A tool of the MCP server "${server}" without a description.` : said;
  const hint = (key: string): boolean => seen.annotations?.[key] === true;
  // If a tool contradicts itself, it is not read-only.
  const readOnly = hint('readOnlyHint') && !hint('destructiveHint');
  return {
    name,
    description: `${capText(described, LONGEST_DESCRIPTION)}${renamed}`,
    parameters: seen.inputSchema,
    location: 'server',
    readOnly,
    idempotent: readOnly || hint('idempotentHint'),
    // Trust covers tools that declare themselves read-only (CALL1). Without trust, annotations are ignored and all calls need approval.
    ...(readOnly ? {} : { approval: { required: true } }),
  };
}

/** Covers everything that determines which program handles a call, including secrets. */
export function connectionDigest({ trusted: _t, enabled: _e, ...connection }: McpServerDefinition): string {
  return createHash('sha256').update(JSON.stringify(connection)).digest('hex');
}
