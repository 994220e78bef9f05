import type { Probe } from '@countersign/core';
import type { Clock, Provider, Store, Tool } from '@countersign/core/ports';
import type { NewAgent, NewMcpServer, NewWorld, WorldSettings } from '@countersign/protocol';
import type { Approve } from '../approver.js';
import type { ApprovalOf } from '../typed-approval.js';

/** Settings, agents and rules for one world. */
export interface WorldOptions extends Partial<WorldSettings> {
  /** Rules for a new world. Use `setPolicy` to change those of an existing one, so that opening it never drops a rule. */
  policy?: NewWorld['policy'];
  /** Agents to add, or to update if one with this name exists. Other agents stay unchanged. */
  agents?: readonly NewAgent[];
  /**
   * MCP servers to add, or to update if one with this name exists. Other servers stay unchanged. Values of `env` and `headers` are encrypted
   * if there is a `secretsKey`.
   */
  mcp?: readonly NewMcpServer[];
}

/** Options shared by all worlds in a store. */
export interface SharedOptions<T extends Tool = Tool> {
  /** The models that agents can use, by provider name. */
  providers?: readonly Provider[];
  /** Tools for every world. They are already available when unfinished turns resume, unlike those added later with `addTool`. */
  tools?: readonly T[];
  /**
   * Decides approvals in code, in the worlds that this program opens. If it returns nothing, fails or takes too long, the call waits for a
   * person. It is not called for questions or for calls with masked arguments.
   */
  approve?: Approve<ApprovalOf<T>>;
  /** How long `approve` may take, in milliseconds. Default: 10 minutes. */
  approveTimeoutMs?: number;
  /** The administrator's rules: they override the rules of the worlds, and nothing in a world can change them (RULE1). */
  adminRules?: readonly string[];
  /**
   * A description of the sandbox for tools that don't report their own. It is part of the call hash, shown on the card, and never treated as
   * safe.
   */
  sandbox?: string;
  /**
   * A key or passphrase of at least 32 characters that encrypts the values of MCP servers in the store. Pass the same one every time, and in
   * all processes that share the store. Default: the values are stored unencrypted.
   */
  secretsKey?: string;
  /** For SQLite: `FULL` (default) survives a power cut; `NORMAL` survives `kill -9` and is faster. */
  synchronous?: 'FULL' | 'NORMAL';
  /** The source of time. Default: the system's clock. */
  clock?: Clock;
  /** Called if one of your listeners fails, and for errors that can't be shown in a chat. Default: standard error. */
  onError?: (error: unknown, what: string) => unknown;
  /** Called before and after each step and side effect, for tests that simulate crashes there. */
  probe?: Probe;
}

/** Options for `openCountersign`. */
export interface CountersignOptions<T extends Tool = Tool> extends SharedOptions<T> {
  /**
   * A SQLite file, `:memory:`, a `postgres://` URL, or a store that you opened; `close` closes it. A file has one owner:
   * a second process gets an error. Any number of processes can share a PostgreSQL database.
   */
  store: string | Store;
  /** Worlds to open immediately, so that their agents are up to date when unfinished turns resume. */
  worlds?: readonly (WorldOptions & { name: string })[];
  /** The rules for new worlds without their own `policy`. */
  policy?: NewWorld['policy'];
  /** The MCP servers for worlds that the program first opens without their own `mcp`. */
  mcp?: readonly NewMcpServer[];
}

/** Options for `openWorld`. */
export interface OpenWorldOptions<T extends Tool = Tool> extends WorldOptions, SharedOptions<T> {
  /** The name of the world in the file. Default: the file's name. Created if it doesn't exist. */
  name?: string;
}
