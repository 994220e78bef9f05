import { CountersignError, RUN_TOOL } from '@countersign/protocol';
import { discardBatchesOf } from '../batches/create-batch.js';
import { createMemo } from '../masking/create-memo.js';
import { createAgentMemory } from '../memory/agent-memory.js';
import { createSnapshotCache } from '../memory/world-snapshot.js';
import {
  registerTool,
  type Clock,
  type McpHostFactory,
  type Provider,
  type ProviderSource,
  type RegisteredTool,
  type SecretBox,
  type Store,
  type Tool,
  type ToolSource,
} from '../ports/index.js';
import { createEventBus, type ListenerFailure } from '../publishers/event-bus.js';
import { defaultResultLimit } from '../results/index.js';
import { newId, REVIEW_CALL } from '../turn/ids.js';
import { failTurn } from '../turns/call-model.js';
import { dropEndedRehearsals } from '../step/drop-rehearsal.js';
import { withSandboxGrants } from '../step/in-roots.js';
import { createClientRegistry, type ClientRegistry } from '../runners/clients.js';
import { checkAdminSigners } from '../worlds/check-signers.js';
import { compileRules } from '../worlds/compile-rules.js';
import { watchDeadlines } from '../decisions/watch-deadlines.js';
import { watchDelegations } from '../decisions/watch-delegations.js';
import { sealStoredValues } from '../mcp/mcp-servers.js';
import { createMcpRecords } from '../mcp/mcp-records.js';
import { runTurn } from '../turns/run-turn.js';
import { createCallChats } from '../step/commit.js';
import { createQuarantine, createScheduler, type TurnRun } from '../step/scheduler.js';
import type { About, Handover, Measured, PlaceFinder, Probe, Providers, Runtime } from '../step/runtime.js';
import { createRecentRepeats } from '../decisions/recent-repeats.js';
import { dispatchHere } from '../step/move-turn.js';
import { joinOthers } from './join-others.js';
import { watchExternal } from '../runners/watch-external.js';
import { parkTurns } from '../turns/take-over.js';
import { createReviewTool } from '../decisions/review-call.js';
import { releaseCovered } from '../decisions/release-waiting.js';
import { titleChat } from '../turns/title-chat.js';
import { createUnfinishedTurns, type Unfinished } from './unfinished-turns.js';
import { createStop } from '../ports/until-aborted.js';
import { errorMessage } from '../ports/error-message.js';

export interface RuntimeOptions {
  store: Store;
  clock: Clock;
  providers: readonly Provider[];
  /** More providers, which can change at run time. They override static providers with the same name. */
  providerSource?: ProviderSource;
  /** Tools available in every world. More can be added to a single world later. */
  tools?: readonly Tool[];
  /** The tools of external programs (EXT1), by name, such as `claude__Bash`. Undefined if there is no such tool. */
  externalTool?: (name: string) => Tool | undefined;
  /** Sources of tools that can change at run time. */
  toolSources?: readonly ToolSource[];
  /** Runs the MCP servers of all worlds, like `mcpServers(…)` from the tools package. If absent, there are none. */
  mcp?: McpHostFactory;
  findPlace: PlaceFinder;
  onListenerFailure: ListenerFailure;
  /** Receives errors that don't end a turn. */
  onError: (error: unknown, what: string, about?: About) => void;
  ownSecrets?: readonly string[];
  /** Encrypts the variables and headers of MCP servers in the store. If absent, they are stored in plain text. */
  secretBox?: SecretBox;
  resultLimitBytes?: number;
  /**
   * The administrator's rules. No world can change them, and they override every world's rules (RULE1). An invalid rule prevents startup: without it,
   * calls that it denies would run.
   */
  adminRules?: readonly string[];
  listedPrograms?: Runtime['options']['listedPrograms'];
  probe?: Probe;
  /** Called for every turn that ended here, and with the duration of every model call and tool run. Must not throw. */
  onMeasured?: (what: Measured) => void;
}

/** The engine of one process on one store. */
export interface Engine {
  runtime: Runtime;
  clients: ClientRegistry;
  addTool(worldId: string, tool: Tool): void;
  /**
   * Resumes the unfinished turns, deadlines and clients of the previous process (CALL9). With `leave`, for a process that ends soon, unfinished
   * turns stay as they are until someone acts in their chat (TERM4).
   */
  start(unfinished?: Unfinished): Promise<void>;
  /** Chats with a turn that could continue but isn't run by any live process. */
  stalledChats(): Promise<string[]>;
  /** Resolves when nothing runs in this process: all work is done or waits for a person or client. */
  quiet(): Promise<void>;
  /** Parks running turns for the next startup and closes the store. Idempotent: later calls wait for the same shutdown. */
  close(): Promise<void>;
  /** Aborts when closing starts. No events are delivered after that. */
  readonly closing: AbortSignal;
  /** Time since the last successful heartbeat. Absent if one process owns the store. */
  lastHeardMs(): number | undefined;
}

const CLOSE_GRACE_MS = 3_000;
/** About five seconds. If another process crashes between a decision and releasing calls, this one releases them (CALL5). */
const ROUNDS_PER_RELEASE = 5;
/** Attempts to title a chat, so that a model that can't do it isn't asked after every answer. */
const MAX_TITLE_TRIES = 3;
/** The number of titled chats to remember. */
const MAX_TITLED = 10_000;

/** Characters of names of external tools to remember. */
const MOST_EXTERNAL = 100_000;

/** Also finds the tools of external programs, which are not listed. */
class ToolMap extends Map<string, RegisteredTool> {
  outside: (name: string) => RegisteredTool | undefined = () => undefined;
  override get(name: string): RegisteredTool | undefined {
    return super.get(name) ?? this.outside(name);
  }
  override has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}

const ADMIN_RULES = { field: 'adminRules', of: 'adminRules' };

export function createRuntime(options: RuntimeOptions): Engine {
  const { store, clock, onError, adminRules = [] } = options;
  const outside = createMemo(MOST_EXTERNAL, (name) => {
    const found = options.externalTool?.(name);
    return { tool: found === undefined ? undefined : registerTool(found) };
  });
  const common = new ToolMap((options.tools ?? []).map((tool) => [tool.definition.name, registerTool(tool)]));
  common.outside = (name) => outside(name).tool;
  refuseReserved(common.values());
  common.set(REVIEW_CALL, registerTool(createReviewTool(() => runtime)));
  const added = new Map<string, Map<string, RegisteredTool>>();
  const { providerSource } = options;
  const providers = createProviders(options.providers, providerSource);
  const background = new Set<Promise<void>>();
  const titling = new Set<string>();
  const titled = new Set<string>();
  const titleFailures = new Map<string, number>();
  const closing = createStop();
  let rounds = 0;
  let isReleasing = false;

  function inBackground(work: Promise<void>, what: string): void {
    const watched = work.catch((error: unknown) => onError(error, what)).finally(() => background.delete(watched));
    background.add(watched);
  }

  function noteTitled(chatId: string): void {
    titleFailures.delete(chatId);
    titled.add(chatId);
    if (titled.size > MAX_TITLED) for (const oldest of titled) return void titled.delete(oldest);
  }

  const deadlines = watchDeadlines(() => runtime);
  const delegations = watchDelegations(() => runtime);
  const external = watchExternal(() => runtime);
  const scheduler = createScheduler<Handover>(
    async (turnId, run) => {
      if ((await runTurnOrEnd(runtime, turnId, run)) && runtime.running.quarantine.leave(turnId)) takeNextSuspect();
    },
    (ms, fire) => clock.after(ms, fire),
  );
  const clients = createClientRegistry(() => runtime);
  const mcp = options.mcp?.(createMcpRecords(() => runtime));
  const sources = [
    ...(options.toolSources ?? []),
    ...(mcp === undefined ? [] : [mcp]),
    ...(store.shared === undefined ? [] : [clients.source]),
  ];
  const owner = newId('run');
  const bus = createEventBus(options.onListenerFailure);
  const others =
    store.shared === undefined
      ? undefined
      : joinOthers({
          store,
          shared: store.shared,
          clock,
          owner,
          bus,
          scheduler,
          runtime: () => runtime,
          report: onError,
          async eachRound() {
            await watchNextDeadlines();
            await clients.load();
            await providerSource?.load();
            rounds += 1;
            if (rounds % ROUNDS_PER_RELEASE === 0 && !unfinished.endsSoon()) releaseInBackground();
          },
          onChanged({ entity, worldId, id }) {
            const looking = entity === 'client' ? clients.reload(id) : mcp?.reload(worldId, id);
            looking?.catch((error: unknown) => onError(error, 'failed to load a change from another process'));
          },
        });

  function releaseInBackground(): void {
    if (isReleasing || closing.signal.aborted) return;
    isReleasing = true;
    const work = releaseCovered(runtime).finally(() => (isReleasing = false));
    inBackground(work, 'failed to release waiting calls that a grant or rule covers');
  }

  /** With several processes, the next round does this instead. */
  function takeNextSuspect(): void {
    if (others !== undefined || closing.signal.aborted) return;
    inBackground(unfinished.takeNext(), 'failed to resume the next interrupted turn');
  }

  /** Includes approvals from other processes, which may have died by the deadline. */
  async function watchNextDeadlines(): Promise<void> {
    const expiring = await store.read((reader) => reader.expiringApprovals());
    for (const { worldId, id, expiresAt } of expiring) {
      if (expiresAt !== null) deadlines.watch(worldId, id, expiresAt);
    }
  }

  const unfinished = createUnfinishedTurns({
    runtime: () => runtime,
    membership: others?.membership,
    watchDeadlines: watchNextDeadlines,
  });

  function toolsOf(worldId: string): ReadonlyMap<string, RegisteredTool> {
    const own = added.get(worldId);
    const remote = [...sources.map((source) => source.tools(worldId)), clients.tools(worldId)].filter(
      ({ size }) => size > 0,
    );
    if (own === undefined && remote.length === 0) return common;
    // Built-in tools last: external tools can't override them.
    const all = new ToolMap([
      ...remote.flatMap((tools) => [...tools].map(([name, tool]) => [name, registerTool(tool)] as const)),
      ...common,
      ...(own ?? []),
    ]);
    all.outside = common.outside;
    return all;
  }

  function* allTools(): Iterable<RegisteredTool> {
    yield* common.values();
    for (const own of added.values()) yield* own.values();
  }

  const runtime: Runtime = {
    store,
    clock,
    bus: others?.bus ?? bus,
    scheduler,
    dispatch: others?.dispatch ?? dispatchHere(owner, scheduler),
    process: {
      owner,
      mayAct: () => others?.membership.mayAct() ?? true,
      isAlone: () => others === undefined || !others.membership.hasOthers(),
      endsSoon: () => unfinished.endsSoon(),
      resumeUnfinished: (of) => unfinished.resume(of),
    },
    running: { calls: new Set(), answers: new Map(), quarantine: createQuarantine() },
    caches: {
      memory: createAgentMemory(),
      callChats: createCallChats(),
      snapshots: createSnapshotCache(compileRules(adminRules, ADMIN_RULES)),
      repeats: createRecentRepeats(clock),
    },
    options: {
      listedPrograms: options.listedPrograms ?? [],
      resultLimitBytes: options.resultLimitBytes ?? defaultResultLimit,
      ...(options.secretBox === undefined ? {} : { secretBox: options.secretBox }),
    },
    background: {
      external,
      watchDeadline: (worldId, approvalId, expiresAt) => deadlines.watch(worldId, approvalId, expiresAt),
      watchDelegations: (since) => delegations.watch(since),
      onWaiting: () => undefined,
      onCallEnded: (callId) => discardBatchesOf(runtime, callId),
      onChatIdle(worldId, chatId) {
        // A chat that becomes idle twice before its first title must not call the model twice.
        if (closing.signal.aborted || titling.has(chatId) || titled.has(chatId)) return;
        titling.add(chatId);
        const work = titleChat(runtime, worldId, chatId, closing.signal)
          .then((outcome) => {
            const failures = outcome === 'failed' ? (titleFailures.get(chatId) ?? 0) + 1 : 0;
            if (outcome === 'done' || failures >= MAX_TITLE_TRIES) noteTitled(chatId);
            else if (failures > 0) titleFailures.set(chatId, failures);
          })
          .finally(() => titling.delete(chatId));
        inBackground(work, 'failed to title a chat');
      },
    },
    providers,
    tools: toolsOf,
    sources,
    mcp,
    findPlace: withSandboxGrants(options.findPlace),
    ownSecrets: () => [...(options.ownSecrets ?? []), ...(providerSource?.secrets() ?? [])],
    probe: options.probe ?? (() => undefined),
    measure: options.onMeasured ?? (() => undefined),
    confirmPeople: async () => undefined,
    report: onError,
  };

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    closing.stop(new Error('shutting down'));
    deadlines.close();
    delegations.close();
    external.close();
    clients.close();
    await others?.membership.leave().catch((error: unknown) => onError(error, 'failed to stop accepting wake-ups'));
    try {
      await (others === undefined ? endWork() : others.membership.retire(endWork));
    } finally {
      // Close the store even if turns couldn't be parked because it isn't writable.
      await store.close();
    }
  }

  async function endWork(): Promise<void> {
    await scheduler.close(CLOSE_GRACE_MS);
    await Promise.all(background);
    await Promise.all(sources.map((source) => source.close()));
    await Promise.all(options.providers.map(async (provider) => await provider.close?.()));
    await parkTurns(runtime);
  }

  return {
    runtime,
    clients,
    addTool(worldId, tool) {
      refuseReserved([tool]);
      const own = added.get(worldId) ?? new Map<string, RegisteredTool>();
      own.set(tool.definition.name, registerTool(tool));
      added.set(worldId, own);
    },
    async start(how = 'resume') {
      await store.read((reader) => checkAdminSigners(reader, adminRules, ADMIN_RULES));
      await clients.load();
      await providerSource?.load();
      if (mcp !== undefined) await sealStoredValues(runtime);
      await mcp?.load();
      await unfinished.start(how);
      if (how === 'resume') await external.load();
      if (how === 'resume') await delegations.watch();
      if (how === 'resume') inBackground(dropEndedRehearsals(runtime, allTools()), 'failed to delete old rehearsals');
      if (how === 'resume') releaseInBackground();
    },
    stalledChats: () => unfinished.stalledChats(),
    async quiet() {
      do {
        await scheduler.quiet();
        await Promise.all(background);
      } while (background.size > 0 || scheduler.running().length > 0);
    },
    close() {
      closed ??= close();
      return closed;
    },
    closing: closing.signal,
    lastHeardMs: () => others?.membership.lastHeardMs(),
  };
}

/** Otherwise, a call to the program's own tool would be refused outside reviews (SIGN3). */
/** `run` is the name of the server's own tool, in rules too. */
function refuseReserved(tools: Iterable<Pick<RegisteredTool, 'definition' | 'byServer'>>): void {
  for (const { definition, byServer } of tools) {
    const { name } = definition;
    if (name !== REVIEW_CALL && (name !== RUN_TOOL || byServer === true)) continue;
    throw new CountersignError('invalid', `tools: "${name}" is reserved. Choose another name`, { field: 'tools' });
  }
}

function createProviders(given: readonly Provider[], source: ProviderSource | undefined): Providers {
  const fixed = new Map(given.map((provider) => [provider.name, provider]));
  const get = (name: string): Provider | undefined => source?.get(name) ?? fixed.get(name);
  return {
    get,
    names: () => [...new Set([...fixed.keys(), ...(source?.names() ?? [])])],
    async find(name) {
      if (get(name) === undefined) await source?.load();
      return get(name);
    },
    endTurn(turnId) {
      for (const provider of given) provider.endTurn?.(turnId);
    },
    openTurns: () => given.flatMap((provider) => provider.openTurns?.() ?? []),
  };
}

const RETRY_MS = 5_000;

/**
 * Runs a turn. A failed step wrote nothing: if the store works, the turn ends with an error. Returns false if the turn must be retried later,
 * because the store is unavailable or running calls would be orphaned.
 */
async function runTurnOrEnd(runtime: Runtime, turnId: string, run: TurnRun<Handover>): Promise<boolean> {
  try {
    await runTurn(runtime, turnId, run);
    return true;
  } catch (error) {
    if (run.signal.aborted) return true;
    runtime.report(error, 'a turn failed', { turnId });
    const ended = await endBrokenTurn(runtime, turnId, error).catch((again: unknown) => {
      runtime.report(again, 'failed to end a broken turn; retrying', { turnId });
      return false;
    });
    if (!ended) runtime.scheduler.wakeLater(turnId, RETRY_MS);
    return ended;
  }
}

/** Returns false if the turn can't be ended at the moment. */
async function endBrokenTurn(runtime: Runtime, turnId: string, error: unknown): Promise<boolean> {
  const found = await runtime.store.read(async (reader) => {
    const turn = await reader.turn(turnId);
    return turn === undefined ? undefined : { turn, calls: await reader.invocations(turn.id, turn.iteration) };
  });
  if (found === undefined || found.turn.state === 'ended' || found.turn.owner !== runtime.process.owner) return true;
  if (found.calls.some((call) => call.settledAt === null)) return false;
  await failTurn(
    runtime,
    found.turn,
    `An internal error ended this turn: ${errorMessage(error)}. Send your message again to retry.`,
  );
  return true;
}
