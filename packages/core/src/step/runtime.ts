import { CountersignError, type CallSandbox } from '@countersign/protocol';
import type { Gate } from '../approval/index.js';
import type {
  Clock,
  Fact,
  InvocationRecord,
  McpHost,
  Provider,
  StepNeeds,
  StepReads,
  StepWrites,
  Store,
  StoredEvent,
  StoreTransaction,
  Tool,
  ToolSource,
  TurnOutcome,
} from '../ports/index.js';
import { StepTransaction } from '../facts/step-transaction.js';
import type { PolicyCall, SandboxGrants } from '../policy/index.js';
import type { AgentMemory } from '../memory/agent-memory.js';
import type { SnapshotCache, WorldSnapshot } from '../memory/world-snapshot.js';
import type { EventBus } from '../publishers/event-bus.js';
import type { CallChats } from './call-chats.js';
import { noWorld } from './look-up.js';
import type { Quarantine } from './quarantine.js';
import type { RecentRepeats } from './recent-repeats.js';
import type { Scheduler } from './scheduler.js';
import type { Situation } from './turn-state.js';

/** Where a world's tools act, looked up for each call: a folder may have become a link since it was signed (A7). */
export interface Place {
  /** Real path, links resolved. */
  workingDirectory: string;
  home: string;
  /** What tools run in that say nothing about it themselves. Absent: this process, with its rights. */
  sandbox?: CallSandbox;
  /** What rules open to commands in the sandbox. */
  grants?: SandboxGrants;
}
/** Throws if the folder can't be used. Synchronous: a system call takes three microseconds, its asynchronous form waits for a thread. */
export type PlaceFinder = (world: WorldSnapshot) => Place;

/** Named moments before and after which a crash must lose nothing; crash tests are generated from them. */
export type Probe = (moment: string) => void;

/** What was done and how long it took, for metrics. Nothing is decided by it. */
export type Measured = { worldId: string; turnId: string } & (
  | { kind: 'turn'; outcome: TurnOutcome }
  | { kind: 'tool'; invocationId: string; tool: string; outcome: 'succeeded' | 'failed' | 'unknown'; ms: number }
  | { kind: 'model'; provider: string; model: string; outcome: 'answered' | 'failed'; ms: number }
);

/** What a failure was about, as far as that is known. */
export interface About {
  worldId?: string;
  turnId?: string;
  invocationId?: string;
}

/** A chat, or the chat of a call or an approval. */
export type Attended = { chatId: string } | { callId: string };

/** What every step of the loop needs. One per process and store. */
export interface Runtime {
  store: Store;
  clock: Clock;
  bus: EventBus;
  scheduler: Scheduler<Handover>;
  /** Where turns run that a step made runnable. */
  dispatch: Dispatch;
  /** May a side effect begin? Not in a process that others may already count as dead. */
  mayAct(): boolean;
  /** Does no other process share the store, as far as is known? Then what this one has in memory is all there is. */
  isAlone(): boolean;
  /** Calls whose tools this process runs. One that has started under our name and is not among them is nobody's. */
  inFlight: Set<string>;
  quarantine: Quarantine;
  memory: AgentMemory;
  callChats: CallChats;
  snapshots: SnapshotCache;
  repeats: RecentRepeats;
  /** Names this process in the claims of turns. */
  owner: string;
  providers: ReadonlyMap<string, Provider>;
  tools(worldId: string): ReadonlyMap<string, Tool>;
  /** Where tools come from that come and go. */
  sources: readonly ToolSource[];
  /** One of them. Absent where no MCP servers are run. */
  mcp: McpHost | undefined;
  findPlace: PlaceFinder;
  /** Our own tokens: a tool that finds one must not pass it to a model (T14). */
  ownSecrets: readonly string[];
  resultLimitBytes: number;
  probe: Probe;
  measure(what: Measured): void;
  /** Called before somebody acts in a chat: a process that left unfinished turns alone takes up those of this chat (X4). */
  attend(to: Attended): Promise<void>;
  /** What is started in another chat than the one somebody acts in would be cut off. */
  endsSoon(): boolean;
  /** Arms the timer of an approval with a deadline. */
  watchDeadline(worldId: string, approvalId: string, expiresAt: number): void;
  /** A chat has nothing left to do: the moment to give it a title (M7). */
  chatFellIdle(worldId: string, chatId: string): void;
  /** Told of failures that have no turn to end in. */
  report(error: unknown, what: string, about?: About): void;
}

/** A call that has been marked as started and is to run now. */
export interface Started {
  invocation: InvocationRecord;
  tool: Tool;
  value: unknown;
  place: Place;
  /** As rules judge it. */
  policyCall: PolicyCall;
  /** Why the gate let it run. */
  because: Extract<Gate, { kind: 'run' }>['because'];
  /** What the tool found when the call was signed. */
  fingerprint: string | undefined;
  /** The world and its rules as of the start. */
  snapshot: WorldSnapshot;
}

/** What a step hands to the run of a turn: how it left the turn, and calls that it has marked as started and that are to run now. */
export interface Handover {
  situation: Situation;
  started: readonly Started[];
}

/** Where turns run that a step has made runnable. */
export interface Dispatch {
  /** The owner such a turn gets: this process, or nobody until another claims it. Asked once per turn: it may change at any moment. */
  readonly owner: string | null;
  /** In the step that made it runnable, last of what is written of the turn. `started` only where it is this process that runs it. */
  wake(step: Step, turnId: string, started?: readonly Started[]): void;
  /** After the commit of the step that ended it: the process that runs it must stop. */
  abort(turnId: string, reason: string): void;
}

/** What happens once a step or a change is kept, or if it is not. */
interface Afterwards {
  /** Runs after the commit, in order. For wake-ups and aborts, which must not happen for what was rolled back. */
  afterCommit: (act: () => void) => void;
  /** Runs if nothing was kept. */
  afterRollback: (act: () => void) => void;
}

/** A step in one or more chats while it is decided, with the world as of it. */
export interface Step extends Afterwards {
  tx: StepTransaction;
  snapshot: WorldSnapshot;
}

/** A change of a world that concerns no running chat: its settings, agents, clients and MCP servers. */
export interface WorldChange extends Afterwards {
  tx: StoreTransaction;
  snapshot: WorldSnapshot;
}

/**
 * Persist, then publish (S1): `decide` is one step, and what it emitted reaches listeners only when it is kept. It is synchronous, reads only
 * what is in `needs`, and may be called again. Throws `not-found` if the world is gone.
 */
export async function commit<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  needs: StepNeeds,
  decide: (step: Step) => T,
): Promise<T> {
  runtime.probe(`before ${name}`);
  return await runStep(runtime, name, worldId, needs, decide);
}

async function runStep<T>(
  runtime: Runtime,
  name: string | undefined,
  worldId: string,
  needs: StepNeeds,
  decide: (step: Step) => T,
): Promise<T> {
  let after = createAfterwards();
  const decideNow = (reads: StepReads): { value: T; writes: StepWrites } => {
    // Decided before, and somebody else was faster.
    after.rolledBack();
    after = createAfterwards();
    const { afterCommit, afterRollback } = after;
    // What is remembered of such a chat lacks what the other process has written.
    for (const id of needs.chats) if (reads.wroteElsewhere(id)) runtime.memory.forgetChat(id);
    const tx = new StepTransaction(worldId, needs, reads);
    const value = decide({ tx, snapshot: snapshotAt(runtime, worldId, reads), afterCommit, afterRollback });
    const writes = tx.writes();
    for (const fact of writes.facts) {
      runtime.memory.heard(fact);
      runtime.callChats.note(fact);
    }
    if (writes.facts.length > 0) afterRollback(() => needs.chats.forEach((id) => runtime.memory.forgetChat(id)));
    // Somebody may have read the world as this step has made it, and the next change of it gets the same `rev`.
    if (writes.facts.some(changesWorld)) afterRollback(() => runtime.snapshots.forget(worldId));
    return { value, writes };
  };
  for (let left = MOST_LOOKS; ; left -= 1) {
    try {
      const { value } = await runtime.store.step(worldId, needs, decideNow, (events) =>
        publishKept(runtime, name, after, events),
      );
      return value;
    } catch (error) {
      after.rolledBack();
      if (!(error instanceof OldSnapshot) || left === 0) throw error;
      await runtime.store.read((reader) => runtime.snapshots.read(reader, worldId));
    }
  }
}

/** Reads what a step would, and writes nothing. */
export async function look<T>(
  runtime: Runtime,
  worldId: string,
  needs: StepNeeds,
  read: (step: Pick<Step, 'tx' | 'snapshot'>) => T,
): Promise<T> {
  return await runStep(runtime, undefined, worldId, { ...needs, isLook: true }, read);
}

/** A world as it is now, or as this process last knew it if a step follows. Undefined: there is no such world. */
export async function readSnapshot(
  runtime: Runtime,
  worldId: string,
  { recent = false } = {},
): Promise<WorldSnapshot | undefined> {
  return await unlessGone(look(runtime, worldId, { chats: [], recent }, ({ snapshot }) => snapshot));
}

/** Undefined: what was looked for is not there any more. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** The same for a change of a world, in a transaction. */
export async function changeWorld<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  work: (change: WorldChange) => Promise<T>,
): Promise<T> {
  return await untilCurrent(() => changeOnce(runtime, name, worldId, work));
}

async function changeOnce<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  work: (change: WorldChange) => Promise<T>,
): Promise<T> {
  const after = createAfterwards();
  runtime.probe(`before ${name}`);
  try {
    const { value } = await runtime.store.transact(
      worldId,
      async (tx) => {
        const snapshot = await runtime.snapshots.read(tx, worldId);
        if (snapshot === undefined) throw noWorld(worldId);
        return await work({ tx, snapshot, afterCommit: after.afterCommit, afterRollback: after.afterRollback });
      },
      (events) => publishKept(runtime, name, after, events),
    );
    return value;
  } catch (error) {
    after.rolledBack();
    throw error;
  }
}

/** The world has changed since it was last read here. */
class OldSnapshot extends CountersignError {}

/** Thrown out of a step: what was read before it is no longer so. Nothing of it is kept. */
class LookAgain extends CountersignError {}

/** Each time somebody else was faster. */
const MOST_LOOKS = 20;

/** Gives the step up: what was read before it has to be read again. */
export function lookAgain(): never {
  throw new LookAgain('store-unavailable', BUSY);
}

const BUSY = 'Somebody else changed this at the same time. Try again.';

/** Does the work, and does it again when what it had read before a step was no longer so in the step. */
export async function untilCurrent<T>(work: () => Promise<T>): Promise<T> {
  for (let left = MOST_LOOKS; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LookAgain) || left === 0) throw error;
    }
  }
}

/** A change that must have found its row as it was read: on PostgreSQL another process may have been faster. */
export function mustHaveChanged(changed: boolean): void {
  if (!changed) lookAgain();
}

function changesWorld({ kind }: Fact): boolean {
  return kind === 'policy-changed' || kind === 'agent-added' || kind === 'agent-removed' || kind === 'world-deleted';
}

function snapshotAt({ snapshots }: Runtime, worldId: string, { worldRev }: StepReads): WorldSnapshot {
  if (worldRev === undefined) throw noWorld(worldId);
  const snapshot = snapshots.at(worldId, worldRev);
  if (snapshot === undefined) throw new OldSnapshot('store-unavailable', BUSY);
  return snapshot;
}

function publishKept(
  runtime: Runtime,
  name: string | undefined,
  after: ReturnType<typeof createAfterwards>,
  events: readonly StoredEvent[],
): void {
  after.keep();
  if (name !== undefined) runtime.probe(`after ${name}`);
  for (const event of events) publish(runtime, event);
  after.act();
}

function createAfterwards(): Afterwards & { keep(): void; act(): void; rolledBack(): void } {
  const acts: (() => void)[] = [];
  let undo: (() => void)[] = [];
  return {
    afterCommit: (act) => void acts.push(act),
    afterRollback: (act) => void undo.push(act),
    /** Whatever fails from here on, nothing is undone. */
    keep() {
      undo = [];
    },
    act() {
      for (const act of acts) act();
    },
    rolledBack() {
      for (const act of undo) act();
      undo = [];
    },
  };
}

/** A listener that throws must not stop the wake-ups of a step that is committed. */
function publish(runtime: Runtime, event: StoredEvent): void {
  try {
    runtime.bus.publish(event);
  } catch (error) {
    runtime.report(error, `${event.event} ${event.id} could not be shown`);
  }
}
