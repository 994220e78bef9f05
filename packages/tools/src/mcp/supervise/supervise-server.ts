import {
  ToolFailure,
  errorMessage,
  type McpServerState,
  type OpenedMcpServer,
  type Tool,
} from '@countersign/core/ports';
import type { McpContext, McpContextRequest, McpServerDefinition } from '@countersign/protocol';
import type { Connection } from '../connect-server.js';
import { keepRunning } from './keep-running.js';
import { connectionDigest } from '../tools/mcp-tool.js';
import { callTool, reach } from './call-tool.js';
import { createCurrent } from './current-server.js';
import { sandboxText } from './describe-sandbox.js';
import { createDiagnosis } from './diagnosis.js';
import { createMask } from './mask-output.js';
import type { Parts, SupervisorOptions } from './parts.js';
import { createView } from './server-view.js';
import { startConnection } from './start-connection.js';

/** One server in one world: it starts on demand, is health-checked while it runs, and restarts when it dies. */
export interface Supervisor {
  tools(): ReadonlyMap<string, Tool>;
  /** The record in use. Another object means that it was replaced. */
  record(): OpenedMcpServer;
  state(): McpServerState;
  isOn(): boolean;
  isRunning(): boolean;
  /** True if callers should not wait this long for the server again. */
  isStuck(ms: number): boolean;
  /** Applies the stored record if it changed. */
  update(record: OpenedMcpServer): Promise<void>;
  /** Stops the server until it is next needed. */
  stop(): Promise<void>;
  /** Starts the server if needed. Rejects with a readable error. */
  start(): Promise<void>;
  /** Lists the tools. Starts the server if needed, without the delay after a failure. Rejects with a readable error. */
  test(): Promise<void>;
  context(): Promise<McpContext>;
  readContext(wanted: McpContextRequest): Promise<string>;
  close(): Promise<void>;
}

const LONGEST_ERROR = 2_000;

export function superviseServer(first: OpenedMcpServer, options: SupervisorOptions): Supervisor {
  const { records, sandbox } = options;
  const { worldId, name } = first.server;
  let closed = false;
  const current = createCurrent(first, options, (...call) => callTool(parts, ...call));
  const hidden = createMask(() => current.record());
  const definition = (): McpServerDefinition => current.definition();
  const diagnosis = createDiagnosis({ definition, sandbox, wasSignedIn: () => current.wasSignedIn() });
  const isConfined = (): boolean => definition().transport === 'stdio' && sandbox.kind !== 'none';
  const view = createView({ place: () => records.place(worldId, name), options, isConfined });
  const explain = (error: unknown): string => hidden().inText(diagnosis.explain(error)).slice(0, LONGEST_ERROR);
  const keeper = keepRunning<Connection>({
    ...options,
    start: (...wanted) => startConnection(parts, ...wanted),
    explain,
    onChange() {
      if (closed) return;
      records
        .notifyChanged(worldId, name)
        .catch((error: unknown) => records.report(error, `the state of "${name}" could not be published`));
    },
  });
  const isOn = (): boolean => !closed && definition().enabled;
  const parts: Parts = {
    name,
    options,
    current,
    diagnosis,
    view,
    keeper,
    hidden,
    relisted: () => Promise.resolve(),
    refuseIfOff() {
      if (!isOn()) throw new ToolFailure(`the MCP server "${name}" is turned off`);
    },
  };
  const ask = async <T>(question: (connection: Connection) => Promise<T>): Promise<T> => {
    parts.refuseIfOff();
    const { workingDirectory } = await records.place(worldId, name);
    const connection = await reach(parts, workingDirectory);
    return await question(connection).catch((error: unknown) => {
      throw new Error(hidden().inText(errorMessage(error)).slice(0, LONGEST_ERROR), { cause: error });
    });
  };

  return {
    tools: () => current.tools(),
    record: () => current.record(),
    state: () => stateOf(parts),
    isOn,
    isRunning: () => keeper.current() !== undefined,
    isStuck: (ms) => keeper.isStuck(ms),
    async update(found) {
      const isOther = needsRestart(parts, found);
      current.replace(found, isOther);
      if (isOther) await keeper.stop();
    },
    stop: () => keeper.stop(),
    async start() {
      parts.refuseIfOff();
      await keeper.get();
    },
    context: () => ask((connection) => connection.context()),
    readContext: (wanted) => ask((connection) => connection.readContext(wanted)),
    test: () => testServer(parts),
    async close() {
      closed = true;
      await keeper.stop();
    },
  };
}

async function testServer({ current, diagnosis, keeper, refuseIfOff }: Parts): Promise<void> {
  refuseIfOff();
  const running = keeper.current();
  if (running !== undefined) {
    try {
      await current.list(running);
      return;
    } catch (error) {
      diagnosis.log().push(`[its tools could not be listed: ${errorMessage(error)}]\n`);
    }
  }
  if (running !== undefined || keeper.state().status === 'failed') await keeper.stop();
  await keeper.get();
}

function needsRestart({ current, keeper }: Parts, found: OpenedMcpServer): boolean {
  const [before, after] = [current.definition(), found.server.definition];
  const isEdited = JSON.stringify(before) !== JSON.stringify(after);
  return (
    connectionDigest(before) !== connectionDigest(after) ||
    // Someone signed in or out.
    current.record().signIn?.grant?.id !== found.signIn?.grant?.id ||
    (before.enabled && !after.enabled) ||
    // A person who edits a failed server wants to know now whether it starts, not after the delay.
    (isEdited && keeper.state().status === 'failed')
  );
}

function stateOf({ options, current, diagnosis, keeper, hidden }: Parts): McpServerState {
  const hide = hidden();
  const now = keeper.state();
  const { enabled } = current.definition();
  const { cause, log } = diagnosis.shown(now.status);
  const words = [...(now.status === 'failed' ? [now.error] : []), ...current.leftOut().slice(0, 20)].join('; ');
  return {
    status: enabled ? now.status : 'off',
    ...(words === '' ? {} : { error: hide.inText(words) }),
    ...(cause === undefined || !enabled ? {} : { cause }),
    sandbox: sandboxText(current.record(), options.sandbox),
    log: log.lines().map((line) => hide.inText(line)),
  };
}
