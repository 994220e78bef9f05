import type { McpServerDefinition } from '@countersign/protocol';

/** A world's MCP server, in its stored form. Never sent to a client unmasked (SAFE6). */
export interface McpServerRecord {
  worldId: string;
  /** Unique within its world. */
  name: string;
  /** If `sealed` is set, the values of variables and headers are empty here. */
  definition: McpServerDefinition;
  /** The values of variables or headers, encrypted (MCP2). Null if there are none. */
  sealed: string | null;
  /** The sign-in to a remote server (`McpSignIn`), encrypted (MCP4). Null without one. */
  signIn: string | null;
  /** When the server's tools were first listed. Tools that it adds later are new and not accepted. */
  firstListedAt: number | null;
  createdAt: number;
}

/** A tool as its server describes it. Its digest covers all fields. */
export interface McpToolDefinition {
  /** The server's own name for the tool. */
  name: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/** The accepted definition of a tool, and the current one (CALL1). */
export interface McpToolRecord {
  worldId: string;
  server: string;
  /** `mcp__{server}__{tool}`: the name that models and rules use. */
  name: string;
  /** Null for a tool that was added later and has not been accepted. */
  accepted: McpToolDefinition | null;
  acceptedDigest: string | null;
  /** Whether a person accepted the tool. Otherwise it may still be accepted as part of the first list, but only while the server offers it. */
  reviewed: boolean;
  /** Null if the server no longer offers the tool. */
  seen: McpToolDefinition | null;
  seenDigest: string | null;
}
