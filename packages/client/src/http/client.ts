import type {
  DeliveryState,
  NewWebhook,
  SavedWebhook,
  Webhook,
  ChatChange,
  WebhookChange,
  WebhookDelivery,
  SavedAgent,
  UndoableCall,
  UndoPreview,
  RegisteredPasskey,
  PasskeySignIn,
  PasskeyOptions,
  NewPasskey,
  NewChallenge,
  MessageAttachment,
  NewAttachment,
  NewDelegation,
  NewMessage,
  NewSchedule,
  Schedule,
  ScheduleChange,
  PasskeyConfirmation,
  Challenge,
  AcceptedMessage,
  Agent,
  Approval,
  ApprovalStatus,
  ApprovalWithContext,
  AuditEntry,
  AuditVerdict,
  Chat,
  Cost,
  AddedExternalAgent,
  LocalAgent,
  NewLocalGate,
  ReadingRules,
  CreatedExternalAgent,
  CreatedToken,
  ExportFormat,
  ExternalCall,
  ExternalResult,
  NewExternalAgent,
  NewExternalCall,
  DecisionResult,
  Delegation,
  Effect,
  Grant,
  Group,
  GroupChange,
  Health,
  ImportedWorld,
  DeviceLink,
  DeviceLinkState,
  Invitation,
  ListedTool,
  MatchedCalls,
  McpContext,
  McpContextRequest,
  McpServer,
  McpServerChange,
  McpSignInAnswer,
  McpSignInRequest,
  McpSignInStart,
  Me,
  Message,
  NewAgent,
  NewBranch,
  NewChat,
  NewClient,
  NewMcpServer,
  NewPerson,
  NewPolicy,
  BatchDecision,
  BatchReply,
  CallBatch,
  NewDecisions,
  NewProvider,
  NewSession,
  OidcStart,
  Pairing,
  SignInWays,
  NewToken,
  NewWorld,
  OpenSession,
  Person,
  PersonChange,
  PolicyCheck,
  PolicyMatch,
  QuestionStats,
  Replayed,
  RuleUses,
  PolicyReplay,
  Suggestions,
  PolicyVerdict,
  NewPush,
  PushDevice,
  QuietHours,
  PushList,
  ProviderChange,
  ProviderModels,
  ProviderStatus,
  ProviderTest,
  ProviderTestRequest,
  QueueChange,
  QueuedApproval,
  RegisteredClient,
  RevealedCall,
  NewRunRequest,
  NewSelection,
  RestartRun,
  Run,
  SearchHit,
  Session,
  StartedRun,
  StartLink,
  TokenScope,
  StartRun,
  ShownPolicy,
  Stats,
  StuckRule,
  Timeline,
  Token,
  ToolResultReply,
  WaitingCall,
  World,
} from '@countersign/protocol';
import type { Answer } from '../show/call/answer.js';
import type { Clock } from '../clock.js';
import type { Batch, EventsOptions, StreamItem } from './events.js';

/** A page of a list. Pass `next` as `after` (or `before`, reading backwards) to get the next page. `next` is absent on the last page. */
export interface List<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/** A page of messages, and the id of the last event it includes. */
export interface MessageList extends List<Message> {
  readonly lastEventId?: number;
}

export interface PageQuery {
  after?: string;
  limit?: number;
}

/** For lists that can be read backwards: `newest` is the last page, `before` the page before a cursor. Always oldest first. */
export interface BothWays extends PageQuery {
  before?: string;
  newest?: true;
}

/** A value with its ETag, which an update must send (HTTP15). */
export interface Tagged<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

/** Omitted fields stay unchanged; null clears an optional field. */
export type Change<T> = { readonly [Field in keyof T]?: T[Field] | null };

/** Every call can be aborted. If a decision or answer is rejected, the `ClientError` contains the call's `state` (HTTP14). */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** An update may send the ETag that it is based on. A stale ETag is rejected with 412, so that no change is lost (HTTP15). */
export interface ChangeOptions extends CallOptions {
  ifMatch?: string;
}

/** See `Client.runs`. */
interface Runs {
  /** Makes the draft. The caller runs the program over it, on the same machine. */
  start(world: string, body: StartRun, options?: CallOptions): Promise<StartedRun>;
  /** Says that all processes have ended. Repeating it changes nothing. */
  end(world: string, run: string, options?: CallOptions): Promise<Run>;
  list(world: string, page?: PageQuery, options?: CallOptions): Promise<List<Run>>;
  get(world: string, run: string, options?: CallOptions): Promise<Run>;
  /** Asks again about the changes of a run. */
  apply(
    world: string,
    run: string,
    more?: { include?: readonly string[]; login?: boolean; branch?: string },
    options?: CallOptions,
  ): Promise<Run>;
  /** Withdraws the call that waits, and keeps the draft. */
  requestChanges(world: string, run: string, body: NewRunRequest, options?: CallOptions): Promise<Run>;
  /** Asks about a part of the change of a run, as a run of its own. */
  select(world: string, run: string, body: NewSelection, options?: CallOptions): Promise<Run>;
  /** Opens the draft of a run that was sent back. The caller runs a program over it, on the same machine. */
  restart(world: string, run: string, body: RestartRun, options?: CallOptions): Promise<StartedRun>;
  /** Removes the draft. */
  discard(world: string, run: string, options?: CallOptions): Promise<Run>;
}

/** Calls that a program outside proposes and runs itself (EXT1). It may run a call only if its state is `allowed`. */
interface ExternalCalls {
  /** Creates an external agent, or finds the one with this name, and creates a token that can only propose its calls. */
  createAgent(
    world: string,
    agent: Omit<NewExternalAgent, 'tokenId'>,
    options?: CallOptions,
  ): Promise<CreatedExternalAgent>;
  /** Lets the token propose the calls of this agent in one more world, and creates the agent there if no agent has this name. */
  addWorld(
    world: string,
    agent: NewExternalAgent & { tokenId: string },
    options?: CallOptions,
  ): Promise<AddedExternalAgent>;
  /** Rules with which the program reads in the world's folder without approval. Adds none. */
  readingRules(world: string, program: string, options?: CallOptions): Promise<ReadingRules>;
  /** Sending the same call with the same `key` again returns the same call. */
  propose(world: string, call: NewExternalCall, options?: CallOptions): Promise<ExternalCall>;
  /** Waits up to 50 seconds for a decision. `claim`: the one that the call was proposed with. */
  wait(world: string, call: string, seconds: number, options?: CallOptions & { claim?: string }): Promise<ExternalCall>;
  report(world: string, call: string, result: ExternalResult, options?: CallOptions): Promise<void>;
  endSession(world: string, session: string, agent?: string, options?: CallOptions): Promise<void>;
}

/**
 * A Countersign server, with one method per route (HTTP2). Methods reject only with a `ClientError`: `problem` means that the server responded
 * with an error, `network` that there was no response.
 */
export interface Client {
  readonly url: string;
  /** The clock for its streams and views. */
  readonly clock: Clock;
  readonly random: () => number;

  health(options?: CallOptions): Promise<Health>;
  /**
   * Opens a session with the ticket of a start link, an invitation, a token or a passkey (WHO1). The browser stores the cookie; pass the other part to
   * `createClient`.
   */
  openSession(ticket: string | NewSession, options?: CallOptions): Promise<Session>;
  /** Like `openSession`. A link to another device first answers with the code that must be confirmed there. */
  enter(given: NewSession, options?: CallOptions): Promise<Session | Pairing>;
  /** How a browser can sign in besides links, invitations and tokens. Needs no credential. */
  signInWays(options?: CallOptions): Promise<SignInWays>;
  /** Starts a sign-in with the OIDC provider (WHO8). Needs no credential. */
  startOidcSignIn(options?: CallOptions): Promise<OidcStart>;
  /** A link that signs in one browser, within a minute. Requires the token; a session is rejected (WHO1). */
  startLink(options?: CallOptions): Promise<StartLink>;
  /** Who you are and what you may do. */
  me(options?: CallOptions): Promise<Me>;
  sessions(options?: CallOptions): Promise<List<OpenSession>>;
  /** Ends one of your sessions, or all except the current one. */
  endSessions(session?: string, options?: CallOptions): Promise<void>;
  /** The sessions of someone else, for admins. */
  personSessions(person: string, options?: CallOptions): Promise<List<OpenSession>>;
  /** Ends one session of someone else, or all of them. */
  endPersonSessions(person: string, session?: string, options?: CallOptions): Promise<void>;
  /** Creates a link that opens another device of yours, within a minute. May ask for a passkey. */
  linkDevice(scopes?: readonly TokenScope[], options?: CallOptions): Promise<DeviceLink>;
  deviceLink(link: string, options?: CallOptions): Promise<DeviceLinkState>;
  /** `code`: what the other device shows. */
  confirmDevice(link: string, code: string, options?: CallOptions): Promise<void>;
  endDeviceLink(link: string, options?: CallOptions): Promise<void>;
  /** Starts a sign-in with a passkey. Send what it signs to `openSession`. */
  passkeySignIn(options?: CallOptions): Promise<PasskeySignIn>;
  /** Starts the registration of a passkey. */
  passkeyOptions(options?: CallOptions): Promise<PasskeyOptions>;
  /** The first passkey of an owner or admin is trusted; later ones must be confirmed. */
  registerPasskey(passkey: NewPasskey, options?: CallOptions): Promise<RegisteredPasskey>;
  passkeys(person: string, options?: CallOptions): Promise<List<RegisteredPasskey>>;
  trustPasskey(
    person: string,
    passkey: string,
    confirmation: PasskeyConfirmation,
    options?: CallOptions,
  ): Promise<RegisteredPasskey>;
  /** A trusted passkey is only removed with a confirmation. */
  removePasskey(
    person: string,
    passkey: string,
    confirmation: PasskeyConfirmation | undefined,
    options?: CallOptions,
  ): Promise<void>;
  /** The delegations that you, or another person, gave and got (SIGN4). */
  delegations(person?: string, options?: CallOptions): Promise<List<Delegation>>;
  /** Lets another person sign calls for you. */
  delegate(delegation: NewDelegation, options?: CallOptions): Promise<Delegation>;
  /** Ends a delegation that a person gave: you or, for admins, someone else. */
  endDelegation(person: string, delegation: string, options?: CallOptions): Promise<void>;
  /** The devices that get your notifications, and the key with which a browser subscribes. */
  pushDevices(options?: CallOptions): Promise<PushList>;
  addPushDevice(device: NewPush, options?: CallOptions): Promise<PushDevice>;
  removePushDevice(device: string, options?: CallOptions): Promise<void>;
  setQuietHours(device: string, quietHours: QuietHours | null, options?: CallOptions): Promise<PushDevice>;
  /** Sends a test notification. */
  testPushDevice(device: string, options?: CallOptions): Promise<void>;
  /** Starts a confirmation with a passkey. */
  createChallenge(challenge: NewChallenge, options?: CallOptions): Promise<Challenge>;
  people(options?: CallOptions): Promise<List<Person>>;
  addPerson(person: NewPerson, options?: CallOptions): Promise<Person>;
  updatePerson(person: string, change: PersonChange, options?: CallOptions): Promise<Person>;
  removePerson(person: string, options?: CallOptions): Promise<void>;
  /** A link that signs the person in once, within a week. */
  invitePerson(person: string, options?: CallOptions): Promise<Invitation>;
  tokens(person: string, options?: CallOptions): Promise<List<Token>>;
  /** The secret is returned only here. */
  createToken(person: string, token: NewToken, options?: CallOptions): Promise<CreatedToken>;
  revokeToken(person: string, token: string, options?: CallOptions): Promise<void>;
  /** Rules about signers that nobody can satisfy, or that nobody could satisfy anymore without a person. */
  stuckRules(query?: { without?: string }, options?: CallOptions): Promise<List<StuckRule>>;
  groups(options?: CallOptions): Promise<List<Group>>;
  putGroup(group: string, change: GroupChange, options?: CallOptions): Promise<Group>;
  removeGroup(group: string, options?: CallOptions): Promise<void>;
  webhooks(options?: CallOptions): Promise<List<Webhook>>;
  /** The secret is returned only here. */
  addWebhook(webhook: NewWebhook, options?: CallOptions): Promise<SavedWebhook>;
  updateWebhook(webhook: string, change: WebhookChange, options?: CallOptions): Promise<SavedWebhook>;
  removeWebhook(webhook: string, options?: CallOptions): Promise<void>;
  /** Newest first. */
  webhookDeliveries(
    webhook: string,
    query?: { state?: DeliveryState; after?: string },
    options?: CallOptions,
  ): Promise<List<WebhookDelivery>>;
  /** Sends one delivery again, or all dead ones. */
  replayWebhook(webhook: string, delivery?: string, options?: CallOptions): Promise<{ replayed: number }>;
  providers(options?: CallOptions): Promise<List<ProviderStatus>>;
  /** The key is sent once and never returned. */
  addProvider(provider: NewProvider, options?: CallOptions): Promise<ProviderStatus>;
  updateProvider(provider: string, change: ProviderChange, options?: CallOptions): Promise<ProviderStatus>;
  /** Rejected if agents use the provider, unless `force` is set. */
  removeProvider(provider: string, options?: CallOptions & { force?: boolean }): Promise<void>;
  /** Makes a real request. A provider failure is a result, not an error. */
  testProvider(provider: string, test?: ProviderTestRequest, options?: CallOptions): Promise<ProviderTest>;
  /** The models that the provider lists. */
  providerModels(provider: string, options?: CallOptions): Promise<ProviderModels>;

  worlds(page?: PageQuery, options?: CallOptions): Promise<List<World>>;
  world(world: string, options?: CallOptions): Promise<Tagged<World>>;
  createWorld(world: NewWorld, options?: CallOptions): Promise<World>;
  updateWorld(world: string, change: Change<NewWorld>, options?: ChangeOptions): Promise<World>;
  deleteWorld(world: string, options?: ChangeOptions): Promise<void>;
  /** The world as YAML. */
  exportWorld(world: string, options?: CallOptions): Promise<string>;
  importWorld(yaml: string, options?: CallOptions): Promise<ImportedWorld>;

  /** Coding agents of the user that runs the server. */
  localAgents(options?: CallOptions): Promise<List<LocalAgent>>;
  /** Writes the configuration of one of them, like `countersign gate install` and `gate here`. */
  gateLocalAgent(agent: string, gate: NewLocalGate, options?: CallOptions): Promise<void>;
  agents(world: string, page?: PageQuery, options?: CallOptions): Promise<List<Agent>>;
  agent(world: string, agent: string, options?: CallOptions): Promise<Tagged<Agent>>;
  createAgent(world: string, agent: NewAgent, options?: CallOptions): Promise<SavedAgent>;
  updateAgent(world: string, agent: string, change: Change<NewAgent>, options?: ChangeOptions): Promise<SavedAgent>;
  deleteAgent(world: string, agent: string, options?: ChangeOptions): Promise<void>;
  memory(world: string, agent: string, chat: string, page?: PageQuery, options?: CallOptions): Promise<List<Message>>;

  chats(world: string, page?: BothWays, options?: CallOptions): Promise<List<Chat>>;
  chat(world: string, chat: string, options?: CallOptions): Promise<Chat>;
  createChat(world: string, chat?: NewChat, options?: CallOptions): Promise<Chat>;
  changeChat(world: string, chat: string, change: ChatChange, options?: CallOptions): Promise<Chat>;
  deleteChat(world: string, chat: string, options?: CallOptions): Promise<void>;
  /** The chat that all branches come from first, then the branches. */
  branches(world: string, chat: string, options?: CallOptions): Promise<List<Chat>>;
  /** Starts a branch before a message of a person, which is sent again, or after an answer. */
  branch(world: string, chat: string, branch: NewBranch, options?: CallOptions): Promise<Chat>;
  stop(world: string, chat: string, options?: CallOptions): Promise<void>;
  /** Tells the agent of a gated session something. Its next hook gets it, once. */
  tell(world: string, chat: string, text: string, options?: CallOptions): Promise<void>;

  messages(world: string, chat: string, page?: BothWays, options?: CallOptions): Promise<MessageList>;
  /**
   * Resolves when the message is stored. Retries use the same `clientMessageId`, so the message is stored once. Pass your own id to be able to
   * retry after a restart.
   */
  send(world: string, chat: string, message: NewMessage, options?: CallOptions): Promise<AcceptedMessage>;
  search(world: string, words: string, page?: PageQuery, options?: CallOptions): Promise<List<SearchHit>>;

  /** What waits in all worlds that you may read, oldest first. */
  waiting(page?: PageQuery, options?: CallOptions): Promise<List<WaitingCall>>;
  /** Says which world's waiting calls changed, across reconnects. Changes are not repeated: after `open`, read everything again. */
  queueBatches(options?: Pick<EventsOptions, 'signal' | 'wakes'>): AsyncGenerator<Batch<QueueChange>, void, undefined>;
  /** The queue, oldest first, with positions (CALL12). Default: pending approvals. */
  approvals(
    world: string,
    filter?: PageQuery & { status?: ApprovalStatus; chat?: string },
    options?: CallOptions,
  ): Promise<List<QueuedApproval>>;
  approval(world: string, approval: string, options?: CallOptions): Promise<ApprovalWithContext>;
  /** The effect of a pending call, masked like in the approval but up to 5 MB long (CHANGE6.10). */
  wholeEffect(world: string, approval: string, options?: CallOptions): Promise<Effect>;
  /** A pending call with its secrets unmasked. The reveal is recorded in the audit log (SAFE6). */
  reveal(world: string, approval: string, options?: CallOptions): Promise<RevealedCall>;
  /** Approves or denies exactly the call that was shown: its hash is sent with the decision (CALL7). */
  decide(
    world: string,
    approval: Pick<Approval, 'approvalId' | 'callHash'>,
    decision: Answer,
    options?: CallOptions,
  ): Promise<ToolResultReply>;
  /** Decides several calls, each on its own. Resolves to one result for each, in order. At most 200. */
  decideSeveral(decisions: NewDecisions['decisions'], options?: CallOptions): Promise<readonly DecisionResult[]>;
  /** Rehearses waiting calls of one chat together, which may take half a minute (CHANGE11). Applies nothing. */
  createBatch(world: string, approvals: readonly string[], options?: CallOptions): Promise<CallBatch>;
  /** Decides all calls of a batch. */
  decideBatch(world: string, batch: string, decision: BatchDecision, options?: CallOptions): Promise<BatchReply>;
  /** Answers a question, or returns the result of one of this client's tools (CALL16). */
  answer(
    world: string,
    answer: { toolCallId: string } & ({ content: string } | { error: string }),
    options?: CallOptions,
  ): Promise<ToolResultReply>;

  /** Calls of programs outside, such as Claude Code (EXT1). */
  readonly external: ExternalCalls;

  /** Programs that run in a draft of a world's folder (RUN1). */
  readonly runs: Runs;

  /** Calls that can be undone, newest first (CHANGE10). */
  undoable(world: string, page?: PageQuery, options?: CallOptions): Promise<List<UndoableCall>>;
  /** What undoing a call would do now. */
  previewUndo(world: string, call: string, options?: CallOptions): Promise<UndoPreview>;
  /** Undoes a call, if that still has the effect with this hash. */
  undo(world: string, call: string, effectHash: string, options?: CallOptions): Promise<UndoPreview>;
  /** Messages that are sent later (SCHED). */
  schedules(world: string, options?: CallOptions): Promise<List<Schedule>>;
  addSchedule(world: string, schedule: NewSchedule, options?: CallOptions): Promise<Schedule>;
  changeSchedule(world: string, schedule: string, change: ScheduleChange, options?: CallOptions): Promise<Schedule>;
  removeSchedule(world: string, schedule: string, options?: CallOptions): Promise<void>;
  grants(world: string, page?: PageQuery, options?: CallOptions): Promise<List<Grant>>;
  revoke(world: string, grant: string, options?: CallOptions): Promise<void>;
  policy(world: string, options?: CallOptions): Promise<Tagged<ShownPolicy>>;
  /** Replaces the rules only if they have not changed since they were read: `ifMatch` is their ETag (HTTP15). */
  setPolicy(
    world: string,
    policy: NewPolicy,
    options: ChangeOptions & { ifMatch: string },
  ): Promise<Tagged<ShownPolicy>>;
  checkPolicy(world: string, call: PolicyCheck, options?: CallOptions): Promise<PolicyVerdict>;
  /** What other rules would have decided for the calls of the past. Needs an admin who may sign. */
  replayPolicy(
    world: string,
    wanted: PolicyReplay,
    /** `tell`: how many calls were judged so far. */
    options?: CallOptions & { tell?: (calls: number) => void },
  ): Promise<Replayed>;
  /** Who added the rules of a world, and how often each decided. */
  ruleUses(world: string, options?: CallOptions): Promise<RuleUses>;
  /** Rules that would have saved questions, with their proof. */
  suggestRules(world: string, options?: CallOptions): Promise<Suggestions>;
  /** The calls in a chat that a rule would cover, to show before a person approves "always". */
  policyMatches(world: string, wanted: PolicyMatch, options?: CallOptions): Promise<MatchedCalls>;

  tools(world: string, page?: PageQuery, options?: CallOptions): Promise<List<ListedTool>>;
  mcpServers(world: string, page?: PageQuery, options?: CallOptions): Promise<List<McpServer>>;
  mcpServer(world: string, name: string, options?: CallOptions): Promise<Tagged<McpServer>>;
  addMcpServer(world: string, server: NewMcpServer, options?: CallOptions): Promise<McpServer>;
  updateMcpServer(world: string, name: string, change: McpServerChange, options?: ChangeOptions): Promise<McpServer>;
  /** A server's prompts and resources. */
  mcpContext(world: string, name: string, options?: CallOptions): Promise<McpContext>;
  /** The text of a prompt or resource. It comes from the server and is untrusted. */
  readMcpContext(world: string, name: string, wanted: McpContextRequest, options?: CallOptions): Promise<string>;
  /** Restarts an enabled server in the background. */
  restartMcpServer(world: string, name: string, options?: CallOptions): Promise<McpServer>;
  /** Starts the server if needed and lists its tools. If it fails to start, `status`, `error` and `cause` say why. */
  testMcpServer(world: string, name: string, options?: CallOptions): Promise<McpServer>;
  /** Starts a sign-in to a remote server. `origin`: the address of the web app, where the browser returns. */
  startMcpSignIn(
    world: string,
    name: string,
    wanted: McpSignInRequest & { origin: string },
    options?: CallOptions,
  ): Promise<McpSignInStart>;
  /** Finishes a sign-in with the parameters that the browser came back with. */
  finishMcpSignIn(answer: McpSignInAnswer, options?: CallOptions): Promise<{ world: string; server: string }>;
  signOutOfMcpServer(world: string, name: string, options?: CallOptions): Promise<McpServer>;
  removeMcpServer(world: string, name: string, options?: CallOptions): Promise<void>;

  /** `SERVER_LOG` is the log of the server itself: people, roles, groups, tokens and sessions. */
  audit(world: string, page?: PageQuery, options?: CallOptions): Promise<List<AuditEntry>>;
  /** The whole log as text. */
  exportAudit(world: string, format: 'jsonl' | 'csv', options?: CallOptions): Promise<string>;
  /** Verifies the whole hash chain (LOG1). */
  verifyAudit(world: string, options?: CallOptions): Promise<AuditVerdict>;
  /** The unmasked arguments a call ran with. The reveal is recorded in the audit log (LOG1). */
  original(world: string, call: string, options?: CallOptions): Promise<RevealedCall>;
  /** `person`: only decisions of this person, by id. */
  stats(world: string, options?: CallOptions & { person?: string }): Promise<Stats>;
  /** Tokens and costs of each agent and day: of the last 30 days, or all of one chat. */
  costs(world: string, options?: CallOptions & { chat?: string }): Promise<List<Cost>>;
  /** Whether the questions of the last 30 days were worth asking. `person`: those that this person decided; only for an admin. */
  questionStats(world: string, options?: CallOptions & { person?: string }): Promise<QuestionStats>;
  /** A file that a tool returned in this chat. */
  attachment(world: string, chat: string, id: string, options?: CallOptions): Promise<Blob>;
  /** Stores a picture or text file, to name it in a message of this chat (TURN17). */
  attach(world: string, chat: string, file: NewAttachment, options?: CallOptions): Promise<MessageAttachment>;
  /** The whole chat as text. */
  exportChat(world: string, chat: string, format: ExportFormat, options?: CallOptions): Promise<string>;
  /** The timeline of a turn; `turnOf` finds a message's turn. */
  timeline(world: string, chat: string, turn: string, options?: CallOptions): Promise<Timeline>;

  /**
   * Registers this client and its tools (CALL13, CALL16). Later requests to this world send its secret. If the server has forgotten the client, its
   * stream registers it again, and its tools get new names.
   */
  registerClient(world: string, client: NewClient, options?: CallOptions): Promise<RegisteredClient>;
  /** Stops sending the client's secret. After a while, the server forgets a client without a stream. */
  forgetClient(world: string): void;

  /** Events of a world or chat until the signal aborts. Reconnects and resumes automatically (STORE6). Never rejects: errors are items in the stream. */
  events(world: string, options?: EventsOptions): AsyncGenerator<StreamItem, void, undefined>;
  /** Like `events`, in batches as they arrive. */
  eventBatches(world: string, options?: EventsOptions): AsyncGenerator<Batch, void, undefined>;
}
