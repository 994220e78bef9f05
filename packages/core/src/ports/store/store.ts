import type { McpServerRecord, McpToolRecord } from './mcp-records.js';
import type { CredentialKind, CredentialRecord, FoundCredential, GroupRecord, PersonRecord } from './people-records.js';
import type { ProviderRecord } from './provider-records.js';
import type { ScheduleRecord } from './schedule-records.js';
import type { DeliveryRecord, WebhookRecord } from './webhook-records.js';
import type {
  AgentRecord,
  ApprovalRecord,
  AttachmentRecord,
  AuditEntry,
  AuditRecord,
  ChatRecord,
  ClientRecord,
  Emission,
  GrantRecord,
  CallRecord,
  MessageRecord,
  SigningRecord,
  StoredEvent,
  TurnRecord,
  WorldRecord,
} from './records.js';
import type { StepNeeds, StepReads, StepWrites } from './step.js';
import type {
  AgentDefinition,
  ApprovalStatus,
  AuditVerdict,
  DeliveryState,
  WorldSettings,
} from '@countersign/protocol';

export interface Page {
  limit: number;
}

/** Read operations. Inside a transaction, they see its own writes. */
export interface StoreReader {
  /** The store's clock, which decides deadlines for all machines (CALL11). */
  now(): number;

  world(id: string): Promise<WorldRecord | undefined>;
  /** `rev` of a world, or undefined if it does not exist. Used to validate caches. */
  worldRev(id: string): Promise<number | undefined>;
  worlds(): Promise<WorldRecord[]>;
  /** Whether a current or deleted world has this id. Ids are never reused. */
  worldIdTaken(id: string): Promise<boolean>;
  /** Current agents, in the order in which they were added. */
  agents(worldId: string): Promise<AgentRecord[]>;
  agentIdTaken(worldId: string, agentId: string): Promise<boolean>;

  chat(id: string): Promise<ChatRecord | undefined>;
  chats(worldId: string): Promise<ChatRecord[]>;
  /** A page of a world's chats, oldest first: those after a chat, or from the beginning. */
  chatsAfter(worldId: string, part: { after?: string; limit: number }): Promise<ChatRecord[]>;
  /** The newest chats, or the newest before a chat; oldest first. */
  lastChats(worldId: string, part: { before?: string; limit: number }): Promise<ChatRecord[]>;
  /** The newest branches of this chat and of its branches, newest first. */
  branches(root: string, limit: number): Promise<ChatRecord[]>;

  message(id: string): Promise<MessageRecord | undefined>;
  /** Oldest first, after a position. */
  messages(chatId: string, page: Page & { after: number }): Promise<MessageRecord[]>;
  /** The newest `limit` messages, or the newest before a position; oldest first. */
  lastMessages(chatId: string, page: Page & { before?: number }): Promise<MessageRecord[]>;
  /** All messages of a turn, oldest first, without its trigger. */
  messagesOfTurn(turnId: string): Promise<MessageRecord[]>;

  turn(id: string): Promise<TurnRecord | undefined>;
  /** Ended turns of an agent in a chat with `before > triggerSeq > after`, newest first. */
  endedTurns(chatId: string, agentId: string, page: Page & { after: number; before: number }): Promise<TurnRecord[]>;
  /** Unfinished turns of one chat or of the whole store, oldest first. */
  unfinishedTurns(chatId?: string): Promise<TurnRecord[]>;

  invocation(id: string): Promise<CallRecord | undefined>;
  /** The calls in one model response, in call order. */
  invocations(turnId: string, iteration: number): Promise<CallRecord[]>;

  /** A file that a tool returned in this chat. */
  attachment(chatId: string, id: string): Promise<AttachmentRecord | undefined>;
  /** The size of all files of a chat, in bytes. Base64 padding may count. */
  attachmentBytes(chatId: string): Promise<number>;

  approval(id: string): Promise<ApprovalRecord | undefined>;
  /** Oldest first. */
  approvals(worldId: string, filter: { status?: ApprovalStatus; chatId?: string }): Promise<ApprovalRecord[]>;
  /** The approvals with this status that come after the one with this id, oldest first. */
  approvalsAfter(
    worldId: string,
    page: Page & { status: ApprovalStatus; chatId?: string; after?: string },
  ): Promise<ApprovalRecord[]>;
  /** The number of pending approvals in a world, or up to the one with this id. Stops counting at `most`. */
  countPendingOf(worldId: string, count: { upTo?: string; most: number }): Promise<number>;
  /** Pending approvals with a deadline in the whole store, soonest first. */
  expiringApprovals(): Promise<ApprovalRecord[]>;
  /** Across all worlds. */
  countPendingApprovals(): Promise<number>;
  /** The pending approvals of all worlds that come after the one with this id, oldest first. */
  pendingEverywhere(after?: string): Promise<{ id: string; worldId: string }[]>;
  /** A text for each world with pending approvals. It differs after one was added, signed or settled. */
  queueMarks(): Promise<{ worldId: string; mark: string }[]>;

  grant(id: string): Promise<GrantRecord | undefined>;
  /** Unrevoked grants in a world, oldest first. */
  grantsOfWorld(worldId: string): Promise<GrantRecord[]>;

  client(id: string): Promise<ClientRecord | undefined>;
  clients(worldId: string): Promise<ClientRecord[]>;
  /** The clients of all worlds. */
  allClients(): Promise<ClientRecord[]>;

  mcpServer(worldId: string, name: string): Promise<McpServerRecord | undefined>;
  /** In the order in which they were added. */
  mcpServers(worldId: string): Promise<McpServerRecord[]>;
  /** All of a server's tools, including those it no longer offers. */
  mcpTools(worldId: string, server: string): Promise<McpToolRecord[]>;

  /** Providers added by people, in the order in which they were added. They belong to no world. */
  providers(): Promise<ProviderRecord[]>;

  schedule(id: string): Promise<ScheduleRecord | undefined>;
  /** In the order in which they were added. */
  schedules(worldId: string): Promise<ScheduleRecord[]>;
  /** Those of all worlds that a process has to look at now, longest due first. */
  schedulesDue(now: number, limit: number): Promise<ScheduleRecord[]>;
  /** When a process has to look at one next. */
  nextScheduleAt(): Promise<number | undefined>;

  /** AllPeople, in the order in which they were added, including removed people. */
  people(): Promise<PersonRecord[]>;
  person(id: string): Promise<PersonRecord | undefined>;
  /** The person with this account at the OIDC provider, even if removed. */
  personByOidc(issuer: string, subject: string): Promise<PersonRecord | undefined>;
  /** A credential with its person, even if it has ended. */
  credential(id: string): Promise<FoundCredential | undefined>;
  /** Like `credential`, for several ids at once, in any order. Unknown ids are left out. */
  credentialsById(ids: readonly string[]): Promise<FoundCredential[]>;
  /** A person's credentials of one kind that have neither ended nor expired, oldest first. */
  credentials(personId: string, kind: CredentialKind): Promise<CredentialRecord[]>;
  /** AllPeople's passkeys that were not removed, oldest first. Those of disabled and removed people too. */
  passkeys(): Promise<FoundCredential[]>;
  /** AllPeople's delegations that were not ended, oldest first, including those that have expired or not started. */
  delegations(): Promise<CredentialRecord[]>;
  /** AllPeople's subscriptions to notifications that were not ended, oldest first. */
  subscriptions(): Promise<FoundCredential[]>;
  /** By name. */
  groups(): Promise<GroupRecord[]>;

  /** In the order in which they were added. */
  webhooks(): Promise<WebhookRecord[]>;
  /** The last event of a world for which deliveries were inserted, or 0. */
  webhookCursor(worldId: string): Promise<number>;
  /** A webhook's deliveries that have not ended, those due first at the start. */
  pendingDeliveries(webhookId: string, page: Page): Promise<DeliveryRecord[]>;
  /** Newest first, optionally only those in one state. */
  deliveries(webhookId: string, page: Page & { state?: DeliveryState }): Promise<DeliveryRecord[]>;

  /** Events with an id above `after`, in order, optionally for one chat. */
  events(worldId: string, page: Page & { after: number; chatId?: string }): Promise<StoredEvent[]>;
  lastEventId(worldId: string): Promise<number>;
  audit(worldId: string, page: Page & { after: number }): Promise<AuditEntry[]>;
  /** Newest first; with `before`, only records with a lower number. */
  lastAudit(worldId: string, page: Page & { before?: number }): Promise<AuditEntry[]>;

  /** The last event whose message is in the search index, or 0. */
  searchedUpTo(worldId: string): Promise<number>;
  /** Messages that contain all these words, the last one as a prefix; newest first, before a position. */
  search(worldId: string, words: readonly string[], page: Page & { before: number }): Promise<FoundMessage[]>;
  stats(worldId: string): Promise<WorldCounts>;
  /** The tokens and costs of each agent and day since a time, oldest first; only those of one chat if it is named. */
  costs(worldId: string, which: { chatId: string | null; since: number }): Promise<DayCost[]>;
}

/** A search result. `ordinal` is its position for paging. */
export interface FoundMessage {
  ordinal: number;
  messageId: string;
}

/** World statistics. Times are in milliseconds, rounded to two significant digits. */
export interface DayCost {
  /** Days since 1970. */
  day: number;
  agentId: string;
  inputTokens: number;
  outputTokens: number;
  microdollars: number;
  unpricedTokens: number;
}

export interface WorldCounts {
  chats: number;
  messages: number;
  /** `outcome`: for an unfinished turn, its state. */
  turns: { agentId: string; outcome: string; count: number; inputTokens: number; outputTokens: number }[];
  /** `ms`: the run time, or null for calls that didn't finish. */
  calls: { tool: string; status: string; ms: number | null; count: number }[];
  /** `ms`: from the request to the decision. `by`: who decided, like `decidedBy` of an approval. */
  approvals: {
    tool: string;
    status: ApprovalStatus;
    scope: string | null;
    ms: number | null;
    by: string | null;
    signing: SigningRecord | null;
    count: number;
  }[];
}

/** Changes to a world outside running chats: settings, agents, clients, MCP servers, search index. `Store.step` changes chats. */
export interface StoreTransaction extends StoreReader {
  insertWorld(world: {
    id: string;
    name: string;
    settings: WorldSettings;
    policy: readonly string[];
    proposed?: readonly string[];
  }): Promise<WorldRecord>;
  /** Increments `rev`. */
  updateWorld(
    id: string,
    change: {
      name?: string;
      settings?: WorldSettings;
      policy?: readonly string[];
      proposed?: readonly string[];
    },
  ): Promise<void>;
  /** Increments the world's `rev`, as does the next method. */
  insertAgent(
    worldId: string,
    id: string,
    definition: AgentDefinition,
    makers?: AgentRecord['makers'],
  ): Promise<AgentRecord>;
  updateAgent(worldId: string, id: string, definition: AgentDefinition): Promise<void>;

  /** Increments the world's `rev`. Returns true if the grant was active. */
  revokeGrant(worldId: string, id: string): Promise<boolean>;

  insertClient(client: ClientRecord): Promise<void>;
  /** Records that one of the client's streams is open in this process. */
  setClientConnected(id: string, process: string): Promise<void>;
  /**
   * Records that the client disconnected from this process. Returns false if it has connected to another one since, or was already
   * disconnected.
   */
  setClientCut(id: string, process: string): Promise<boolean>;
  /** Returns true if the client existed. If several processes delete it, only one gets true. */
  deleteClient(id: string): Promise<boolean>;

  /** Stores a file. Does nothing if the chat already has it, or no longer exists. */
  insertAttachment(attachment: AttachmentRecord): Promise<void>;

  /** Rejects a duplicate name as a `conflict`. */
  insertMcpServer(server: McpServerRecord): Promise<void>;
  /** Compare-and-set on the definition, so that concurrent changes aren't lost. Returns false if it had changed. */
  updateMcpServer(
    server: Pick<McpServerRecord, 'worldId' | 'name' | 'definition' | 'sealed' | 'signIn'>,
    after: Pick<McpServerRecord, 'definition' | 'sealed' | 'signIn'>,
  ): Promise<boolean>;
  /** Records that the server's tools were listed. Returns true only for the first list. */
  setMcpServerListed(worldId: string, name: string): Promise<boolean>;
  /** Deletes the server and the records of its tools. Returns true if it existed. */
  deleteMcpServer(worldId: string, name: string): Promise<boolean>;
  /** Inserts or updates the record of a tool. */
  putMcpTool(tool: McpToolRecord): Promise<void>;

  /** Rejects a duplicate name as a `conflict`. */
  insertProvider(provider: ProviderRecord): Promise<void>;
  /** Compare-and-set on `rev`, so that concurrent changes aren't lost. Returns false if it had changed. Rejects a duplicate name. */
  updateProvider(provider: ProviderRecord): Promise<boolean>;
  /** Returns true if the provider existed. */
  deleteProvider(id: string): Promise<boolean>;

  /** Returns false, and writes nothing, if the chat doesn't exist. */
  insertSchedule(schedule: ScheduleRecord): Promise<boolean>;
  /** Compare-and-set on `rev`, like the next method: returns false, and writes nothing, if it had changed. */
  updateSchedule(schedule: ScheduleRecord): Promise<boolean>;
  deleteSchedule(schedule: Pick<ScheduleRecord, 'id' | 'rev'>): Promise<boolean>;

  /** Creates the server's audit log (`SERVER_LOG`) if necessary, and locks it, so that changes to people are serialized. */
  lockServerLog(): Promise<void>;
  /** Rejects a duplicate id, name or email address as a `conflict`. */
  insertPerson(person: PersonRecord): Promise<void>;
  /** Compare-and-set on `rev`, like `updateProvider`. */
  updatePerson(person: PersonRecord): Promise<boolean>;
  /** Also deletes tickets, sessions and invitations that expired a while ago. */
  insertCredential(credential: CredentialRecord): Promise<void>;
  /** Records that a credential was used. Does nothing if it has ended. */
  useCredential(id: string, use: { usedAt: number; expiresAt: number | null }): Promise<void>;
  /** Ends a credential and the sessions opened with it. Returns true for one caller, and only before it expires. */
  endCredential(id: string): Promise<boolean>;
  /** Replaces the data of a credential. Does nothing if it has ended. */
  updateCredential(id: string, data: CredentialRecord['data']): Promise<void>;
  /**
   * Ends all credentials of a person except passkeys, or those of one kind. A passkey can't be used while its person is disabled or removed, and
   * as long as it exists, no new passkey is trusted by default.
   */
  endCredentials(personId: string, kind?: CredentialKind): Promise<void>;
  /** Inserts or replaces a group. */
  putGroup(group: GroupRecord): Promise<void>;
  /** Returns true if the group existed. */
  deleteGroup(name: string): Promise<boolean>;

  /** The first one starts after the last event of each world. */
  insertWebhook(webhook: WebhookRecord): Promise<void>;
  /** Compare-and-set on `rev`, like `updateProvider`. */
  updateWebhook(webhook: WebhookRecord): Promise<boolean>;
  /** Also deletes its deliveries. Returns true if it existed. */
  deleteWebhook(id: string): Promise<boolean>;
  /** Compare-and-set, so that one process inserts the deliveries of an event. Returns false if it was no longer `from`. */
  moveWebhookCursor(worldId: string, range: { from: number; upto: number }): Promise<boolean>;
  /** Does nothing if there is one with this id. Also deletes those that ended a week ago. */
  insertDelivery(delivery: DeliveryRecord): Promise<void>;
  /** Begins an attempt: until `until`, no other process begins one. Returns false if one did, or the delivery has ended. */
  claimDelivery(delivery: Pick<DeliveryRecord, 'id' | 'attempts'>, until: number): Promise<boolean>;
  /** Ends the attempt with this number. Does nothing if another one has begun. */
  finishDelivery(
    attempt: Pick<DeliveryRecord, 'id' | 'attempts' | 'state' | 'nextAt' | 'problem' | 'endedAt'>,
  ): Promise<void>;
  /** Makes a delivery that has ended due again, or all dead ones of the webhook. Returns how many. */
  replayDeliveries(webhookId: string, which: { id?: string }): Promise<number>;

  /**
   * Adds messages to the search index and advances its position. Returns false and writes nothing if the position is no longer `from`. Words
   * consist of letters and digits only.
   */
  addToSearch(
    worldId: string,
    range: { from: number; upto: number },
    documents: readonly { messageId: string; chatId: string; words: readonly string[] }[],
  ): Promise<boolean>;

  /** Events are numbered under the world's row lock right before the commit, so that no lower number commits after a higher one was read. */
  emit(emission: Emission): void;
  /** Records are chained in the same way. Arguments must already be masked: a record can't be changed later (SAFE6, LOG1). */
  record(entry: Omit<AuditRecord, 'at' | 'worldId'>): void;
}

export type TurnChange = Partial<
  Pick<
    TurnRecord,
    | 'requester'
    | 'state'
    | 'outcome'
    | 'iteration'
    | 'owner'
    | 'interruptions'
    | 'begunSeq'
    | 'inputTokens'
    | 'outputTokens'
    | 'microdollars'
    | 'endedAt'
  >
>;
export type InvocationChange = Pick<CallRecord, 'status'> &
  Partial<
    Pick<
      CallRecord,
      | 'arguments'
      | 'editedBy'
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

/** Additional features of a store that several processes share (STORE4). A process without a recent heartbeat is considered dead. */
export interface SharedStore {
  /** Writes a heartbeat by the database's clock. Returns true if another process wrote one in the last `silentMs`. */
  beat(owner: string, silentMs: number): Promise<boolean>;
  /** Announces an orderly shutdown, so that other processes don't have to wait until this one is considered dead. */
  retire(owner: string): Promise<void>;
  isAlive(owner: string, silentMs: number): Promise<boolean>;
  living(silentMs: number): Promise<string[]>;
  /** Open turns: this process's own, and those without a live owner. */
  turnsToCheck(owner: string, silentMs: number): Promise<{ own: string[]; orphaned: string[] }>;
  /** Delivers each wake-up to one process. The returned function stops the delivery. */
  deliverWakes(handle: (turnId: string) => Promise<void>): Promise<() => Promise<void>>;
  /** Receives hints from all processes. Calls `missed` if some may have been lost. The returned function unsubscribes. */
  hear(listener: (hint: string) => void, missed: () => void): Promise<() => Promise<void>>;
  /** Sends a hint to every process, at most once; anything important is in the store. Limited to `hintLimitBytes`. */
  hint(text: string): void;
  readonly hintLimitBytes: number;
  /** The workload across all processes. */
  workload(silentMs: number): Promise<Workload>;
}

export interface Workload {
  /** The number of turns that could run now but aren't run by any live process. */
  queued: number;
  /** The age of the oldest such turn. */
  oldestMs: number;
  running: number;
}

/**
 * Called with the events after a commit. If one process owns the store, calls are in commit order: events are published from here, so listeners
 * get them in order (STORE1). Errors are passed to the caller.
 */
export type OnCommit = (events: StoredEvent[]) => void;

/** Stores worlds. Open one with `openSqlite` or `openPostgres`. */
export interface Store {
  /** Absent if one process owns the store. */
  readonly shared?: SharedStore;
  /** The key for call hashes (CALL7). Generated once per store and saved in it. */
  readonly hashKey: Uint8Array;
  /**
   * Changes a world (STORE1). Commits `work`, its emissions and audit records atomically; if `work` throws, nothing is written. `work` must await
   * nothing but the transaction, because on SQLite all other writers wait for it.
   */
  transact<T>(
    worldId: string,
    work: (tx: StoreTransaction) => Promise<T>,
    onCommit?: OnCommit,
  ): Promise<{ value: T; events: StoredEvent[] }>;
  /**
   * Runs one step in one or more chats (STORE1): loads its needs, calls `decide`, and commits the result atomically. Steps in one chat never overlap.
   * `decide` must be synchronous, may be called again on newer state, and changes state only through `applyChange`. If it throws, nothing is written.
   */
  step<T>(
    worldId: string,
    needs: StepNeeds,
    decide: (reads: StepReads) => { value: T; writes: StepWrites },
    onCommit?: OnCommit,
  ): Promise<{ value: T; events: StoredEvent[] }>;
  /** Runs reads that see one consistent state. */
  read<T>(work: (reader: StoreReader) => Promise<T>): Promise<T>;
  /** Rejects if nothing can be stored at the moment. Writes something and leaves nothing behind. */
  checkWritable(): Promise<void>;
  /** Verifies the chain and compares its head with the copy outside the database. */
  verifyAudit(worldId: string): Promise<AuditVerdict>;
  /** Closes the store. Nothing can be read or written after that. */
  close(): Promise<void>;
}
