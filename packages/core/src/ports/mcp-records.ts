import type { McpServerDefinition } from '@countersign/protocol';

/** An MCP server of a world, with what is secret in it. Nothing of this goes to a client as it is (A15). */
export interface McpServerRecord {
  worldId: string;
  /** Unique in its world. */
  name: string;
  definition: McpServerDefinition;
  /** When its tools were first listed; what it adds later is new, and nobody has accepted it. */
  firstListedAt: number | null;
  createdAt: number;
}

/** A tool as its server describes it, and all that its digest covers. */
export interface McpToolDefinition {
  /** The server's own name for it. */
  name: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/** What a person accepted of a tool, and what its server says of it now (A1). */
export interface McpToolRecord {
  worldId: string;
  server: string;
  /** `mcp__{server}__{tool}`: what models call and rules name. */
  name: string;
  /** Null: it came later than the others, and nobody has accepted it. */
  accepted: McpToolDefinition | null;
  acceptedDigest: string | null;
  /** A person accepted it. False: nobody has, or it was in the first list and is accepted only as long as the server offers it. */
  reviewed: boolean;
  /** Null: the server no longer offers it. */
  seen: McpToolDefinition | null;
  seenDigest: string | null;
}
