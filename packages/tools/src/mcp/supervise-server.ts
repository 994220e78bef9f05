import {
  ToolFailure,
  hasAuthorizationHeader,
  errorMessage,
  type Clock,
  type McpAuthorizer,
  type McpRecords,
  type McpServerState,
  type McpServerWithTools,
  type McpTokens,
  type OpenedMcpServer,
  type OpenedToSandbox,
  type Tool,
  type ToolContext,
} from '@countersign/core/ports';
import {
  fillValues,
  type CallSandbox,
  type McpCause,
  type McpContext,
  type McpContextRequest,
} from '@countersign/protocol';
import type { Outside } from '../sandbox/gateway/gateway.js';
import { describeSandbox, sandboxFacts, type Sandbox } from '../sandbox/sandbox.js';
import { createSchemaChecker } from './check-schema.js';
import type { Connection } from './connect-server.js';
import { presentTokens } from '../mcp-sign-in/present-tokens.js';
import { failureCause } from './failure-cause.js';
import { hideValues, type HideValues } from './hide-values.js';
import { keepRunning } from './keep-running.js';
import { connectionDigest, type SeenTool } from './mcp-tool.js';
import { offerTools, type Held } from './offer-tools.js';
import { createServerLog, type ServerLog } from './server-log.js';
import { readNpmRegistry } from './read-npm-registry.js';
import { NoAnswer, startCause } from './start-cause.js';
import type { RefusedHost } from '../web/network.js';
import { canLimitHosts, describeView, networkOf, type ProcessPlace } from './start-server-process.js';

export interface SupervisorOptions {
  records: McpRecords;
  authorizer: McpAuthorizer;
  clock: Clock;
  sandbox: Sandbox;
  hide: readonly string[];
  show: readonly string[];
  writable?: () => Promise<readonly string[]>;
  outside?: Outside;
  connectMs: number;
  callMs: number;
  firstPauseMs: number;
  healthMs: number;
}

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
  /** Starts the server if needed. Rejects with a readable error. */
  start(): Promise<void>;
  /** Lists the tools. Starts the server if needed, without the delay after a failure. Rejects with a readable error. */
  test(): Promise<void>;
  context(): Promise<McpContext>;
  readContext(wanted: McpContextRequest): Promise<string>;
  close(): Promise<void>;
}

const LONGEST_ERROR = 2_000;
const MAX_REFUSED = 100;
/** A server can try any text; only a host name is offered as a fix. */
const HOST_NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/i;
const MAX_TOKENS = 20;

export function superviseServer(first: OpenedMcpServer, options: SupervisorOptions): Supervisor {
  const { records } = options;
  const { worldId, name } = first.server;
  let record = first;
  let checker = createSchemaChecker();
  let log = createServerLog();
  let refused: RefusedHost[] = [];
  let unlisted: string[] = [];
  let registry: string | undefined;
  /** Kept while the next attempt runs: a retry must not replace the explanation of the failure. */
  let lastFailure: { log: ServerLog; cause: McpCause | undefined } | undefined;
  /** Whether the server's last response was 401. */
  let isUnauthorized = false;
  /** Masked in its output, even after they were replaced. */
  const knownTokens = new Set<string>();
  let leftOut: readonly string[] = [];
  let relisting = refresher(list, () => undefined);
  let closed = false;
  let view = '';
  let opened = '';
  const offered = offerTools(call);
  const keeper = keepRunning<Connection>({ ...options, start, explain, onChange });
  rebuild();
  const signIn = {
    authProvider: presentTokens({
      clock: options.clock,
      tokens: () => record.signIn?.grant?.tokens,
      renew,
      wasSignedIn,
    }),
    onStatus: (status: number) => (isUnauthorized = status === 401),
  };

  function rebuild(): void {
    const unconfined = record.server.definition.transport === 'stdio' && options.sandbox.kind === 'none';
    const sandbox: Held['sandbox'] = (opened) => sandboxOf(record, options.sandbox, opened);
    offered.rebuild(record, { sandbox, unconfined }, checker);
  }

  async function renew(used: string): Promise<McpTokens | undefined> {
    const tokens = await records.renewTokens(worldId, name, used, (...grant) => options.authorizer.refresh(...grant));
    const { signIn: known } = record;
    if (tokens !== undefined && known?.grant !== undefined)
      record = { ...record, signIn: { ...known, grant: { ...known.grant, tokens } } };
    return tokens;
  }

  function wasSignedIn(): boolean {
    // A sign-in that can't be decrypted counts: the person has to sign in again.
    return record.server.signIn !== null && (record.signIn === undefined || record.signIn.grant !== undefined);
  }

  function hidden(): HideValues {
    const { tokens } = record.signIn?.grant ?? {};
    for (const token of [tokens?.access, tokens?.refresh]) if (token !== undefined) knownTokens.add(token);
    for (const oldest of knownTokens) if (knownTokens.size > MAX_TOKENS) knownTokens.delete(oldest);
    return secretsOf(record, knownTokens);
  }

  async function start(wanted: string | undefined, signal: AbortSignal, ended: () => void): Promise<Connection> {
    if (record.problem !== undefined) throw new Error(`${record.problem}. Enter them again`);
    const definition = fillValues(record.server.definition);
    const place = await placeNow(wanted);
    const { workingDirectory } = place;
    // Read before the start: a file created in between is missed here, but found by the next call.
    opened = describeOpened(place.grants);
    view = definition.transport === 'stdio' ? await describeView(place) : '';
    log = createServerLog();
    refused = [];
    isUnauthorized = false;
    const refusedNow = refused;
    unlisted = [];
    const unlistedNow = unlisted;
    registry = await readNpmRegistry();
    checker = createSchemaChecker();
    const said = log;
    const onRefused = (host: RefusedHost): void => {
      if (refusedNow.length < MAX_REFUSED) refusedNow.push(host);
    };
    const onUnlisted = (host: string): void => {
      if (unlistedNow.length < MAX_REFUSED && HOST_NAME.test(host)) unlistedNow.push(host);
    };
    relisting = refresher(list, (words) => said.push(`[its tools could not be listed again: ${words}]\n`));
    // Loaded lazily: the SDK takes half as long to load as everything else, and most worlds have no server.
    const { connectServer, createHttpTransport, createStdioTransport } = await import('./speak.js');
    const connection = await connectServer({
      ...options,
      server: name,
      transport: () =>
        definition.transport === 'stdio'
          ? createStdioTransport(definition, { ...place, onRefused, onUnlisted, registry }, (text) => said.push(text))
          : createHttpTransport(definition, signIn),
      workingDirectory,
      log: said,
      hide: { inText: (text) => hidden().inText(text), inData: (value) => hidden().inData(value) },
      checker,
      signal,
      listChanged: (from) => relisting.begin(from),
      ended,
      doubt: () => keeper.doubt(),
    });
    try {
      await list(connection);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async function placeNow(wanted: string | undefined): Promise<ProcessPlace> {
    const { sandbox, hide, show, writable, outside } = options;
    const place = await records.place(worldId, name);
    return {
      sandbox,
      hide,
      show,
      ...(writable === undefined ? {} : { writable }),
      ...(outside === undefined ? {} : { outside }),
      ...place,
      ...(wanted === undefined ? {} : { workingDirectory: wanted }),
    };
  }

  /** A server's view of the disk is fixed when it starts. If the rules or the files they name have changed, the server is restarted. */
  async function renewView(wanted: string): Promise<void> {
    if (!hasView() || keeper.current() === undefined) return;
    if ((await describeView(await placeNow(wanted))) !== view) await keeper.stop();
  }

  function hasView(): boolean {
    return record.server.definition.transport === 'stdio' && options.sandbox.kind !== 'none';
  }

  async function list(from: Connection): Promise<void> {
    const read = await from.list();
    let before = record;
    let kept = await records.listed(worldId, name, read.tools);
    // A person changed the server in the meantime. What we read may be older, such as trust that was just taken away.
    while (record !== before) {
      before = record;
      kept = await records.one(worldId, name);
    }
    leftOut = read.leftOut;
    if (kept !== undefined) record = kept;
    rebuild();
  }

  async function reach(workingDirectory: string): Promise<Connection> {
    await renewView(workingDirectory);
    return await keeper.get(workingDirectory);
  }

  async function call(tool: SeenTool, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    refuseIfOff();
    const connection = await reach(context.workingDirectory).catch((error: unknown) => {
      throw new ToolFailure(`the MCP server "${name}" is not running, so nothing ran: ${errorMessage(error)}`);
    });
    context.signal.throwIfAborted();
    await relisting.listed();
    context.signal.throwIfAborted();
    // The server may have restarted with rules that are newer than the approval.
    if (hasView() && opened !== describeOpened(context.sandboxGrants)) {
      const words = `rules just changed what the MCP server "${name}" can reach. Nothing ran. Call it again.`;
      throw new ToolFailure(words);
    }
    // The tool may have changed after the gate checked the call.
    const now = record.tools.find((entry) => entry.name === tool.name);
    if (now?.seenDigest !== tool.seenDigest) {
      const words = `the MCP server "${name}" just changed this tool. Nothing ran. Check its definition and call it again.`;
      throw new ToolFailure(words);
    }
    const result = await connection.call(tool.seen.name, args, context);
    keeper.proven();
    return result;
  }

  async function asking<T>(ask: (connection: Connection) => Promise<T>): Promise<T> {
    refuseIfOff();
    const { workingDirectory } = await records.place(worldId, name);
    const connection = await reach(workingDirectory);
    try {
      return await ask(connection);
    } catch (error) {
      throw new Error(hidden().inText(errorMessage(error)).slice(0, LONGEST_ERROR), { cause: error });
    }
  }

  function refuseIfOff(): void {
    if (closed || !record.server.definition.enabled) throw new ToolFailure(`the MCP server "${name}" is turned off`);
  }

  function explain(error: unknown): string {
    const how = errorMessage(error);
    lastFailure = { log, cause: causeOf(error) };
    const cause = failureCause(log.lines(), how);
    return hidden()
      .inText(cause === '' ? how : `${cause} (${how})`)
      .slice(0, LONGEST_ERROR);
  }

  function causeOf(error: unknown): McpCause | undefined {
    const { definition } = record.server;
    if (definition.transport === 'http')
      return isUnauthorized && !hasAuthorizationHeader(definition)
        ? { code: 'sign-in', expired: wasSignedIn() }
        : undefined;
    const isSilent = error instanceof NoAnswer;
    return startCause({ definition, sandbox: options.sandbox, refused, unlisted, registry, isSilent });
  }

  function onChange(): void {
    if (closed) return;
    records
      .notifyChanged(worldId, name)
      .catch((error: unknown) => records.report(error, `the state of "${name}" could not be published`));
  }

  return {
    tools: () => offered.tools(),
    record: () => record,
    state() {
      const hide = hidden();
      const now = keeper.state();
      const failure = now.status === 'failed' ? lastFailure : undefined;
      const cause = now.status === 'starting' ? causeOf(undefined) : failure?.cause;
      const words = [...(now.status === 'failed' ? [now.error] : []), ...leftOut.slice(0, 20)].join('; ');
      return {
        status: record.server.definition.enabled ? now.status : 'off',
        ...(words === '' ? {} : { error: hide.inText(words) }),
        ...(cause === undefined || !record.server.definition.enabled ? {} : { cause }),
        sandbox: sandboxText(record, options.sandbox),
        log: (failure?.log ?? log).lines().map((line) => hide.inText(line)),
      };
    },
    isOn: () => !closed && record.server.definition.enabled,
    isRunning: () => keeper.current() !== undefined,
    isStuck: (ms) => keeper.isStuck(ms),
    async update(found) {
      const [before, after] = [record.server.definition, found.server.definition];
      const isEdited = JSON.stringify(before) !== JSON.stringify(after);
      const other =
        connectionDigest(before) !== connectionDigest(after) ||
        // Someone signed in or out.
        record.signIn?.grant?.id !== found.signIn?.grant?.id ||
        (before.enabled && !after.enabled) ||
        // A person who edits a failed server wants to know now whether it starts, not after the delay.
        (isEdited && keeper.state().status === 'failed');
      record = found;
      if (other) leftOut = [];
      rebuild();
      if (other) await keeper.stop();
    },
    async start() {
      refuseIfOff();
      await keeper.get();
    },
    context: () => asking((connection) => connection.context()),
    readContext: (wanted) => asking((connection) => connection.readContext(wanted)),
    async test() {
      refuseIfOff();
      const running = keeper.current();
      if (running !== undefined) {
        try {
          await list(running);
          return;
        } catch (error) {
          log.push(`[its tools could not be listed: ${errorMessage(error)}]\n`);
        }
      }
      if (running !== undefined || keeper.state().status === 'failed') await keeper.stop();
      await keeper.get();
    },
    async close() {
      closed = true;
      await keeper.stop();
    },
  };
}

interface Refresher {
  begin(from: Connection): void;
  /** Resolves when all changes announced so far are listed, or listing failed. */
  listed(): Promise<void>;
}

/** Runs one listing at a time, and one more if the tools have changed since, so that a server that keeps announcing changes can't flood us. */
function refresher(list: (from: Connection) => Promise<void>, failed: (words: string) => void): Refresher {
  let stale = false;
  let busy = false;
  let round: Promise<void> | undefined;
  const begin = (from: Connection): void => {
    stale = true;
    if (busy) return;
    busy = true;
    const work = async (): Promise<void> => {
      while (stale) {
        stale = false;
        round = list(from);
        await round;
      }
    };
    work()
      .catch((error: unknown) => failed(errorMessage(error)))
      .finally(() => {
        busy = false;
        round = undefined;
      });
  };
  return {
    begin,
    async listed() {
      // The second round started after this call. Don't wait for more: a server that never stops announcing changes would block the call
      // forever.
      await round?.catch(() => undefined);
      await round?.catch(() => undefined);
    },
  };
}

function secretsOf({ server: { definition } }: McpServerWithTools, tokens: ReadonlySet<string>): HideValues {
  const values = definition.transport === 'stdio' ? definition.env : definition.headers;
  const named: Record<string, string> = {};
  for (const [index, token] of [...tokens].entries()) named[`token ${index + 1}`] = token;
  return hideValues({ ...values, ...named });
}

function describeOpened({ folders = [], privateHosts = [] }: Partial<OpenedByRules> = {}): string {
  return JSON.stringify([folders, privateHosts]);
}

type OpenedByRules = Pick<OpenedToSandbox, 'folders' | 'privateHosts'>;

/** Shown on the card. What a remote server can reach is unknown. */
function sandboxOf(
  { server: { definition } }: McpServerWithTools,
  sandbox: Sandbox,
  { folders, privateHosts }: OpenedByRules,
): CallSandbox {
  if (definition.transport === 'http') {
    const detail = new URL(definition.url).origin;
    return { kind: 'remote', network: 'unknown', hosts: [], readable: [], detail };
  }
  // The server's own `network` setting opens public hosts; rules don't.
  const readable = [...folders, ...(definition.folders ?? [])];
  const { network } = definition;
  if (typeof network === 'object') {
    const opened = { folders: readable, privateHosts, hosts: [...network.hosts, ...privateHosts], anyHost: false };
    return sandboxFacts(sandbox, { network: 'none', opened });
  }
  const opened = { folders: readable, privateHosts, hosts: [], anyHost: false };
  return sandboxFacts(sandbox, { network: networkOf(sandbox, network), opened });
}

/** Shown in the status, which also says if there is no sandbox (A21). */
function sandboxText({ server: { definition } }: McpServerWithTools, sandbox: Sandbox): string {
  if (definition.transport === 'http') return `none: it runs remotely, at ${new URL(definition.url).origin}`;
  if (sandbox.kind === 'none') return `none: ${sandbox.reason}`;
  const { network } = definition;
  if (typeof network === 'object')
    return canLimitHosts(sandbox)
      ? `${sandbox.kind}, network limited to ${network.hosts.join(', ')}`
      : `${sandbox.kind}, which can't limit a server to hosts`;
  return describeSandbox(sandbox, { network: networkOf(sandbox, network) });
}
