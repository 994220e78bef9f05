import { createAgentMemory } from '../memory/agent-memory.js';
import { createSnapshotCache } from '../memory/world-snapshot.js';
import type { Clock, Provider, Store, Tool } from '../ports/index.js';
import { createEventBus, type ListenerFailure } from '../publishers/event-bus.js';
import { newId } from '../turn/ids.js';
import { failTurn } from './call-model.js';
import { createClientRegistry, type ClientRegistry } from './clients.js';
import { watchDeadlines } from './expire-approval.js';
import { wordsOf } from './gate-call.js';
import { processAgentMessage } from './process-agent-message.js';
import { commit, type PlaceFinder, type Probe, type Runtime } from './runtime.js';
import { createScheduler, type TurnRun } from './scheduler.js';
import { recover } from './take-over.js';
import { titleChat } from './title-chat.js';

export interface RuntimeOptions {
  store: Store;
  clock: Clock;
  providers: readonly Provider[];
  /** Tools of every world. More can be added to one world later. */
  tools?: readonly Tool[];
  findPlace: PlaceFinder;
  onListenerFailure: ListenerFailure;
  /** Told of failures that have no turn to end in. */
  onError: (error: unknown, what: string) => void;
  ownSecrets?: readonly string[];
  resultLimitBytes?: number;
  probe?: Probe;
}

/** The running engine of one process on one store. */
export interface Engine {
  runtime: Runtime;
  clients: ClientRegistry;
  addTool(worldId: string, tool: Tool): void;
  /** Takes up every unfinished turn, deadline and client where the last process left them (A9). */
  start(): Promise<void>;
  /** Resolves when nothing runs in this process: all is done, or waits for somebody. */
  quiet(): Promise<void>;
  /** Parks what runs, so that the next start takes it up, and closes the store. */
  close(): Promise<void>;
}

const DEFAULT_RESULT_LIMIT = 64 * 1024;
const CLOSE_GRACE_MS = 3_000;

export function createRuntime(options: RuntimeOptions): Engine {
  const { store, clock, onError } = options;
  const common = new Map((options.tools ?? []).map((tool) => [tool.definition.name, tool]));
  const added = new Map<string, Map<string, Tool>>();
  const providers = new Map(options.providers.map((provider) => [provider.name, provider]));
  const background = new Set<Promise<void>>();
  const closing = new AbortController();

  function inBackground(work: Promise<void>, what: string): void {
    const watched = work.catch((error: unknown) => onError(error, what)).finally(() => background.delete(watched));
    background.add(watched);
  }

  const deadlines = watchDeadlines(() => runtime);
  const scheduler = createScheduler(
    (turnId, run) => runTurn(runtime, turnId, run),
    (ms) =>
      new Promise((resolve) => {
        clock.after(ms, resolve);
      }),
  );
  const clients = createClientRegistry(() => runtime);

  function toolsOf(worldId: string): ReadonlyMap<string, Tool> {
    const own = added.get(worldId);
    const remote = clients.tools(worldId);
    if (own === undefined && remote.size === 0) return common;
    return new Map([...common, ...(own ?? []), ...remote]);
  }

  const runtime: Runtime = {
    store,
    clock,
    bus: createEventBus(options.onListenerFailure),
    scheduler,
    memory: createAgentMemory(),
    snapshots: createSnapshotCache(),
    owner: newId('run'),
    provider: (name) => providers.get(name),
    tools: toolsOf,
    findPlace: options.findPlace,
    ownSecrets: options.ownSecrets ?? [],
    resultLimitBytes: options.resultLimitBytes ?? DEFAULT_RESULT_LIMIT,
    probe: options.probe ?? (() => undefined),
    watchDeadline: deadlines.watch,
    chatFellIdle(worldId, chatId) {
      if (closing.signal.aborted) return;
      inBackground(titleChat(runtime, worldId, chatId, closing.signal), 'a chat could not be titled');
    },
    report: onError,
  };

  return {
    runtime,
    clients,
    addTool(worldId, tool) {
      const own = added.get(worldId) ?? new Map<string, Tool>();
      own.set(tool.definition.name, tool);
      added.set(worldId, own);
    },
    async start() {
      await clients.load();
      const expiring = await store.read((reader) => reader.expiringApprovals());
      for (const { worldId, id, expiresAt } of expiring) {
        if (expiresAt !== null) deadlines.watch(worldId, id, expiresAt);
      }
      await recover(runtime);
    },
    async quiet() {
      do {
        await scheduler.quiet();
        await Promise.all(background);
      } while (background.size > 0);
    },
    async close() {
      closing.abort();
      deadlines.close();
      clients.close();
      await scheduler.close(CLOSE_GRACE_MS);
      await Promise.all(background);
      await park(runtime);
      await store.close();
    },
  };
}

/** A step that fails (a full disk, a bug) must not leave a turn hanging without a word; the record says where it stands. */
async function runTurn(runtime: Runtime, turnId: string, run: TurnRun): Promise<void> {
  try {
    await processAgentMessage(runtime, turnId, run);
  } catch (error) {
    if (run.signal.aborted) return;
    runtime.report(error, 'a turn could not go on');
    await endInWords(runtime, turnId, error).catch((again: unknown) => {
      runtime.report(again, 'nor could it be ended; it is taken up at the next start');
    });
  }
}

async function endInWords(runtime: Runtime, turnId: string, error: unknown): Promise<void> {
  const turn = await runtime.store.read((reader) => reader.turn(turnId));
  if (turn === undefined || turn.state === 'ended' || turn.owner !== runtime.owner) return;
  const open =
    turn.iteration === 0 ? [] : await runtime.store.read((reader) => reader.invocations(turn.id, turn.iteration));
  // Calls in flight must not be orphaned: with them the turn stays as it is, for the next start to take over.
  if (open.some((call) => call.settledAt === null)) return;
  await failTurn(runtime, turn, `Something went wrong here: ${wordsOf(error)}. Write again to retry.`);
}

/** An orderly end is no interruption: without this five restarts would end a turn (S3). */
async function park(runtime: Runtime): Promise<void> {
  const turns = await runtime.store.read((reader) => reader.unfinishedTurns());
  for (const turn of turns) {
    if (turn.state !== 'open' || turn.owner !== runtime.owner) continue;
    await commit(runtime, 'park', turn.worldId, async (step) => {
      await step.tx.stepTurn(turn, { owner: null });
    });
  }
}
