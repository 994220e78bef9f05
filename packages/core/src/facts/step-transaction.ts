import { CountersignError } from '@countersign/protocol';
import type {
  ApprovalRecord,
  CallKeys,
  ChatRecord,
  ChatState,
  ClientRecord,
  Emission,
  GrantRecord,
  CallRecord,
  McpToolRecord,
  MessageRecord,
  NewAuditRecord,
  RowChange,
  StepNeeds,
  StepReads,
  StepWrites,
  TurnRecord,
  TurnState,
} from '../ports/index.js';
import { requesterOf, type SigningPeople, signersIn } from '../requirements/needed-signatures.js';
import { newId } from '../turn/ids.js';
import { applyChange, emptyChat, derive, chatOf } from './derive.js';
import type { FactContext, MessageFields, Fact } from './fact.js';
import { deriveWorld, isOfWorld } from './world-fact.js';

/**
 * A step while it is being decided. Every write is a fact, applied immediately to the state of its chat, so reads see the step's own writes.
 * If the store can't commit the step, it discards that state.
 */
export class StepTransaction {
  readonly worldId: string;
  readonly #needs: StepNeeds;
  readonly #reads: StepReads;
  readonly #agentName: (agentId: string) => string;
  readonly #facts: Fact[] = [];
  protected readonly changes: RowChange[] = [];
  protected readonly emissions: Emission[] = [];
  readonly #records: NewAuditRecord[] = [];
  readonly #wakes: string[] = [];
  protected readonly created = new Map<string, ChatState>();
  /** Chats in which a turn started, paused, resumed or ended. */
  readonly #active = new Set<string>();
  #limit: StepWrites['limit'];
  /** Cached, because most facts in a step are about one chat. */
  #lastContext: FactContext | undefined;
  /** Open and queued turns added by this step. */
  #added = 0;

  constructor(
    worldId: string,
    needs: StepNeeds,
    reads: StepReads,
    agentName: (agentId: string) => string = (agentId) => agentId,
  ) {
    this.worldId = worldId;
    this.#needs = needs;
    this.#reads = reads;
    this.#agentName = agentName;
  }

  /** The facts so far. */
  get facts(): readonly Fact[] {
    return this.#facts;
  }

  /** The writes to commit. */
  writes(): StepWrites {
    const count = this.changes.length + this.emissions.length + this.#records.length + this.#wakes.length;
    if (this.#needs.isReadOnly === true && count > 0) throw new Error('A read-only step tried to write.');
    return {
      changes: this.changes,
      emissions: this.emissions,
      records: this.#records,
      wakes: this.#wakes,
      ...(this.#limit === undefined ? {} : { limit: this.#limit }),
    };
  }

  now(): number {
    return this.#reads.now;
  }

  // Chats

  chat(id: string): ChatRecord | undefined {
    return this.#state(id)?.chat;
  }

  // Messages

  /** The message that a client sent with this id. */
  sent(chatId: string, clientMessageId: string): MessageRecord | undefined {
    this.#assertNeeded(this.#needs.sent?.clientMessageId === clientMessageId, 'sent');
    return this.#reads.sent(chatId, clientMessageId);
  }
  /** A message with its id and the next position in its chat. Writes nothing. */
  newMessage(chatId: string, fields: MessageFields): MessageRecord {
    const { worldId, lastSeq } = this.chatState(chatId).chat;
    // Copied field by field: spreading is slow, and code that reads messages would become megamorphic.
    return {
      id: fields.id ?? newId('msg'),
      worldId,
      chatId,
      seq: lastSeq + 1,
      role: fields.role,
      sender: fields.sender,
      who: fields.who ?? null,
      speaker: fields.speaker,
      agentId: fields.agentId ?? null,
      turnId: fields.turnId ?? null,
      iteration: fields.iteration ?? null,
      replyTo: fields.replyTo ?? null,
      content: fields.content,
      toolCalls: fields.toolCalls ?? null,
      toolCallId: fields.toolCallId ?? null,
      addressees: fields.addressees ?? [],
      providerState: fields.providerState ?? null,
      clientMessageId: fields.clientMessageId ?? null,
      attachments: fields.attachments ?? null,
      secrets: fields.secrets ?? [],
      createdAt: this.now(),
    };
  }

  // Turns

  /** An unfinished turn. */
  turn(id: string): TurnRecord | undefined {
    return this.#find((state) => state.turns.get(id));
  }
  /** Oldest first. */
  unfinishedTurns(chatId: string): TurnRecord[] {
    return [...(this.#state(chatId)?.turns.values() ?? [])].sort(byAge);
  }
  /** The open or waiting turn of an agent in a chat. */
  currentTurn(chatId: string, agentId: string): TurnRecord | undefined {
    for (const turn of this.#state(chatId)?.turns.values() ?? []) {
      if (turn.agentId === agentId && turn.state !== 'queued') return turn;
    }
    return undefined;
  }
  nextQueuedTurn(chatId: string, agentId: string): TurnRecord | undefined {
    let first: TurnRecord | undefined;
    for (const turn of this.#state(chatId)?.turns.values() ?? []) {
      if (turn.agentId !== agentId || turn.state !== 'queued') continue;
      if (first === undefined || turn.triggerSeq < first.triggerSeq) first = turn;
    }
    return first;
  }
  /** Counts the started turns of an agent that answer a person's last message or a later one, except silent turns (WORLD6). */
  countStarted(chatId: string, agentId: string): number {
    return this.#state(chatId)?.startedTurns.get(agentId) ?? 0;
  }
  /** Open and queued turns of the step's world. */
  countWorking(): number {
    return this.#reads.working() + this.#added;
  }
  /** The current turn, or undefined if it has ended, another process took it, or its model has answered since it was read. */
  current({ id, chatId, epoch, owner, iteration }: TurnRecord): TurnRecord | undefined {
    const turn = this.#state(chatId)?.turns.get(id);
    return turn?.epoch === epoch && turn.owner === owner && turn.iteration === iteration ? turn : undefined;
  }
  wakeTurn(turnId: string): void {
    this.#wakes.push(turnId);
  }

  // Calls

  /** A call from the latest response of an unfinished turn. */
  invocation(id: string): CallRecord | undefined {
    return this.#find((state) => state.calls.get(id));
  }
  /** The calls in the turn's latest response, in call order. */
  invocations(turn: Pick<TurnRecord, 'id' | 'chatId'>): CallRecord[] {
    const calls: CallRecord[] = [];
    for (const call of this.#state(turn.chatId)?.calls.values() ?? []) if (call.turnId === turn.id) calls.push(call);
    return calls.sort((one, other) => one.position - other.position);
  }
  /** The unsettled calls, in call order. */
  openCalls(turn: Pick<TurnRecord, 'id' | 'chatId'>): CallRecord[] {
    return this.invocations(turn).filter((call) => call.settledAt === null);
  }
  /** Whether the same call has an unknown outcome in this chat (STORE3). */
  outcomeUnknown(call: CallKeys): boolean {
    for (let at = this.changes.length - 1; at >= 0; at -= 1) {
      const row = this.changes[at];
      if (row?.kind === 'outcome-accepted' && isSameCall(row, call)) return false;
      if (row?.kind !== 'call-changed' || row.change.outcomeUnknown !== true) continue;
      const changed = this.invocation(row.callId);
      if (changed !== undefined && isSameCall(changed, call)) return true;
    }
    this.#assertNeeded(this.#needsCall(call), 'calls');
    return this.#reads.outcomeUnknown(call);
  }

  // Approvals

  /** A pending approval. */
  approval(id: string): ApprovalRecord | undefined {
    return this.#find((state) => state.approvals.get(id));
  }
  /** Oldest first. */
  pendingApprovals(chatId: string): ApprovalRecord[] {
    return [...(this.#state(chatId)?.approvals.values() ?? [])];
  }
  /** The number of an agent's pending approvals per chat in its world, largest first. */
  pendingOf(agentId: string): readonly { chatId: string; waiting: number }[] {
    this.#assertNeeded(this.#needs.pendingOf === agentId, 'pendingOf');
    return this.#reads.pendingOf(agentId);
  }
  /** Makes the store reject the step if the agent would have more pending approvals than this. */
  limitPending(agentId: string, mostPending: number): void {
    this.#limit = { agentId, mostPending };
  }

  // Grants

  /** Unrevoked grants used after `usedAfter` that may cover this call. */
  grants(call: CallKeys, usedAfter: number): GrantRecord[] {
    this.#assertNeeded(this.#needsCall(call), 'calls');
    const found = this.#reads.grants(call).filter(({ lastUsedAt }) => lastUsedAt > usedAfter);
    for (const row of this.changes) {
      if (row.kind === 'grant-given' && covers(row, call)) found.push(row.grant);
    }
    return found;
  }

  // The world

  client(id: string): ClientRecord | undefined {
    this.#assertNeeded(this.#needs.clients?.includes(id) === true, 'clients');
    return this.#reads.client(id);
  }
  /** Whether a client that can ask a person is connected (CALL13). */
  hasAsker(): boolean {
    this.#assertNeeded(this.#needs.asker === true, 'asker');
    return this.#reads.hasAsker();
  }
  /** The people who may sign calls in this world. Undefined if the step didn't load them. */
  signers(): SigningPeople | undefined {
    return this.#needs.people === true ? signersIn(this.worldId, this.#reads.people(), this.now()) : undefined;
  }
  mcpTool(name: string): McpToolRecord | undefined {
    this.#assertNeeded(this.#needs.mcpTools?.includes(name) === true, 'mcpTools');
    return this.#reads.mcpTool(name);
  }

  // Facts

  /** Throws if the chat, turn, call or approval doesn't exist. Commands check that first. */
  write(fact: Fact): void {
    // Clients that wait for a chat learn that it is idle, even if it is deleted.
    if (fact.kind === 'chat-deleted' || fact.kind === 'world-deleted') this.noteActivity();
    this.#facts.push(fact);
    if (isOfWorld(fact)) {
      const { changes = [], events = [], records = [] } = deriveWorld(fact);
      for (const record of records) this.note(record);
      this.changes.push(...changes);
      this.emissions.push(...events);
      return;
    }
    if (fact.kind === 'chat-created') this.created.set(fact.chat.id, emptyChat(fact.chat));
    const state = this.chatState(chatOf(fact));
    const { changes, events, records } = derive(fact, this.#context(state));
    for (const record of records ?? []) this.note(record);
    for (const row of changes) this.change(state, row);
    if (events !== undefined) this.emissions.push(...events);
  }
  /** Must be called last in a step, when its turns are final. Publishes a chat's activity if it changed (WORLD8). */
  noteActivity(): void {
    for (const chatId of this.#active) {
      const { chat, turns } = this.chatState(chatId);
      let status: ChatRecord['status'] = 'idle';
      // Queued turns don't count: each waits for an open or waiting turn.
      for (const { state } of turns.values()) {
        if (state === 'open') status = 'working';
        else if (state === 'waiting' && status === 'idle') status = 'waiting';
      }
      if (status !== chat.status) this.write({ kind: 'activity-changed', chatId, status });
    }
    this.#active.clear();
  }

  /** Arguments must already be masked: an audit record can't be changed later (SAFE6, LOG1). */
  protected note(entry: NewAuditRecord): void {
    const { chatId, invocationId } = entry;
    const state = chatId === undefined || invocationId === undefined ? undefined : this.#state(chatId);
    const requester = state && requesterOf(state.turns.get(state.calls.get(invocationId ?? '')?.turnId ?? ''));
    this.#records.push(requester === undefined ? entry : { ...entry, requester });
  }

  #state(chatId: string): ChatState | undefined {
    const created = this.created.get(chatId);
    if (created !== undefined) return created;
    this.#assertNeeded(this.#needs.chats.includes(chatId), `chats: ${chatId}`);
    return this.#reads.chat(chatId);
  }
  #find<T>(pick: (state: ChatState) => T | undefined): T | undefined {
    for (const id of this.#needs.chats) {
      const state = this.#reads.chat(id);
      const found = state === undefined ? undefined : pick(state);
      if (found !== undefined) return found;
    }
    for (const state of this.created.values()) {
      const found = pick(state);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  protected chatState(chatId: string): ChatState {
    const state = this.#state(chatId);
    if (state === undefined) throw new CountersignError('not-found', `There is no chat "${chatId}".`);
    return state;
  }
  #context(state: ChatState): FactContext {
    if (this.#lastContext?.state === state) return this.#lastContext;
    this.#lastContext = {
      now: this.now(),
      state,
      working: () => this.countWorking(),
      agentName: this.#agentName,
      message: (fields) => this.newMessage(state.chat.id, fields),
    };
    return this.#lastContext;
  }
  /** Called only while a fact is applied. */
  protected change(state: ChatState, row: RowChange): void {
    this.changes.push(row);
    if (row.kind === 'turn-queued') this.#noteTurnState(state.chat, undefined, row.turn.state);
    if (row.kind === 'turn-changed')
      this.#noteTurnState(state.chat, state.turns.get(row.turnId)?.state, row.change.state);
    applyChange(state, row);
  }
  #noteTurnState({ id, worldId }: ChatRecord, before: TurnState | undefined, after: TurnState | undefined): void {
    if (after === undefined || after === before) return;
    this.#active.add(id);
    if (worldId === this.worldId) this.#added += works(after) - works(before);
  }
  #needsCall(call: CallKeys): boolean {
    return this.#needs.calls?.some((needed) => isSameKey(needed, call)) === true;
  }
  #assertNeeded(isNeeded: boolean, what: string): void {
    if (!isNeeded) throw new Error(`A step read data that it did not declare in its needs: ${what}.`);
  }
}

function works(state: TurnState | undefined): 0 | 1 {
  return state === 'open' || state === 'queued' ? 1 : 0;
}

function byAge(one: TurnRecord, other: TurnRecord): number {
  return one.createdAt - other.createdAt || one.triggerSeq - other.triggerSeq || (one.id < other.id ? -1 : 1);
}

function isSameKey(one: CallKeys, other: CallKeys): boolean {
  return (
    one === other ||
    (one.chatId === other.chatId &&
      one.agentId === other.agentId &&
      one.toolName === other.toolName &&
      one.argumentsText === other.argumentsText &&
      one.keys[0] === other.keys[0] &&
      one.keys[1] === other.keys[1])
  );
}

function isSameCall(
  one: { chatId: string; toolName: string; arguments: string },
  { chatId, toolName, argumentsText }: CallKeys,
): boolean {
  return one.chatId === chatId && one.toolName === toolName && one.arguments === argumentsText;
}

function covers({ grant, key }: Extract<RowChange, { kind: 'grant-given' }>, call: CallKeys): boolean {
  return (
    grant.chatId === call.chatId &&
    grant.agentId === call.agentId &&
    grant.toolName === call.toolName &&
    (key === '' || call.keys.includes(key))
  );
}
