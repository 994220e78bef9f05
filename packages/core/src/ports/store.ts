import type { McpServerRecord, McpToolRecord } from './mcp-records.js';
import type {
  AgentRecord,
  ApprovalRecord,
  AuditEntry,
  AuditRecord,
  ChatRecord,
  ClientRecord,
  Emission,
  GrantRecord,
  InvocationRecord,
  MessageRecord,
  StoredEvent,
  TurnRecord,
  WorldRecord,
} from './records.js';
import type { StepNeeds, StepReads, StepWrites } from './step.js';
import type { AgentDefinition, ApprovalStatus, AuditVerdict, WorldSettings } from '@countersign/protocol';

export interface Page {
  limit: number;
}

/** What can be read. Inside a transaction, reads see its own writes. */
export interface StoreReader {
  /** The store's clock: one judge of what is too late, on however many machines (A11). */
  now(): number;

  world(id: string): Promise<WorldRecord | undefined>;
  /** `rev` of a world, or undefined when there is none: what caches are checked against. */
  worldRev(id: string): Promise<number | undefined>;
  worlds(): Promise<WorldRecord[]>;
  /** Every id ever given to a world: none is given again. */
  worldIdTaken(id: string): Promise<boolean>;
  /** Living agents, in the order they were added. */
  agents(worldId: string): Promise<AgentRecord[]>;
  agentIdTaken(worldId: string, agentId: string): Promise<boolean>;

  chat(id: string): Promise<ChatRecord | undefined>;
  chats(worldId: string): Promise<ChatRecord[]>;
  /** Part of a world's chats, oldest first: behind one, or from the first. */
  chatsAfter(worldId: string, part: { after?: string; limit: number }): Promise<ChatRecord[]>;
  /** The last ones before one, or of all; oldest first. */
  lastChats(worldId: string, part: { before?: string; limit: number }): Promise<ChatRecord[]>;

  message(id: string): Promise<MessageRecord | undefined>;
  /** Oldest first, after a position. */
  messages(chatId: string, page: Page & { after: number }): Promise<MessageRecord[]>;
  /** The newest `limit`, or the newest before a position, oldest of them first. */
  lastMessages(chatId: string, page: Page & { before?: number }): Promise<MessageRecord[]>;
  /** Everything that belongs to one turn, oldest first; its trigger is not among it. */
  messagesOfTurn(turnId: string): Promise<MessageRecord[]>;

  turn(id: string): Promise<TurnRecord | undefined>;
  /** Ended turns of an agent in a chat with `before > triggerSeq > after`, newest first. */
  endedTurns(chatId: string, agentId: string, page: Page & { after: number; before: number }): Promise<TurnRecord[]>;
  /** Turns that are not ended; of one chat, or of the whole store. Oldest first. */
  unfinishedTurns(chatId?: string): Promise<TurnRecord[]>;

  invocation(id: string): Promise<InvocationRecord | undefined>;
  /** The calls of one model answer, in call order. */
  invocations(turnId: string, iteration: number): Promise<InvocationRecord[]>;

  approval(id: string): Promise<ApprovalRecord | undefined>;
  /** Oldest first. */
  approvals(worldId: string, filter: { status?: ApprovalStatus; chatId?: string }): Promise<ApprovalRecord[]>;
  /** Of one status, oldest first, after the one with this id. */
  approvalsAfter(
    worldId: string,
    page: Page & { status: ApprovalStatus; chatId?: string; after?: string },
  ): Promise<ApprovalRecord[]>;
  /** How many are pending in a world: all of them, or those up to the one with this id. Counts no further than `most`. */
  countPendingOf(worldId: string, count: { upTo?: string; most: number }): Promise<number>;
  /** Pending ones with a deadline, soonest first, of the whole store. */
  expiringApprovals(): Promise<ApprovalRecord[]>;
  /** In every world. */
  countPendingApprovals(): Promise<number>;

  grant(id: string): Promise<GrantRecord | undefined>;
  /** Not revoked, of a world, oldest first. */
  grantsOfWorld(worldId: string): Promise<GrantRecord[]>;

  client(id: string): Promise<ClientRecord | undefined>;
  clients(worldId: string): Promise<ClientRecord[]>;
  /** Of every world. */
  allClients(): Promise<ClientRecord[]>;

  mcpServer(worldId: string, name: string): Promise<McpServerRecord | undefined>;
  /** In the order they were added. */
  mcpServers(worldId: string): Promise<McpServerRecord[]>;
  /** Of one server, also those it no longer offers. */
  mcpTools(worldId: string, server: string): Promise<McpToolRecord[]>;

  /** Events with an id above `after`, in order; of one chat if given. */
  events(worldId: string, page: Page & { after: number; chatId?: string }): Promise<StoredEvent[]>;
  lastEventId(worldId: string): Promise<number>;
  audit(worldId: string, page: Page & { after: number }): Promise<AuditEntry[]>;
  /** The newest first, or the newest before a number. */
  lastAudit(worldId: string, page: Page & { before?: number }): Promise<AuditEntry[]>;

  /** The number of the last event whose message can be found by its words; 0 if none can. */
  searchedUpTo(worldId: string): Promise<number>;
  /** Messages that have all these words, of the last at least its beginning; newest first, before a place. */
  search(worldId: string, words: readonly string[], page: Page & { before: number }): Promise<FoundMessage[]>;
  stats(worldId: string): Promise<WorldCounts>;
}

/** A message that was found. `ordinal` is its place, to go on from. */
export interface FoundMessage {
  ordinal: number;
  messageId: string;
}

/** What can be counted of a world. Times are in milliseconds, rounded to two digits that count. */
export interface WorldCounts {
  chats: number;
  messages: number;
  /** `outcome` is the state of those that have not ended. */
  turns: { agentId: string; outcome: string; count: number; inputTokens: number; outputTokens: number }[];
  /** `ms`: from start to end, null for what was not run to its end. */
  calls: { tool: string; status: string; ms: number | null; count: number }[];
  /** `ms`: from the question to its answer. */
  approvals: { tool: string; status: ApprovalStatus; scope: string | null; ms: number | null; count: number }[];
}

/** What concerns a world and no running chat: settings, agents, clients, MCP servers, the search index. Chats change by `Store.step`. */
export interface StoreTransaction extends StoreReader {
  insertWorld(world: {
    id: string;
    name: string;
    settings: WorldSettings;
    policy: readonly string[];
    proposed?: readonly string[];
  }): Promise<WorldRecord>;
  /** Raises `rev`. */
  updateWorld(
    id: string,
    change: {
      name?: string;
      settings?: WorldSettings;
      policy?: readonly string[];
      proposed?: readonly string[];
    },
  ): Promise<void>;
  /** Raises the world's `rev`, like the next one. */
  insertAgent(worldId: string, id: string, definition: AgentDefinition): Promise<AgentRecord>;
  updateAgent(worldId: string, id: string, definition: AgentDefinition): Promise<void>;

  /** Raises the world's `rev`. True if it was live. */
  revokeGrant(worldId: string, id: string): Promise<boolean>;

  insertClient(client: ClientRecord): Promise<void>;
  /** It is there, by a stream in this process. */
  setClientConnected(id: string, process: string): Promise<void>;
  /** It was cut from the process it was connected to. False: it has connected elsewhere since, or was cut before. */
  setClientCut(id: string, process: string): Promise<boolean>;
  /** True if there was one: of several that take it out, one says so. */
  deleteClient(id: string): Promise<boolean>;

  /** A second one of the same name is refused as a `conflict`. */
  insertMcpServer(server: McpServerRecord): Promise<void>;
  /** Compare-and-set on the definition, so that of two changes at once neither is lost. False: it was another one. */
  updateMcpServer(
    server: Pick<McpServerRecord, 'worldId' | 'name' | 'definition'>,
    definition: McpServerRecord['definition'],
  ): Promise<boolean>;
  /** Its tools were listed. True for the first list of all, and only for that. */
  setMcpServerListed(worldId: string, name: string): Promise<boolean>;
  /** With all that is on record of its tools. True if there was one. */
  deleteMcpServer(worldId: string, name: string): Promise<boolean>;
  /** Writes what is on record of one tool, new or known. */
  putMcpTool(tool: McpToolRecord): Promise<void>;

  /**
   * Makes messages known by their words and moves the place up to which this was done. False, and nothing is written, if it was no
   * longer `from`. Words are of letters and digits alone.
   */
  addToSearch(
    worldId: string,
    range: { from: number; upto: number },
    documents: readonly { messageId: string; chatId: string; words: readonly string[] }[],
  ): Promise<boolean>;

  /** Numbered under the world's row lock, last before the commit, so that no lower number commits after a higher was read. */
  emit(emission: Emission): void;
  /** Chained the same way. Arguments must be masked already: what is written here can't be mended (A15, A16). */
  record(entry: Omit<AuditRecord, 'at' | 'worldId'>): void;
}

export type TurnChange = Partial<
  Pick<
    TurnRecord,
    | 'state'
    | 'outcome'
    | 'iteration'
    | 'owner'
    | 'interruptions'
    | 'begunSeq'
    | 'inputTokens'
    | 'outputTokens'
    | 'endedAt'
  >
>;
export type InvocationChange = Pick<InvocationRecord, 'status'> &
  Partial<
    Pick<
      InvocationRecord,
      | 'arguments'
      | 'edited'
      | 'callHash'
      | 'approvalId'
      | 'startedEpoch'
      | 'result'
      | 'outcomeUnknown'
      | 'startedAt'
      | 'settledAt'
    >
  >;

export type { AuditVerdict };

/** What a store has that several processes share (S4). A process that has not said for a while that it lives counts as dead. */
export interface SharedStore {
  /** This process lives. By the database's clock, which is one for all. True: another one was heard of in the last `silentMs`. */
  beat(owner: string, silentMs: number): Promise<boolean>;
  /** An orderly end: nobody has to wait until this process counts as dead. */
  retire(owner: string): Promise<void>;
  isAlive(owner: string, silentMs: number): Promise<boolean>;
  living(silentMs: number): Promise<string[]>;
  /** Open turns: those of this process, and those of nobody or of processes that are not alive. */
  turnsToLookAfter(owner: string, silentMs: number): Promise<{ own: string[]; orphaned: string[] }>;
  /** Hands each wake-up that was written to one process, until the returned function has ended it. */
  deliverWakes(handle: (turnId: string) => Promise<void>): Promise<() => Promise<void>>;
  /** Hears what other processes and this one hint. `missed` is called when some may have been lost. The returned function ends it. */
  hear(listener: (hint: string) => void, missed: () => void): Promise<() => Promise<void>>;
  /** To every process, at most once: what must not be lost is in the store. At most `hintLimitBytes` each. */
  hint(text: string): void;
  readonly hintLimitBytes: number;
  readonly passes: SharedPasses;
  /** How much waits, over all processes. */
  workload(silentMs: number): Promise<Workload>;
}

/** What one process has let in and every other has to know: sessions and tickets of browsers. Hashes only. */
export interface SharedPasses {
  /** Valid for `lifeMs` from now, by the database's clock. Replaces an existing one. */
  put(id: string, value: string, lifeMs: number): Promise<void>;
  find(id: string): Promise<string | undefined>;
  /** Takes it away. True once, for one of all who try, and only in time. */
  take(id: string): Promise<boolean>;
}

export interface Workload {
  /** Turns that could go on at once and that nobody alive runs. */
  queued: number;
  /** How long the oldest of them has existed. */
  oldestMs: number;
  running: number;
}

/**
 * Called once everything is committed, with its events. Where one process owns the store, it is called in the order of the commits: events
 * are published from here, so that nobody hears a later one first (S1). What it throws is passed on to the caller.
 */
export type OnCommit = (events: StoredEvent[]) => void;

export interface Store {
  /** Absent where one process owns the store. */
  readonly shared?: SharedStore;
  /** Keys the signatures of calls (A7). Made once per store and kept in it. */
  readonly hashKey: Uint8Array;
  /**
   * Changes a world (S1). `work`, its emissions and its audit records are committed together, or not at all: if `work` throws, nothing is
   * written and the error is passed on. `work` must await nothing but the transaction: on SQLite everything else waits for it.
   */
  transact<T>(
    worldId: string,
    work: (tx: StoreTransaction) => Promise<T>,
    kept?: OnCommit,
  ): Promise<{ value: T; events: StoredEvent[] }>;
  /**
   * One step in chats (S1): loads what it needs, hands it to `decide`, and writes what that returns, all or nothing. Steps of one chat never
   * overlap. `decide` must be synchronous and may be called again, on newer state, if another process was faster. It changes the states
   * it was given by `applyChange` alone, with the changes that it returns. If it throws, nothing is written and the error is passed on.
   */
  step<T>(
    worldId: string,
    needs: StepNeeds,
    decide: (reads: StepReads) => { value: T; writes: StepWrites },
    kept?: OnCommit,
  ): Promise<{ value: T; events: StoredEvent[] }>;
  read<T>(work: (reader: StoreReader) => Promise<T>): Promise<T>;
  /** Walks the chain and compares its head with the one kept outside the database. */
  verifyAudit(worldId: string): Promise<AuditVerdict>;
  close(): Promise<void>;
}
