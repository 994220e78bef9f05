import { CountersignError, type CallSandbox } from '@countersign/protocol';
import type { Gate } from '../approval/index.js';
import type {
  Clock,
  InvocationRecord,
  McpHost,
  MessageRecord,
  Provider,
  Store,
  StoredEvent,
  StoreTransaction,
  Tool,
  ToolSource,
  TurnOutcome,
} from '../ports/index.js';
import type { SandboxGrants } from '../policy/index.js';
import type { AgentMemory } from '../memory/agent-memory.js';
import type { SnapshotCache, WorldSnapshot } from '../memory/world-snapshot.js';
import type { EventBus } from '../publishers/event-bus.js';
import { noWorld } from './look-up.js';
import type { Quarantine } from './quarantine.js';
import type { RecentRepeats } from './recent-repeats.js';
import type { Scheduler } from './scheduler.js';

/** Where a world's tools act, looked up anew for each call: a folder may have become a link since it was signed (A7). */
export interface Place {
  /** Real path, links resolved. */
  workingDirectory: string;
  home: string;
  /** What tools run in that say nothing about it themselves. Absent: this process, with its rights. */
  sandbox?: CallSandbox;
  /** What rules open to commands in the sandbox. */
  grants?: SandboxGrants;
}
export type PlaceFinder = (world: WorldSnapshot) => Promise<Place>;

/** Named moments before and after which a crash must lose nothing; crash tests are generated from them. */
export type Probe = (moment: string) => void;

/** What was done and how long it took, for whoever counts. Counting decides nothing. */
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
  scheduler: Scheduler;
  /** Where turns run that a step made runnable. */
  dispatch: Dispatch;
  /** May a side effect begin? Not in a process that others may already count as dead. */
  mayAct(): boolean;
  /** Calls whose tools this process runs. One that has started under our name and is not among them is nobody's. */
  inFlight: Set<string>;
  /** Calls that a decision has started in its own step, by their turn: its loop runs them. */
  handed: Map<string, Started[]>;
  quarantine: Quarantine;
  memory: AgentMemory;
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
  /** Why the gate let it run. */
  because: Extract<Gate, { kind: 'run' }>['because'];
  /** What the tool found when the call was signed. */
  fingerprint: string | undefined;
  /** The world and its rules as of the start. */
  snapshot: WorldSnapshot;
  /** Other calls of the same answer are open. */
  hasSiblings: boolean;
}

/** Where turns run that a step has made runnable. */
export interface Dispatch {
  /** The owner such a turn gets: this process, or nobody until a process claims it. */
  readonly owner: string | null;
  /** In the step that made it runnable, after the turn's own row was written. */
  wake(step: Step, turnId: string): Promise<void> | void;
  /** After the commit of the step that ended it: the process that runs it must stop. */
  abort(turnId: string, reason: string): void;
}

/** One step under way: its transaction, the world as of it, and what happens once it is kept. */
export interface Step {
  tx: StoreTransaction;
  snapshot: WorldSnapshot;
  /** Runs after the commit, in order. For wake-ups and aborts, which must not happen for a step that was rolled back. */
  afterCommit(act: () => void): void;
  /** Runs if nothing of the step was kept. */
  afterRollback(act: () => void): void;
  /** A message was written in it. */
  heard(message: MessageRecord): void;
}

/**
 * Persist, then publish (S1): `work` is one transaction, and what it emitted reaches listeners only when it is kept.
 * Throws `not-found` if the world is gone.
 */
export async function commit<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  work: (step: Step) => Promise<T>,
): Promise<T> {
  for (let left = MOST_LOOKS; ; left -= 1) {
    try {
      return await commitOnce(runtime, name, worldId, work);
    } catch (error) {
      if (!(error instanceof LookAgain) || left === 0) throw error;
    }
  }
}

/** Each time somebody else was faster, and has brought the same rows further. */
const MOST_LOOKS = 20;

/** Thrown out of a step: what it goes by was changed before it had the lock. Nothing of it is kept, and it begins anew. */
class LookAgain extends CountersignError {}

/**
 * A change that must have found its row as it was read. On PostgreSQL another step may have changed it between the look and the lock:
 * going on would tell and record the same decision twice.
 */
export function mustHaveChanged(changed: boolean): void {
  if (!changed) lookAgain();
}

/** Gives the step up and begins it anew. */
export function lookAgain(): never {
  throw new LookAgain('store-unavailable', 'Somebody else changed this at the same time. Try again.');
}

async function commitOnce<T>(
  runtime: Runtime,
  name: string,
  worldId: string,
  work: (step: Step) => Promise<T>,
): Promise<T> {
  const acts: (() => void)[] = [];
  const undo: (() => void)[] = [];
  runtime.probe(`before ${name}`);
  const { value, events } = await runtime.store
    .transact(worldId, async (tx) => {
      const snapshot = await runtime.snapshots(tx, worldId);
      if (snapshot === undefined) throw noWorld(worldId);
      return await work({
        tx,
        snapshot,
        afterCommit: (act) => acts.push(act),
        afterRollback: (act) => undo.push(act),
        heard(message) {
          runtime.memory.heard(message);
          undo.push(() => runtime.memory.forgetChat(message.chatId));
        },
      });
    })
    .catch((error: unknown) => {
      for (const act of undo) act();
      throw error;
    });
  runtime.probe(`after ${name}`);
  for (const event of events) publish(runtime, event);
  for (const act of acts) act();
  return value;
}

/** What is kept goes on: an event that can't be shown must not take the wake-ups of its step with it. */
function publish(runtime: Runtime, event: StoredEvent): void {
  try {
    runtime.bus.publish(event);
  } catch (error) {
    runtime.report(error, `${event.event} ${event.id} could not be shown`);
  }
}
