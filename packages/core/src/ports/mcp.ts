import type { McpCause, McpContext, McpContextRequest } from '@countersign/protocol';
import type { McpAuthorizer, McpSignIn, McpTokens } from './mcp-sign-in.js';
import type { McpServerRecord, McpToolDefinition, McpToolRecord } from './store/mcp-records.js';
import type { StoreReader } from './store/store.js';
import type { ProtectedPaths, Tool } from './tools/tool.js';

/** Tools that can change while the engine runs. */
export interface ToolSource {
  /** A world's current tools, by name. */
  tools(worldId: string): ReadonlyMap<string, Tool>;
  /**
   * Reads changes made by other processes before a model sees its tools, in the same transaction as the other reads. Called first, so that the
   * snapshot includes everything known here.
   */
  read?(reader: StoreReader, worldId: string): Promise<void>;
  /**
   * Called after `read`: waits briefly for tools that match these patterns. Never rejects; resolves to a message for each source with
   * missing tools. Undefined if there is nothing to wait for.
   */
  prepare(worldId: string, patterns: readonly string[], signal: AbortSignal): Promise<readonly string[]> | undefined;
  /** Refreshes a tool before its call is judged. Rejects with a message if the tool can't run. Ignores tools from other sources. */
  refresh(worldId: string, toolName: string, signal?: AbortSignal): Promise<void>;
  /** Stops everything that the source started. */
  close(): Promise<void>;
}

export interface McpServerWithTools {
  server: McpServerRecord;
  tools: readonly McpToolRecord[];
}

/** A server with its values decrypted, for the host only. */
export interface OpenedMcpServer extends McpServerWithTools {
  /** Why the values can't be decrypted. The server must not start without them. */
  problem?: string;
  /** Absent if nobody is signed in, or if the sign-in can't be decrypted. */
  signIn?: McpSignIn;
}

/** A server's folder and restrictions. Excludes agents' own rules, because all agents in a world share its servers. */
export interface McpPlace {
  workingDirectory: string;
  protectedPaths?: ProtectedPaths;
  /** The access that the world's rules allow inside the sandbox. */
  grants?: {
    folders: readonly string[];
    /** Private hosts, for a server with network access. */
    privateHosts: readonly string[];
  };
}

/** The engine's interface for the MCP host. */
export interface McpRecords {
  /** Whether other processes may change the records without a notification. */
  isShared(): boolean;
  /** The servers of all worlds. */
  all(): Promise<OpenedMcpServer[]>;
  one(worldId: string, name: string): Promise<OpenedMcpServer | undefined>;
  /** Stores a server's current tools and revokes the grants for tools that differ from the accepted ones. Returns the stored state. */
  listed(
    worldId: string,
    name: string,
    tools: readonly { name: string; definition: McpToolDefinition }[],
  ): Promise<OpenedMcpServer | undefined>;
  /** The real path of the world's working folder, and the paths that rules currently protect from this server. */
  place(worldId: string, name: string): Promise<McpPlace>;
  /**
   * Replaces tokens that expired or that the server rejected: with those that another process got in the meantime, or with those that `refresh`
   * returns. Undefined if a person must sign in again. Only one process refreshes at a time.
   */
  renewTokens(
    worldId: string,
    name: string,
    used: string,
    refresh: McpAuthorizer['refresh'],
  ): Promise<McpTokens | undefined>;
  /** Tells clients to reload the server after it started or failed. */
  notifyChanged(worldId: string, name: string): Promise<void>;
  report(error: unknown, what: string): void;
}

/** The state of a server. `error` and `log` quote the server, with its secrets masked. */
export interface McpServerState {
  status: 'off' | 'idle' | 'starting' | 'running' | 'failed';
  /** What failed or was left out, as text. */
  error?: string;
  cause?: McpCause;
  /** The name of the sandbox, as text. */
  sandbox: string;
  log: readonly string[];
}

/** Runs the MCP servers of all worlds. Each is started when it is first needed. */
export interface McpHost extends ToolSource {
  load(): Promise<void>;
  /** Reloads a record that was added, changed or removed. */
  reload(worldId: string, name: string): Promise<void>;
  /** Stops the server. It starts again when it is next needed. */
  stop(worldId: string, name: string): Promise<void>;
  state(worldId: string, name: string): McpServerState | undefined;
  /** Starts the server if it is enabled, and waits for its tools. If that fails, rejects with a message. */
  start(worldId: string, name: string, signal?: AbortSignal): Promise<void>;
  /** Like `start`, but without the delay after a failure. If the server is running, lists its tools again. */
  test(worldId: string, name: string): Promise<void>;
  /** A server's prompts and resources. Starts the server if needed; if that fails, rejects with a message. */
  context(worldId: string, name: string): Promise<McpContext>;
  readContext(worldId: string, name: string, wanted: McpContextRequest): Promise<string>;
  readonly authorizer: McpAuthorizer;
  /** Whether programs run in a sandbox. */
  readonly isConfined: boolean;
}

export type McpHostFactory = (records: McpRecords) => McpHost;
