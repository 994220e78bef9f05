import {
  untilAborted,
  withinTime,
  type Clock,
  type McpHost,
  type McpHostFactory,
  type McpRecords,
  type OpenedMcpServer,
  type Tool,
} from '@countersign/core/ports';
import type { Outside } from '../sandbox/gateway/gateway.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { createAuthorizer } from '../mcp-sign-in/authorizer.js';
import type { SupervisorOptions } from './supervise/parts.js';
import { startTimeoutOf } from './supervise/start-connection.js';
import { superviseServer, type Supervisor } from './supervise/supervise-server.js';
import { mayName, serverOf } from './tools/tool-names.js';

export interface McpOptions {
  /** From `findSandbox()`. `none` runs servers with all our permissions; every approval card says so (SAFE1). */
  sandbox: Sandbox;
  /** Our home folder, store and policy, which no server may see. */
  hide?: readonly string[];
  /** Folders in the user's home folder that servers may read, such as a Node.js installation. */
  show?: readonly string[];
  /** Working folders of all worlds; see `ShellOptions`. */
  writable?: () => Promise<readonly string[]>;
  /** Replaces the servers' network in tests. */
  outside?: Outside;
  clock: Clock;
  /** Timeout for the handshake and for listing tools. Default: 30,000. A package runner that downloads gets two minutes more to start. */
  connectMs?: number;
  /** How long a call may go without a response or progress. Default: 120,000. */
  callMs?: number;
  /** How long a turn waits for a server that is starting. Default: 10,000. */
  turnWaitMs?: number;
  /** How long a call waits for its server. Default: 20,000. */
  callWaitMs?: number;
  /** Delay after the first failure; doubled after each further failure. Default: 1,000. */
  firstPauseMs?: number;
  /** Interval between health checks. Default: 30,000. */
  healthMs?: number;
}

/** The MCP servers of all worlds, for `createRuntime({ mcp: mcpServers(…) })`. */
export function mcpServers(options: McpOptions): McpHostFactory {
  return (records) => createMcpHost(records, options);
}

function createMcpHost(records: McpRecords, options: McpOptions): McpHost {
  const { clock, turnWaitMs = 10_000, callWaitMs = 20_000 } = options;
  const authorizer = createAuthorizer(clock);
  const settings: SupervisorOptions = {
    records,
    authorizer,
    clock,
    sandbox: options.sandbox,
    hide: options.hide ?? [],
    show: options.show ?? [],
    ...(options.writable === undefined ? {} : { writable: options.writable }),
    ...(options.outside === undefined ? {} : { outside: options.outside }),
    connectMs: options.connectMs ?? 30_000,
    callMs: options.callMs ?? 120_000,
    firstPauseMs: options.firstPauseMs ?? 1_000,
    healthMs: options.healthMs ?? 30_000,
  };
  const worlds = new Map<string, Map<string, Supervisor>>();
  const none: ReadonlyMap<string, Tool> = new Map();
  let closed = false;

  async function put(worldId: string, name: string, found: OpenedMcpServer | undefined): Promise<void> {
    const servers = worlds.get(worldId) ?? new Map<string, Supervisor>();
    const known = servers.get(name);
    if (found === undefined || closed) {
      servers.delete(name);
      if (servers.size === 0) worlds.delete(worldId);
      await known?.close();
    } else if (known === undefined) {
      servers.set(name, superviseServer(found, settings));
      worlds.set(worldId, servers);
    } else await known.update(found);
  }

  async function reload(worldId: string, name: string): Promise<void> {
    const known = (): unknown => worlds.get(worldId)?.get(name)?.record();
    for (;;) {
      const before = known();
      const found = await records.one(worldId, name);
      // Another reload or a listing finished first and may be newer than what we read, so read again.
      if (known() === before) return await put(worldId, name, found);
    }
  }

  function supervisorOf(worldId: string, name: string): Supervisor {
    const server = worlds.get(worldId)?.get(name);
    if (server === undefined) throw new Error(`there is no MCP server "${name}" in this world`);
    return server;
  }

  function startMsOf(server: Supervisor): number {
    return startTimeoutOf(server.record().server.definition, settings.connectMs);
  }

  async function start(worldId: string, name: string, waitMs: number, signal?: AbortSignal): Promise<void> {
    const server = supervisorOf(worldId, name);
    if (server.isRunning()) return;
    const late = `the MCP server "${name}" did not start within ${waitMs / 1000} s`;
    // The start continues in the background, so the next caller waits less.
    const started = (): Promise<void> => withinTime(clock, waitMs, () => server.start(), late);
    await (signal === undefined ? started() : untilAborted(started, signal));
  }

  return {
    isConfined: options.sandbox.kind !== 'none',
    tools(worldId) {
      const servers = worlds.get(worldId);
      if (servers === undefined) return none;
      return new Map([...servers.values()].flatMap((server) => [...server.tools()]));
    },
    prepare(worldId, patterns, signal) {
      const servers = [...(worlds.get(worldId) ?? [])].filter(
        ([name, server]) => server.isOn() && !server.isRunning() && patterns.some((pattern) => mayName(pattern, name)),
      );
      if (servers.length === 0) return undefined;
      const missing = servers.map(async ([name, server]) => {
        try {
          // Otherwise, a broken server would delay every answer from every agent.
          if (server.isStuck(turnWaitMs)) throw new Error('it failed to start');
          await start(worldId, name, turnWaitMs, signal);
          return [];
        } catch {
          // Don't show the server's own error text to the model.
          const isSignedOut = server.state().cause?.code === 'sign-in';
          return [
            `The MCP server "${name}" ${isSignedOut ? 'needs a person to sign in' : 'is not running'}, so its tools can't be used.`,
          ];
        }
      });
      return Promise.all(missing).then((each) => each.flat());
    },
    async refresh(worldId, toolName, signal) {
      const name = serverOf(toolName);
      if (name === undefined) return;
      // Another process may have added, changed or removed the server, and its notification may be late.
      if (records.isShared()) await reload(worldId, name);
      if (worlds.get(worldId)?.get(name)?.isOn() === true) await start(worldId, name, callWaitMs, signal);
    },
    async load() {
      for (const found of await records.all()) await put(found.server.worldId, found.server.name, found);
    },
    reload,
    stop: async (worldId, name) => await supervisorOf(worldId, name).stop(),
    state: (worldId, name) => worlds.get(worldId)?.get(name)?.state(),
    context: async (worldId, name) => await supervisorOf(worldId, name).context(),
    readContext: async (worldId, name, wanted) => await supervisorOf(worldId, name).readContext(wanted),
    async test(worldId, name) {
      const server = supervisorOf(worldId, name);
      const waitMs = startMsOf(server);
      const late = `the MCP server "${name}" did not start within ${waitMs / 1000} s`;
      await withinTime(clock, waitMs, () => server.test(), late);
    },
    authorizer,
    // Async, so that it rejects if the server was removed in the meantime: callers that don't wait only catch rejections.
    start: async (worldId, name, signal) => await start(worldId, name, startMsOf(supervisorOf(worldId, name)), signal),
    async close() {
      closed = true;
      const all = [...worlds.values()].flatMap((servers) => [...servers.values()]);
      worlds.clear();
      await Promise.all(all.map((server) => server.close()));
    },
  };
}
