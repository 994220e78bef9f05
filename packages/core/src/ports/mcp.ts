import type { McpServerRecord, McpToolDefinition, McpToolRecord } from './mcp-records.js';
import type { StoreReader } from './store.js';
import type { ProtectedPaths, Tool } from './tool.js';

/** Tools that come and go while the engine runs. */
export interface ToolSource {
  /** What is offered in a world now, by name. */
  tools(worldId: string): ReadonlyMap<string, Tool>;
  /**
   * Before a model is shown its tools: reads what other processes may have changed, together with what else is read for it. First in its
   * read: what is known here before it begins must be in it.
   */
  read?(reader: StoreReader, worldId: string): Promise<void>;
  /**
   * Then waits, not for long, until those are known that one of these patterns may name. Never rejects; gives a sentence for each place
   * whose tools are missing. Undefined when there is nothing to wait for.
   */
  prepare(worldId: string, patterns: readonly string[], signal: AbortSignal): Promise<readonly string[]> | undefined;
  /** Before a call is judged: makes sure that its tool is what it is now. Rejects with words when it can't run. Not its tool: nothing. */
  bring(worldId: string, toolName: string, signal?: AbortSignal): Promise<void>;
  /** Ends everything it started. */
  close(): Promise<void>;
}

export interface McpServerWithTools {
  server: McpServerRecord;
  tools: readonly McpToolRecord[];
}

/** Where a server runs. An agent's own rules are not in it: a server is one for all agents of its world. */
export interface McpPlace {
  workingDirectory: string;
  protectedPaths?: ProtectedPaths;
  /** What rules of the world open to programs in the sandbox. */
  grants?: {
    folders: readonly string[];
    /** For a server that has a network. */
    privateHosts: readonly string[];
  };
}

/** What a host of MCP servers gets from the engine. */
export interface McpRecords {
  /** Whether other processes may change what is on record, unheard. */
  isShared(): boolean;
  /** Of all worlds. */
  all(): Promise<McpServerWithTools[]>;
  one(worldId: string, name: string): Promise<McpServerWithTools | undefined>;
  /** Writes down what a server offers now; where it differs from what was accepted, its grants lapse. Gives what is on record then. */
  listed(
    worldId: string,
    name: string,
    tools: readonly { name: string; definition: McpToolDefinition }[],
  ): Promise<McpServerWithTools | undefined>;
  /** The real path of the world's working folder, and what its rules keep from a server of this name, as of now. */
  place(worldId: string, name: string): Promise<McpPlace>;
  /** It runs, or has failed: clients look again. */
  moved(worldId: string, name: string): Promise<void>;
  report(error: unknown, what: string): void;
}

/** How a server does. What it says itself is in `error` and `log`, as it said it but for its own secrets. */
export interface McpServerState {
  status: 'off' | 'idle' | 'starting' | 'running' | 'failed';
  /** What went wrong, or was left out, in words. */
  error?: string;
  /** What it runs in, in words. */
  sandbox: string;
  log: readonly string[];
}

/** Runs the MCP servers of all worlds, each when it is first needed. */
export interface McpHost extends ToolSource {
  load(): Promise<void>;
  /** The record was added, changed or removed: looks at it again. */
  look(worldId: string, name: string): Promise<void>;
  state(worldId: string, name: string): McpServerState | undefined;
  /** Starts it, if it is on, and waits for its tools. Rejects with words. */
  start(worldId: string, name: string, signal?: AbortSignal): Promise<void>;
}

export type McpHostFactory = (records: McpRecords) => McpHost;
