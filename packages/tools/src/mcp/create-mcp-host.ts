import {
  untilAborted,
  withinTime,
  type Clock,
  type McpHost,
  type McpHostFactory,
  type McpRecords,
  type McpServerWithTools,
  type Tool,
} from '@countersign/core/ports';
import type { Outside } from '../sandbox/gateway/gateway.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { superviseServer, type Supervisor, type SupervisorOptions } from './supervise-server.js';
import { mayName, namePrefix } from './tool-names.js';

export interface McpOptions {
  /** From `findSandbox()`. `none` runs servers with all of our rights: it is said wherever a person decides (A21). */
  sandbox: Sandbox;
  /** Our own home, store and policy: no server ever sees them. */
  hide?: readonly string[];
  /** Folders in the person's home that servers may read, such as a Node that is installed there. */
  show?: readonly string[];
  /** Working folders of all worlds; see `ShellOptions`. */
  writable?: () => Promise<readonly string[]>;
  /** Where the network of a server that has one leads, in tests. */
  outside?: Outside;
  clock: Clock;
  /** For the handshake and a listing. Default: 30,000. */
  connectMs?: number;
  /** Without an answer or a sign of progress. Default: 120,000. */
  callMs?: number;
  /** How long a turn waits for a server that is not there yet. Default: 10,000. */
  turnWaitMs?: number;
  /** How long a call waits for its server. Default: 20,000. */
  callWaitMs?: number;
  /** Between a failure and the next try; doubled after each. Default: 1,000. */
  firstPauseMs?: number;
  /** Between looks whether a server still answers. Default: 30,000. */
  healthMs?: number;
}

/** The MCP servers of all worlds, for `createRuntime({ mcp: mcpServers(…) })`. */
export function mcpServers(options: McpOptions): McpHostFactory {
  return (records) => createMcpHost(records, options);
}

function createMcpHost(records: McpRecords, options: McpOptions): McpHost {
  const { clock, turnWaitMs = 10_000, callWaitMs = 20_000 } = options;
  const settings: SupervisorOptions = {
    records,
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

  async function put(worldId: string, name: string, found: McpServerWithTools | undefined): Promise<void> {
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

  async function look(worldId: string, name: string): Promise<void> {
    await put(worldId, name, await records.one(worldId, name));
  }

  async function start(worldId: string, name: string, waitMs: number, signal?: AbortSignal): Promise<void> {
    const server = worlds.get(worldId)?.get(name);
    if (server === undefined) throw new Error(`there is no MCP server "${name}" in this world`);
    if (server.isRunning()) return;
    const late = `the MCP server "${name}" has not started within ${waitMs / 1000} s`;
    // The start itself goes on: the next one who needs the server finds it further.
    const started = (): Promise<void> => withinTime(clock, waitMs, () => server.start(), late);
    await (signal === undefined ? started() : untilAborted(started, signal));
  }

  return {
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
          // One that is broken would otherwise hold up every answer of every agent.
          if (server.isStuck(turnWaitMs)) throw new Error('it does not start');
          await start(worldId, name, turnWaitMs, signal);
          return [];
        } catch {
          // What a server says of its end is not for a model's ears.
          return [`The MCP server "${name}" does not run at the moment: its tools can't be used.`];
        }
      });
      return Promise.all(missing).then((each) => each.flat());
    },
    async bring(worldId, toolName, signal) {
      const name = [...(worlds.get(worldId)?.keys() ?? [])].find((key) => toolName.startsWith(namePrefix(key)));
      if (name === undefined) return;
      // Another process may have changed or removed it since.
      if (records.isShared()) await look(worldId, name);
      if (worlds.get(worldId)?.get(name)?.isOn() === true) await start(worldId, name, callWaitMs, signal);
    },
    async load() {
      for (const found of await records.all()) await put(found.server.worldId, found.server.name, found);
    },
    look,
    state: (worldId, name) => worlds.get(worldId)?.get(name)?.state(),
    start: (worldId, name, signal) => start(worldId, name, settings.connectMs, signal),
    async close() {
      closed = true;
      const all = [...worlds.values()].flatMap((servers) => [...servers.values()]);
      worlds.clear();
      await Promise.all(all.map((server) => server.close()));
    },
  };
}
