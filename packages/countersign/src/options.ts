import type { Probe } from '@countersign/core';
import type { Clock, Provider, Store, Tool } from '@countersign/core/ports';
import type { NewAgent, NewMcpServer, NewWorld, WorldSettings } from '@countersign/protocol';
import type { Approve } from './approver.js';
import type { ApprovalOf } from './typed-approval.js';

/** Settings, agents and rules of one world. */
export interface WorldOptions extends Partial<WorldSettings> {
  /**
   * Rules of a new world. To change those of an existing one, use `setPolicy`, so that opening it never drops a rule.
   */
  policy?: NewWorld['policy'];
  /** Agents to add, or to update if one with this name exists. Others stay. */
  agents?: readonly NewAgent[];
  /** MCP servers to add, or to update if one with this name exists. Others stay. */
  mcp?: readonly NewMcpServer[];
}

/** What all worlds of a store share. */
export interface SharedOptions<T extends Tool = Tool> {
  /** The models that agents can use, by the provider's name. */
  providers?: readonly Provider[];
  /** Tools of every world. They are available when unfinished turns resume; `addTool` comes later. */
  tools?: readonly T[];
  /**
   * Decides approvals in code, in the worlds that this program opens. Without an answer, or if it fails or takes too
   * long, the call waits for a person. It is not asked about questions and about calls with masked arguments.
   */
  approve?: Approve<ApprovalOf<T>>;
  /** How long `approve` may take, in milliseconds. Default: 10 minutes. */
  approveTimeoutMs?: number;
  /** Rules of the administrator: they override those of the worlds, and nothing in a world can change them (A19). */
  adminRules?: readonly string[];
  /**
   * A description of the sandbox for tools that don't report their own. Part of the call hash, shown on the card, and
   * never treated as safe.
   */
  sandbox?: string;
  /** For SQLite: `FULL` (default) survives a power cut; `NORMAL` survives `kill -9` and is faster. */
  synchronous?: 'FULL' | 'NORMAL';
  /** The source of time. Default: the system's clock. */
  clock?: Clock;
  /** Called if one of your listeners fails, and for errors that can't be shown in a chat. Default: standard error. */
  onError?: (error: unknown, what: string) => unknown;
  /** Called before and after each step and side effect; for tests that crash there. */
  probe?: Probe;
}

/** Options of `openCountersign`. */
export interface CountersignOptions<T extends Tool = Tool> extends SharedOptions<T> {
  /**
   * A SQLite file, `:memory:`, a `postgres://` URL, or a store that you opened; `close` closes it. A file has one owner:
   * a second process gets an error. Any number of processes can share a PostgreSQL database.
   */
  store: string | Store;
  /** Worlds to open at once, so that their agents are up to date when unfinished turns resume. */
  worlds?: readonly (WorldOptions & { name: string })[];
  /** Rules of new worlds that have no `policy` of their own. */
  policy?: NewWorld['policy'];
  /** MCP servers of worlds that have no `mcp` of their own. */
  mcp?: readonly NewMcpServer[];
}

/** Options of `openWorld`. */
export interface OpenWorldOptions<T extends Tool = Tool> extends WorldOptions, SharedOptions<T> {
  /** Name of the world in the file. Default: the file's name. Created if it doesn't exist. */
  name?: string;
}
