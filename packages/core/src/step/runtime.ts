import type { CallSandbox } from '@countersign/protocol';
import type { Gate } from '../approval/index.js';
import type {
  Clock,
  InvocationRecord,
  McpHost,
  Provider,
  Store,
  StoreTransaction,
  Tool,
  ToolSource,
  TurnOutcome,
} from '../ports/index.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import type { PolicyCall, SandboxGrants } from '../policy/index.js';
import type { AgentMemory } from '../memory/agent-memory.js';
import type { SnapshotCache, WorldSnapshot } from '../memory/world-snapshot.js';
import type { EventBus } from '../publishers/event-bus.js';
import type { CallChats } from './call-chats.js';
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

/** What happens once a step or a change is committed, or if it is not. */
export interface CommitHooks {
  /** Runs after the commit, in order. For wake-ups and aborts, which must not happen for what was rolled back. */
  afterCommit: (act: () => void) => void;
  /** Runs if nothing was committed. */
  afterRollback: (act: () => void) => void;
}

/** A step in one or more chats while it is decided, with the world as of it. */
export interface Step extends CommitHooks {
  tx: StepTransaction;
  snapshot: WorldSnapshot;
}

/** A change of a world that concerns no running chat: its settings, agents, clients and MCP servers. */
export interface WorldChange extends CommitHooks {
  tx: StoreTransaction;
  snapshot: WorldSnapshot;
}
