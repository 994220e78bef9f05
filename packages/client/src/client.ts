import type {
  AcceptedMessage,
  Agent,
  Approval,
  ApprovalStatus,
  ApprovalWithContext,
  AuditEntry,
  AuditVerdict,
  Chat,
  Grant,
  Health,
  ImportedWorld,
  ListedTool,
  MatchedCalls,
  McpServer,
  McpServerChange,
  Message,
  NewAgent,
  NewChat,
  NewClient,
  NewMcpServer,
  NewPolicy,
  NewWorld,
  PolicyCheck,
  PolicyMatch,
  PolicyVerdict,
  ProviderStatus,
  QueuedApproval,
  RegisteredClient,
  RevealedCall,
  SearchHit,
  Session,
  StartLink,
  ShownPolicy,
  Stats,
  Timeline,
  ToolDecision,
  ToolResultReply,
  World,
} from '@countersign/protocol';
import type { Clock } from './clock.js';
import type { Batch, EventsOptions, StreamItem } from './events.js';

/** Part of a list. `next` goes into `after` (or `before`, when reading backwards) of the next call; absent at the end. */
export interface List<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** Messages, and the number in the log up to which this page of them is true. */
export interface MessageList extends List<Message> {
  readonly lastEventId?: number;
}

export interface PageQuery {
  after?: string;
  limit?: number;
}

/** Of a list that can be read backwards: `newest` is its last page, `before` the page before that place. Oldest first either way. */
export interface BothWays extends PageQuery {
  before?: string;
  newest?: true;
}

/** What was read, and the tag that a change of it has to name (W6). */
export interface Tagged<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

/** What is left out stays as it is; null takes away what may be absent. */
export type Change<T> = { readonly [Field in keyof T]?: T[Field] | null };

/** Every call can be given up. Decisions and answers that the server refuses are a `ClientError` with their `state` (W5). */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Changes may name the version they were made from: a stale one is refused with 412, and nobody's change is lost (W6). */
export interface ChangeOptions extends CallOptions {
  ifMatch?: string;
}

/**
 * A Countersign server, one method a route (W3). Every method rejects with a `ClientError` and with nothing else:
 * `kind: 'problem'` is what the server said, `kind: 'network'` is that it did not answer.
 */
export interface Client {
  readonly url: string;
  /** What its streams and views go by. */
  readonly clock: Clock;
  readonly random: () => number;

  health(options?: CallOptions): Promise<Health>;
  /** Trades a ticket for a session (W1). The cookie half stays with the browser; give the other half to `createClient`. */
  openSession(ticket: string, options?: CallOptions): Promise<Session>;
  /** A link that signs one browser in, within a minute. Needs the token; a session is refused (W1). */
  startLink(options?: CallOptions): Promise<StartLink>;
  providers(options?: CallOptions): Promise<List<ProviderStatus>>;

  worlds(page?: PageQuery, options?: CallOptions): Promise<List<World>>;
  world(world: string, options?: CallOptions): Promise<Tagged<World>>;
  createWorld(world: NewWorld, options?: CallOptions): Promise<World>;
  updateWorld(world: string, change: Change<NewWorld>, options?: ChangeOptions): Promise<World>;
  deleteWorld(world: string, options?: ChangeOptions): Promise<void>;
  /** The world as one YAML text. */
  exportWorld(world: string, options?: CallOptions): Promise<string>;
  importWorld(yaml: string, options?: CallOptions): Promise<ImportedWorld>;

  agents(world: string, page?: PageQuery, options?: CallOptions): Promise<List<Agent>>;
  agent(world: string, agent: string, options?: CallOptions): Promise<Tagged<Agent>>;
  createAgent(world: string, agent: NewAgent, options?: CallOptions): Promise<Agent>;
  updateAgent(world: string, agent: string, change: Change<NewAgent>, options?: ChangeOptions): Promise<Agent>;
  deleteAgent(world: string, agent: string, options?: ChangeOptions): Promise<void>;
  memory(world: string, agent: string, chat: string, page?: PageQuery, options?: CallOptions): Promise<List<Message>>;

  chats(world: string, page?: BothWays, options?: CallOptions): Promise<List<Chat>>;
  chat(world: string, chat: string, options?: CallOptions): Promise<Chat>;
  createChat(world: string, chat?: NewChat, options?: CallOptions): Promise<Chat>;
  renameChat(world: string, chat: string, title: string, options?: CallOptions): Promise<Chat>;
  deleteChat(world: string, chat: string, options?: CallOptions): Promise<void>;
  stop(world: string, chat: string, options?: CallOptions): Promise<void>;

  messages(world: string, chat: string, page?: BothWays, options?: CallOptions): Promise<MessageList>;
  /**
   * Resolves when the message is kept. It is sent again when the connection is lost, under the same `clientMessageId`, so that a
   * retry can't double it; give your own to go on after this process is gone too.
   */
  send(
    world: string,
    chat: string,
    message: { content: string; sender?: string; clientMessageId?: string },
    options?: CallOptions,
  ): Promise<AcceptedMessage>;
  search(world: string, words: string, page?: PageQuery, options?: CallOptions): Promise<List<SearchHit>>;

  /** The queue, oldest first, each with its place (A12). Default: those that wait. */
  approvals(
    world: string,
    filter?: PageQuery & { status?: ApprovalStatus; chat?: string },
    options?: CallOptions,
  ): Promise<List<QueuedApproval>>;
  approval(world: string, approval: string, options?: CallOptions): Promise<ApprovalWithContext>;
  /** A waiting call with nothing masked. That somebody looked goes into the audit log (A15). */
  reveal(world: string, approval: string, options?: CallOptions): Promise<RevealedCall>;
  /** Signs, or does not sign, exactly the call that was shown: the hash of what was on the card goes along (A7). */
  decide(
    world: string,
    approval: Pick<Approval, 'approvalId' | 'callHash'>,
    decision: Omit<ToolDecision, 'tool_call_id' | 'callHash'>,
    options?: CallOptions,
  ): Promise<ToolResultReply>;
  /** Words for a question, or the result of a tool that this client owns (A18). */
  answer(
    world: string,
    answer: { toolCallId: string } & ({ content: string } | { error: string }),
    options?: CallOptions,
  ): Promise<ToolResultReply>;

  grants(world: string, page?: PageQuery, options?: CallOptions): Promise<List<Grant>>;
  revoke(world: string, grant: string, options?: CallOptions): Promise<void>;
  policy(world: string, options?: CallOptions): Promise<Tagged<ShownPolicy>>;
  /** Only over the rules that were seen: `ifMatch` is the tag they came with (W6). */
  setPolicy(
    world: string,
    policy: NewPolicy,
    options: ChangeOptions & { ifMatch: string },
  ): Promise<Tagged<ShownPolicy>>;
  checkPolicy(world: string, call: PolicyCheck, options?: CallOptions): Promise<PolicyVerdict>;
  /** What else a rule would have been about in a chat: what somebody who signs "always" signs along with it. */
  policyMatches(world: string, wanted: PolicyMatch, options?: CallOptions): Promise<MatchedCalls>;

  tools(world: string, page?: PageQuery, options?: CallOptions): Promise<List<ListedTool>>;
  mcpServers(world: string, page?: PageQuery, options?: CallOptions): Promise<List<McpServer>>;
  mcpServer(world: string, name: string, options?: CallOptions): Promise<Tagged<McpServer>>;
  addMcpServer(world: string, server: NewMcpServer, options?: CallOptions): Promise<McpServer>;
  updateMcpServer(world: string, name: string, change: McpServerChange, options?: ChangeOptions): Promise<McpServer>;
  removeMcpServer(world: string, name: string, options?: CallOptions): Promise<void>;

  audit(world: string, page?: PageQuery, options?: CallOptions): Promise<List<AuditEntry>>;
  /** The whole log as text, to be kept. */
  exportAudit(world: string, format: 'jsonl' | 'csv', options?: CallOptions): Promise<string>;
  /** Walks the whole chain (A16). */
  verifyAudit(world: string, options?: CallOptions): Promise<AuditVerdict>;
  /** What a call ran with, nothing masked. That somebody looked goes into the audit log (A16). */
  original(world: string, call: string, options?: CallOptions): Promise<RevealedCall>;
  stats(world: string, options?: CallOptions): Promise<Stats>;
  /** One turn as bars over time; `turnOf` tells the turn of a message. */
  timeline(world: string, chat: string, turn: string, options?: CallOptions): Promise<Timeline>;

  /**
   * Says what this client is and can (A13, A18). From then on its secret goes along with everything it sends to this world, and a
   * stream that finds it forgotten registers it again, under new names for its tools.
   */
  registerClient(world: string, client: NewClient, options?: CallOptions): Promise<RegisteredClient>;
  /** From now on its secret goes along with nothing: of a client that has no stream any more the server soon knows nothing. */
  forgetClient(world: string): void;

  /**
   * Events of a world, or of one chat, for as long as the signal lets it: reconnects by itself and goes on where it was (S6).
   * Never rejects: what goes wrong is an item of the stream.
   */
  events(world: string, options?: EventsOptions): AsyncGenerator<StreamItem, void, undefined>;
  /** The same, with what came together kept together. */
  eventBatches(world: string, options?: EventsOptions): AsyncGenerator<Batch, void, undefined>;
}
