import { createAgentMemory } from '../memory/agent-memory.js';
import { createSnapshotCache } from '../memory/world-snapshot.js';
import type { Clock, McpHostFactory, Provider, Store, Tool, ToolSource } from '../ports/index.js';
import { NO_RULES, sandboxGrants } from '../policy/index.js';
import { createEventBus, type ListenerFailure } from '../publishers/event-bus.js';
import { defaultResultLimit } from '../results/index.js';
import { newId } from '../turn/ids.js';
import { failTurn } from '../turns/call-model.js';
import { createClientRegistry, type ClientRegistry } from '../clients/clients.js';
import { compileRules } from '../worlds/compile-rules.js';
import { watchDeadlines } from '../decisions/watch-deadlines.js';
import { createMcpRecords } from '../mcp/mcp-records.js';
import { processAgentMessage } from '../turns/process-agent-message.js';
import { createCallChats } from '../step/call-chats.js';
import { createQuarantine } from '../step/quarantine.js';
import type { About, Handover, Measured, PlaceFinder, Probe, Runtime } from '../step/runtime.js';
import { createRecentRepeats } from '../step/recent-repeats.js';
import { createScheduler, type TurnRun } from '../step/scheduler.js';
import { dispatchHere } from '../step/dispatch.js';
import { joinOthers } from './join-others.js';
import { parkTurns } from '../turns/take-over.js';
import { releaseLeftOver } from '../decisions/release-waiting.js';
import { titleChat } from '../turns/title-chat.js';
import { createUnfinishedTurns, type Unfinished } from './unfinished-turns.js';
import { createStop } from '../ports/until-aborted.js';
import { wordsOf } from '../ports/words-of.js';

export interface RuntimeOptions {
  store: Store;
  clock: Clock;
  providers: readonly Provider[];
  /** Tools of every world. More can be added to one world later. */
  tools?: readonly Tool[];
  /** Where tools come from that come and go. */
  toolSources?: readonly ToolSource[];
  /** Runs the MCP servers of all worlds, as `mcpServers(…)` of the tools package does. Absent: there are none. */
  mcp?: McpHostFactory;
  findPlace: PlaceFinder;
  onListenerFailure: ListenerFailure;
  /** Told of failures that have no turn to end in. */
  onError: (error: unknown, what: string, about?: About) => void;
  ownSecrets?: readonly string[];
  resultLimitBytes?: number;
  /**
   * Rules of whoever runs this, from outside the reach of every world: they win over the rules of all of them (A19). One that
   * can't be read refuses to start: without it, what it denies would run.
   */
  adminRules?: readonly string[];
  probe?: Probe;
  /** Told of every turn that ended here, and of every model call and tool run here with how long it took. It must not throw. */
  onMeasured?: (what: Measured) => void;
}

/** The running engine of one process on one store. */
export interface Engine {
  runtime: Runtime;
  clients: ClientRegistry;
  addTool(worldId: string, tool: Tool): void;
  /**
   * Takes up every unfinished turn, deadline and client where the last process left them (A9). With `leave`, for a process that ends
   * soon, an unfinished turn stays as it is until somebody acts in its chat (X4).
   */
  start(unfinished?: Unfinished): Promise<void>;
  /** Chats with a turn that could go on and that no living process runs. */
  stalledChats(): Promise<string[]>;
  /** Resolves when nothing runs in this process: all is done, or waits for somebody. */
  quiet(): Promise<void>;
  /** Parks what runs, so that the next start takes it up, and closes the store. Once; whoever asks again waits for the same end. */
  close(): Promise<void>;
  /** Fires when closing begins: from here on nothing more is heard. */
  readonly closing: AbortSignal;
  /** How long ago the store was told that this process lives. Absent where one process owns the store. */
  lastHeardMs(): number | undefined;
}

const CLOSE_GRACE_MS = 3_000;
/** About five seconds: when another process crashes between a decision and what it releases, this one does it (A5). */
const ROUNDS_PER_RELEASE = 5;
/** Of how many chats it is remembered that they have their name. */
const MOST_TITLED = 10_000;

export function createRuntime(options: RuntimeOptions): Engine {
  const { store, clock, onError } = options;
  const common = new Map((options.tools ?? []).map((tool) => [tool.definition.name, tool]));
  const added = new Map<string, Map<string, Tool>>();
  const providers = new Map(options.providers.map((provider) => [provider.name, provider]));
  const background = new Set<Promise<void>>();
  const titling = new Set<string>();
  const titled = new Set<string>();
  const closing = createStop();
  let rounds = 0;
  let isReleasing = false;

  function inBackground(work: Promise<void>, what: string): void {
    const watched = work.catch((error: unknown) => onError(error, what)).finally(() => background.delete(watched));
    background.add(watched);
  }

  function noteTitled(chatId: string): void {
    titled.add(chatId);
    if (titled.size > MOST_TITLED) for (const oldest of titled) return void titled.delete(oldest);
  }

  const deadlines = watchDeadlines(() => runtime);
  const scheduler = createScheduler<Handover>(
    async (turnId, run) => {
      if ((await runTurn(runtime, turnId, run)) && runtime.quarantine.leave(turnId)) takeNextSuspect();
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
            rounds += 1;
            if (rounds % ROUNDS_PER_RELEASE === 0 && !unfinished.endsSoon()) releaseInBackground();
          },
          onChanged({ entity, worldId, id }) {
            const looking = entity === 'client' ? clients.look(id) : mcp?.look(worldId, id);
            looking?.catch((error: unknown) => onError(error, 'what another process changed could not be read'));
          },
        });

  function releaseInBackground(): void {
    if (isReleasing || closing.signal.aborted) return;
    isReleasing = true;
    const work = releaseLeftOver(runtime).finally(() => (isReleasing = false));
    inBackground(work, 'waiting calls that a grant or rule covers could not be looked for');
  }

  /** Among others on the store, the next round finds it. */
  function takeNextSuspect(): void {
    if (others !== undefined || closing.signal.aborted) return;
    inBackground(unfinished.takeNext(), 'the next of the interrupted turns could not be taken up');
  }

  /** Of other processes' questions too: the one that asked may be gone when the time has come. */
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

  function toolsOf(worldId: string): ReadonlyMap<string, Tool> {
    const own = added.get(worldId);
    const remote = [...sources.map((source) => source.tools(worldId)), clients.tools(worldId)].filter(
      ({ size }) => size > 0,
    );
    if (own === undefined && remote.length === 0) return common;
    // Ours last: nothing from outside takes the place of a tool of ours.
    return new Map([...remote.flatMap((tools) => [...tools]), ...common, ...(own ?? [])]);
  }

  const runtime: Runtime = {
    store,
    clock,
    bus: others?.bus ?? bus,
    scheduler,
    dispatch: others?.dispatch ?? dispatchHere(owner, scheduler),
    mayAct: () => others?.membership.mayAct() ?? true,
    isAlone: () => others === undefined || !others.membership.hasOthers(),
    inFlight: new Set(),
    quarantine: createQuarantine(),
    memory: createAgentMemory(),
    callChats: createCallChats(),
    snapshots: createSnapshotCache(compileRules(options.adminRules ?? [], { field: 'adminRules', of: 'adminRules' })),
    repeats: createRecentRepeats(clock),
    owner,
    providers,
    tools: toolsOf,
    sources,
    mcp,
    findPlace: withSandboxGrants(options.findPlace),
    ownSecrets: options.ownSecrets ?? [],
    resultLimitBytes: options.resultLimitBytes ?? defaultResultLimit,
    probe: options.probe ?? (() => undefined),
    measure: options.onMeasured ?? (() => undefined),
    attend: (to) => unfinished.attend(to),
    endsSoon: () => unfinished.endsSoon(),
    watchDeadline: (worldId, approvalId, expiresAt) => deadlines.watch(worldId, approvalId, expiresAt),
    chatFellIdle(worldId, chatId) {
      // Falling idle twice before the first title is there must not ask a model twice.
      if (closing.signal.aborted || titling.has(chatId) || titled.has(chatId)) return;
      titling.add(chatId);
      const work = titleChat(runtime, worldId, chatId, closing.signal)
        .then((done) => {
          if (done) noteTitled(chatId);
        })
        .finally(() => titling.delete(chatId));
      inBackground(work, 'a chat could not be titled');
    },
    report: onError,
  };

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    closing.stop(new Error('shutting down'));
    deadlines.close();
    clients.close();
    await others?.membership.leave().catch((error: unknown) => onError(error, 'wake-ups could not be left to others'));
    try {
      await (others === undefined ? endWork() : others.membership.retire(endWork));
    } finally {
      // A store that can't be written parks nothing, and must be let go of all the same.
      await store.close();
    }
  }

  async function endWork(): Promise<void> {
    await scheduler.close(CLOSE_GRACE_MS);
    await Promise.all(background);
    await Promise.all(sources.map((source) => source.close()));
    await parkTurns(runtime);
  }

  return {
    runtime,
    clients,
    addTool(worldId, tool) {
      const own = added.get(worldId) ?? new Map<string, Tool>();
      own.set(tool.definition.name, tool);
      added.set(worldId, own);
    },
    async start(how = 'take-up') {
      await clients.load();
      await mcp?.load();
      await unfinished.start(how);
      if (how === 'take-up') releaseInBackground();
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

/** What rules open to commands in the sandbox is part of the place they run in. */
function withSandboxGrants(findPlace: PlaceFinder): PlaceFinder {
  return (snapshot) => {
    const place = findPlace(snapshot);
    const grants = sandboxGrants({ admin: snapshot.adminPolicy, world: snapshot.policy, agent: NO_RULES }, place);
    return grants.folders.length === 0 && grants.mayReach === undefined ? place : { ...place, grants };
  };
}

const RETRY_MS = 5_000;

/**
 * A step that failed wrote nothing. If the store is there, the turn ends with an error; if not, or if calls are in flight that must
 * not be orphaned, the turn is looked at again: work goes on when the store is back. False: it is.
 */
async function runTurn(runtime: Runtime, turnId: string, run: TurnRun<Handover>): Promise<boolean> {
  try {
    await processAgentMessage(runtime, turnId, run);
    return true;
  } catch (error) {
    if (run.signal.aborted) return true;
    runtime.report(error, 'a turn could not go on', { turnId });
    const ended = await endBrokenTurn(runtime, turnId, error).catch((again: unknown) => {
      runtime.report(again, 'nor could it be ended; it is tried again', { turnId });
      return false;
    });
    if (!ended) runtime.scheduler.wakeLater(turnId, RETRY_MS);
    return ended;
  }
}

/** False: it could not be ended now. */
async function endBrokenTurn(runtime: Runtime, turnId: string, error: unknown): Promise<boolean> {
  const found = await runtime.store.read(async (reader) => {
    const turn = await reader.turn(turnId);
    return turn === undefined ? undefined : { turn, calls: await reader.invocations(turn.id, turn.iteration) };
  });
  if (found === undefined || found.turn.state === 'ended' || found.turn.owner !== runtime.owner) return true;
  if (found.calls.some((call) => call.settledAt === null)) return false;
  await failTurn(runtime, found.turn, `Something went wrong here: ${wordsOf(error)}. Write again to retry.`);
  return true;
}
