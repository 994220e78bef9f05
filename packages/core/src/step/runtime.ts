import type { CallContext, CallSandbox, ToolResultOutcome, Who } from '@countersign/protocol';
import type { Gate } from '../policy/check-tool-approval.js';
import type {
  Clock,
  Hold,
  CallRecord,
  McpHost,
  Provider,
  RowChange,
  SecretBox,
  Store,
  StoreTransaction,
  RegisteredTool,
  ToolSource,
  TurnOutcome,
  TurnRecord,
} from '../ports/index.js';
import type { StepTransaction } from '../facts/step-transaction.js';
import type { PolicyCall, SandboxGrants } from '../policy/index.js';
import type { AgentMemory } from '../memory/agent-memory.js';
import type { SnapshotCache, WorldSnapshot } from '../memory/world-snapshot.js';
import type { EventBus } from '../publishers/event-bus.js';
import type { TurnSituation } from '../turn/next-step.js';
import type { Quarantine, Scheduler } from './scheduler.js';

/** Where a world's tools run. Looked up for each call: a folder may have become a symlink since the approval (CALL7). */
export interface CallPlace {
  /** The real path, with symlinks resolved. */
  workingDirectory: string;
  home: string;
  /** The world's folder, if an external program runs the call in another one. */
  worldDirectory?: string;
  /** The real path of `workingDirectory`, if an external program named it by a link. */
  realDirectory?: string;
  /** Set if an external program runs the call and didn't say in which folder. `workingDirectory` is then the world's. */
  isFolderUnknown?: true;
  /** What an external program says about the session of the call. */
  context?: CallContext;
  /** The sandbox for tools that don't report one. If absent, they run in this process with its permissions. */
  sandbox?: CallSandbox;
  /** The access that rules allow inside the sandbox. */
  grants?: SandboxGrants;
}
/** Throws if the folder isn't usable. Synchronous: the system call takes microseconds, while the async version has to wait for a thread. */
export type PlaceFinder = (world: WorldSnapshot) => CallPlace;

/** Named points around which a crash must lose nothing. Crash tests are generated from them. */
export type Probe = (moment: string) => void;

/** A finished operation with its duration, for metrics only. */
export type Measured = { worldId: string; turnId: string } & (
  | { kind: 'turn'; outcome: TurnOutcome }
  | { kind: 'tool'; invocationId: string; tool: string; outcome: 'succeeded' | 'failed' | 'unknown'; ms: number }
  | { kind: 'model'; provider: string; model: string; outcome: 'answered' | 'failed'; ms: number }
);

/** The context of an error, if known. */
export interface About {
  worldId?: string;
  turnId?: string;
  invocationId?: string;
}

/** A chat, or the chat of a call or an approval. */
export type ChatOrCall = { chatId: string } | { callId: string };

/** Maps each call or approval to its chat, so that the call can be found in the chat's state. A cache miss costs a read. */
export interface CallChats {
  get(id: string): string | undefined;
  note(row: RowChange): void;
}

/** A cache of late duplicates of decisions on settled calls (TURN7). */
export interface RecentRepeats {
  /** Whether the cache is empty. */
  isEmpty(): boolean;
  find(key: string): ToolResultOutcome | undefined;
  keep(key: string, outcome: ToolResultOutcome): void;
  /** Must be called when settled calls are deleted. */
  clear(): void;
}

/** The providers that agents can use, by the name that agents use. */
export interface Providers {
  get(name: string): Provider | undefined;
  names(): readonly string[];
  /** Like `get`, after loading providers that other processes have added. */
  find(name: string): Promise<Provider | undefined>;
  /** Called after a turn has ended, for providers that keep a session (EXT3). */
  endTurn(turnId: string): void;
  /** The turns for which a provider keeps something in this process. */
  openTurns(): readonly string[];
}

/** Which external programs still wait for an answer about their calls (EXT1), and timers for calls that nobody claims or reports. */
export interface ExternalWatch {
  /** Counts a new session of an agent. Throws `too-many` if there were too many. */
  openSession(worldId: string, agentId: string): void;
  /** A program asks about its call. Call the result when that request ends, with whether the call still waits for a decision. */
  attend(callId: string): (isPending: boolean) => void;
  /** The program ends, and is resumed after the decision: its call is never abandoned. */
  expectResume(callId: string): void;
  /** Whether the program of an undecided call has stopped asking. */
  isAbandoned(callId: string): boolean;
  /** Whether the program of an undecided call has ended, and is resumed after the decision. */
  isDeferred(callId: string): boolean;
  /** Starts the timer of a call that was approved or started. Never rejects. */
  watch(call: CallRecord): Promise<void>;
  forget(callId: string): void;
  /** Watches the calls of earlier processes. */
  load(): Promise<void>;
  close(): void;
}

/** This process, among those that share the store. */
interface OwnProcess {
  /** Its id in turn claims. */
  readonly owner: string;
  /** Whether a side effect may start. False in a process that others may consider dead. */
  mayAct(): boolean;
  /** Whether no other process is known to share the store, so that this process's memory is complete. */
  isAlone(): boolean;
  /** Whether it ends soon, so that work it starts in other chats would be interrupted. */
  endsSoon(): boolean;
  /** Called before someone acts in a chat: resumes its unfinished turns if this process left them alone at startup (TERM4). */
  resumeUnfinished(of: ChatOrCall): Promise<void>;
}

/** What this process runs now. */
interface Running {
  /** Calls whose tools run here. A call that this process started but that isn't here is orphaned. */
  readonly calls: Set<string>;
  /** The answers that models are writing, by turn. */
  readonly answers: Map<string, LiveAnswer>;
  readonly quarantine: Quarantine;
}

/** What this process remembers of the store. */
export interface Caches {
  readonly memory: AgentMemory;
  readonly snapshots: SnapshotCache;
  readonly callChats: CallChats;
  readonly repeats: RecentRepeats;
}

/** What happens later by itself. */
interface Background {
  readonly external: ExternalWatch;
  /** Starts the timer for an approval with a deadline. */
  watchDeadline(worldId: string, approvalId: string, expiresAt: number): void;
  /** Announces the signers again when the next delegation starts or ends. */
  watchDelegations(since: number): Promise<void>;
  /**
   * Called after the commit of a step in which a call began or stopped waiting for a person; without a world, after a change of who may sign. The
   * server sets it.
   */
  onWaiting: (worldId?: string) => void;
  /** Called when a call has ended, so that nothing is kept for it together with other calls. */
  onCallEnded(callId: string): void;
  /** Called when a chat becomes idle, so that it can get its title (WORLD7). */
  onChatIdle(worldId: string, chatId: string): void;
}

/** Settings of the program that don't change while it runs. */
interface FixedOptions {
  /** Commands that admins may run outside the sandbox without being able to sign calls (SAFE2.3). */
  readonly listedPrograms: readonly (readonly string[])[];
  readonly resultLimitBytes: number;
  /** Encrypts MCP server values for the store. */
  readonly secretBox?: SecretBox;
}

/** Shared by all steps of the loop. One per process and store. */
export interface Runtime {
  store: Store;
  clock: Clock;
  bus: EventBus;
  scheduler: Scheduler<Handover>;
  /** Decides which process runs a runnable turn. */
  dispatch: Dispatch;
  process: OwnProcess;
  running: Running;
  caches: Caches;
  background: Background;
  options: FixedOptions;
  providers: Providers;
  tools(worldId: string): ReadonlyMap<string, RegisteredTool>;
  /** Sources of tools that can change at run time. */
  sources: readonly ToolSource[];
  /** One of the sources. Absent if no MCP servers run. */
  mcp: McpHost | undefined;
  findPlace: PlaceFinder;
  /** Countersign's own tokens. A tool result that contains one must not reach a model (TURN14). */
  ownSecrets(): readonly string[];
  probe: Probe;
  measure(what: Measured): void;
  /**
   * Called before signatures are counted: asks the OIDC provider again about those of these people whom it hasn't confirmed lately. The server
   * sets it. Never rejects.
   */
  confirmPeople(ids: readonly string[]): Promise<void>;
  /** Receives errors that don't end a turn. */
  report(error: unknown, what: string, about?: About): void;
}

/** An answer that a model is writing. */
export interface LiveAnswer {
  epoch: number;
  /** What people have seen of it so far. Undefined if that is nothing. */
  read(): PartialAnswer | undefined;
}

export interface PartialAnswer {
  messageId: string;
  content: string;
  thinking?: string;
  provider: string;
  model: string;
}

/** A call that is marked as started and should run now. */
export interface StartedCall {
  record: CallRecord;
  tool: RegisteredTool;
  value: unknown;
  place: CallPlace;
  /** The call in the form that rules match against. */
  policyCall: PolicyCall;
  /** Why the gate allowed it. With `byEffect`, only its rehearsed effect is applied. */
  gate: Extract<Gate, { kind: 'run' }>;
  /** A fingerprint of the target when the call was prepared. */
  fingerprint: string | undefined;
  /** The world and its rules when the call started. */
  snapshot: WorldSnapshot;
  /** Keeps others from what the call changes, until the call has ended. */
  hold?: Hold;
  /** Set if it was approved together with others: applies what all of them change, once, and resolves to the result of this one. */
  applyTogether?: () => Promise<unknown>;
}

/** The state of a turn: the input to `nextStep`, with its snapshot of the world. */
export interface Situation extends TurnSituation {
  turn: TurnRecord;
  /** The unsettled calls. */
  invocations: readonly CallRecord[];
  snapshot: WorldSnapshot;
}

/** What a step passes to the run of a turn: the situation after the step, and the calls that it marked as started. */
export interface Handover {
  situation: Situation;
  started: readonly StartedCall[];
}

/** Decides which process runs a runnable turn. */
export interface Dispatch {
  /**
   * The owner for a runnable turn: this process, or null until another process claims it. Read it once per turn, because it can change at any
   * time.
   */
  readonly owner: string | null;
  /** Must be called last in the step that makes a turn runnable. Pass `started` only if this process runs the turn. */
  wake(step: Step, turnId: string, started?: readonly StartedCall[]): void;
  /** Must be called after the commit that ended a turn: the process that runs it must stop. */
  abort(turnId: string, reason: string, by?: Who): void;
  /** Must be called after the commit with which this process took a waiting turn: the last owner ends what it keeps for it. */
  endElsewhere(turnId: string): void;
}

/** Callbacks that run after a commit or rollback. */
export interface CommitHooks {
  /** Registers a callback that runs after the commit, in order. For wake-ups and aborts, which must not happen after a rollback. */
  afterCommit: (act: () => void) => void;
  /** Registers a callback that runs if nothing was committed. */
  afterRollback: (act: () => void) => void;
}

/** A step in one or more chats while it is being decided, with its snapshot of the world. */
export interface Step extends CommitHooks {
  tx: StepTransaction;
  snapshot: WorldSnapshot;
}

/** A change to a world outside its running chats: settings, agents, clients and MCP servers. */
export interface WorldChange extends CommitHooks {
  tx: StoreTransaction;
  snapshot: WorldSnapshot;
}
