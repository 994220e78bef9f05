import { CountersignError } from '@countersign/protocol';
import type {
  AgentRecord,
  ApprovalRecord,
  ApprovalVerdict,
  CallKeys,
  ChatRecord,
  ChatState,
  ClientRecord,
  Emission,
  Fact,
  GrantRecord,
  InvocationChange,
  InvocationRecord,
  InvocationStatus,
  McpToolRecord,
  MessageRecord,
  NewAuditRecord,
  NewMessage,
  StepNeeds,
  StepReads,
  StepWrites,
  TurnChange,
  TurnRecord,
} from '../ports/index.js';
import { applyFact, emptyChat } from './apply-fact.js';

type Fence = Pick<TurnRecord, 'id' | 'chatId' | 'epoch' | 'rev'>;

/**
 * A step while it is decided. Reads see what the step itself has written. Every write is a fact, applied at once to the state of its
 * chat; a store that can't write them throws that state away.
 */
export class StepTransaction {
  readonly worldId: string;
  readonly #needs: StepNeeds;
  readonly #reads: StepReads;
  readonly #facts: Fact[] = [];
  readonly #emissions: Emission[] = [];
  readonly #records: NewAuditRecord[] = [];
  readonly #wakes: string[] = [];
  readonly #created = new Map<string, ChatState>();
  /** The last one that was asked for: who signs is asked for several times. */
  #client: { id: string; found: ClientRecord | undefined } | undefined;
  #limit: StepWrites['limit'];
  /** Open and queued turns that this step has added. */
  #added = 0;

  constructor(worldId: string, needs: StepNeeds, reads: StepReads) {
    this.worldId = worldId;
    this.#needs = needs;
    this.#reads = reads;
  }

  /** What is to be written. */
  writes(): StepWrites {
    const count = this.#facts.length + this.#emissions.length + this.#records.length + this.#wakes.length;
    if (this.#needs.isLook === true && count > 0) throw new Error('A step wrote that had said it would only look.');
    return {
      facts: this.#facts,
      emissions: this.#emissions,
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
  createChat(chat: ChatRecord): void {
    this.#created.set(chat.id, emptyChat(chat));
    this.#facts.push({ kind: 'chat-created', chat });
  }
  changeChat(chatId: string, change: Extract<Fact, { kind: 'chat-changed' }>['change']): void {
    this.#write(chatId, { kind: 'chat-changed', chatId, change });
  }
  deleteChat(chatId: string): void {
    this.#facts.push({ kind: 'chat-deleted', chatId });
  }

  // Messages

  /** The message that a client has sent under this id. */
  sent(chatId: string, clientMessageId: string): MessageRecord | undefined {
    this.#assertNeeded(this.#needs.sent?.clientMessageId === clientMessageId, 'sent');
    return this.#reads.sent(chatId, clientMessageId);
  }
  /** Gives the message its position. It belongs to the step from here on. */
  appendMessage(message: NewMessage): MessageRecord {
    const chat = this.chat(message.chatId);
    if (chat === undefined) throw new CountersignError('not-found', `There is no chat "${message.chatId}".`);
    const written: MessageRecord = Object.assign(message, { seq: chat.lastSeq + 1, createdAt: this.now() });
    this.#write(chat.id, { kind: 'message-written', message: written });
    return written;
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
  /** Turns of an agent that answer the last message of a person or a later one and have begun, except silent ones (M6). */
  countBegun(chatId: string, agentId: string): number {
    return this.#state(chatId)?.begun.get(agentId) ?? 0;
  }
  /** How many turns of a chat are open, and how many wait for somebody (M8). A queued one waits with the one before it. */
  countUnfinished(chatId: string): { working: number; waiting: number } {
    const count = { working: 0, waiting: 0 };
    for (const { state } of this.#state(chatId)?.turns.values() ?? []) {
      if (state === 'open') count.working += 1;
      else if (state === 'waiting') count.waiting += 1;
    }
    return count;
  }
  /** Open and queued turns of the step's world. */
  countWorking(): number {
    return this.#reads.working() + this.#added;
  }
  /** A second open or waiting turn of an agent in a chat is refused as a `conflict`. */
  insertTurn(turn: TurnRecord): void {
    if (turn.state === 'open' && this.currentTurn(turn.chatId, turn.agentId) !== undefined) {
      throw new CountersignError('conflict', 'An agent has one turn under way in a chat.');
    }
    if (turn.worldId === this.worldId) this.#added += works(turn.state);
    this.#write(turn.chatId, { kind: 'turn-queued', turn });
  }
  /** Applies the change if the turn is as the caller has read it. False: it is not, and the caller must write nothing either. */
  stepTurn(fence: Fence, change: TurnChange): boolean {
    const turn = this.#unchanged(fence);
    if (turn !== undefined) this.#changeTurn(turn, change);
    return turn !== undefined;
  }
  /** Raises `epoch`, so that the process that runs the turn can't write any more. Undefined: it has ended, or is not there. */
  fenceTurn(id: string, change: TurnChange): TurnRecord | undefined {
    const turn = this.turn(id);
    if (turn === undefined) return undefined;
    const all = { ...change, epoch: turn.epoch + 1 };
    this.#changeTurn(turn, all);
    return { ...turn, ...all, rev: turn.rev + 1 };
  }
  /** Takes a turn that no process runs. Undefined: another process was first. */
  claimTurn(fence: Fence, claim: { owner: string; interruptions: number }): TurnRecord | undefined {
    const turn = this.#unchanged(fence);
    if (turn?.state !== 'open') return undefined;
    const all = { ...claim, epoch: turn.epoch + 1 };
    this.#changeTurn(turn, all);
    return { ...turn, ...all, rev: turn.rev + 1 };
  }
  wakeTurn(turnId: string): void {
    this.#wakes.push(turnId);
  }

  // Calls

  /** A call of the latest answer of an unfinished turn. */
  invocation(id: string): InvocationRecord | undefined {
    return this.#find((state) => state.calls.get(id));
  }
  /** The calls of the turn's latest answer, in call order. */
  invocations(turn: Pick<TurnRecord, 'id' | 'chatId'>): InvocationRecord[] {
    const calls: InvocationRecord[] = [];
    for (const call of this.#state(turn.chatId)?.calls.values() ?? []) if (call.turnId === turn.id) calls.push(call);
    return calls.sort((one, other) => one.position - other.position);
  }
  /** Those that are not settled, in call order. */
  openCalls(turn: Pick<TurnRecord, 'id' | 'chatId'>): InvocationRecord[] {
    return this.invocations(turn).filter((call) => call.settledAt === null);
  }
  insertInvocation(call: InvocationRecord): void {
    this.#write(call.chatId, { kind: 'call-proposed', call });
  }
  /** Compare-and-set on `status`. */
  changeInvocation(id: string, from: InvocationStatus, change: InvocationChange): boolean {
    const found = this.invocation(id);
    if (found?.status !== from) return false;
    const { chatId } = found;
    this.#write(chatId, { kind: 'call-changed', chatId, callId: id, change });
    return true;
  }
  /** Is there such a call in this chat whose outcome is unknown (S3)? */
  outcomeUnknown(call: CallKeys): boolean {
    for (let at = this.#facts.length - 1; at >= 0; at -= 1) {
      const fact = this.#facts[at];
      if (fact?.kind === 'outcome-accepted' && isSameCall(fact, call)) return false;
      if (fact?.kind !== 'call-changed' || fact.change.outcomeUnknown !== true) continue;
      const changed = this.invocation(fact.callId);
      if (changed !== undefined && isSameCall(changed, call)) return true;
    }
    this.#assertNeeded(this.#needsCall(call), 'calls');
    return this.#reads.outcomeUnknown(call);
  }
  acceptOutcome(call: { chatId: string; toolName: string; arguments: string }): void {
    const { chatId, toolName } = call;
    this.#write(chatId, { kind: 'outcome-accepted', chatId, toolName, arguments: call.arguments });
  }

  // Approvals

  /** A pending one. */
  approval(id: string): ApprovalRecord | undefined {
    return this.#find((state) => state.approvals.get(id));
  }
  /** Oldest first. */
  pendingApprovals(chatId: string): ApprovalRecord[] {
    return [...(this.#state(chatId)?.approvals.values() ?? [])];
  }
  insertApproval(approval: ApprovalRecord): void {
    this.#write(approval.chatId, { kind: 'approval-requested', approval });
  }
  /** Compare-and-set from `pending`. */
  settleApproval(id: string, verdict: Omit<ApprovalVerdict, 'decidedAt'>): boolean {
    const approval = this.approval(id);
    if (approval === undefined) return false;
    const { chatId, agentId } = approval;
    const change = { ...verdict, decidedAt: this.now() };
    this.#write(chatId, { kind: 'approval-settled', chatId, agentId, approvalId: id, change });
    return true;
  }
  /** How many of one agent wait in each chat of its world, most first. */
  pendingOf(agentId: string): readonly { chatId: string; waiting: number }[] {
    this.#assertNeeded(this.#needs.pendingOf === agentId, 'pendingOf');
    return this.#reads.pendingOf(agentId);
  }
  /** The step is refused if more would be pending. */
  limitPending(agentId: string, mostPending: number): void {
    this.#limit = { agentId, mostPending };
  }

  // Grants

  /** Not revoked and used after `usedAfter`: those that may cover this call. */
  grants(call: CallKeys, usedAfter: number): GrantRecord[] {
    this.#assertNeeded(this.#needsCall(call), 'calls');
    const found = this.#reads.grants(call).filter(({ lastUsedAt }) => lastUsedAt > usedAfter);
    for (const fact of this.#facts) {
      if (fact.kind === 'grant-given' && covers(fact, call)) found.push(fact.grant);
    }
    return found;
  }
  giveGrant(grant: GrantRecord, key: string): void {
    this.#write(grant.chatId, { kind: 'grant-given', grant, key });
  }
  useGrant(chatId: string, grantId: string): void {
    this.#write(chatId, { kind: 'grant-used', chatId, grantId, at: this.now() });
  }

  // The world

  client(id: string): ClientRecord | undefined {
    this.#assertNeeded(this.#needs.clients?.includes(id) === true, 'clients');
    if (this.#client?.id !== id) this.#client = { id, found: this.#reads.client(id) };
    return this.#client.found;
  }
  /** Is a client there that can ask a person (A13)? */
  hasAsker(): boolean {
    this.#assertNeeded(this.#needs.asker === true, 'asker');
    return this.#reads.hasAsker();
  }
  mcpTool(name: string): McpToolRecord | undefined {
    this.#assertNeeded(this.#needs.mcpTools?.includes(name) === true, 'mcpTools');
    return this.#reads.mcpTool(name);
  }
  setPolicy(policy: readonly string[]): void {
    this.#facts.push({ kind: 'policy-changed', worldId: this.worldId, policy });
  }
  addAgent(agent: AgentRecord): void {
    this.#facts.push({ kind: 'agent-added', agent });
  }
  removeAgent(agentId: string): void {
    this.#facts.push({ kind: 'agent-removed', worldId: this.worldId, agentId });
  }
  deleteWorld(): void {
    this.#facts.push({ kind: 'world-deleted', worldId: this.worldId });
  }

  // What is told and recorded

  emit(emission: Emission): void {
    this.#emissions.push(emission);
  }
  /** Arguments must be masked already: an audit record can't be changed afterwards (A15, A16). */
  record(entry: NewAuditRecord): void {
    this.#records.push(entry);
  }

  #state(chatId: string): ChatState | undefined {
    const created = this.#created.get(chatId);
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
    for (const state of this.#created.values()) {
      const found = pick(state);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  #write(chatId: string, fact: Fact): void {
    const state = this.#state(chatId);
    if (state === undefined) throw new CountersignError('not-found', `There is no chat "${chatId}".`);
    this.#facts.push(fact);
    applyFact(state, fact);
  }
  #unchanged({ id, chatId, epoch, rev }: Fence): TurnRecord | undefined {
    const turn = this.#state(chatId)?.turns.get(id);
    return turn?.epoch === epoch && turn.rev === rev ? turn : undefined;
  }
  #changeTurn(turn: TurnRecord, more: Partial<TurnRecord>): void {
    const { chatId, id: turnId, worldId } = turn;
    const change = { ...more, rev: turn.rev + 1 };
    if (more.state !== undefined && worldId === this.worldId) this.#added += works(more.state) - works(turn.state);
    this.#write(chatId, { kind: 'turn-changed', chatId, turnId, change });
  }
  #needsCall(call: CallKeys): boolean {
    return this.#needs.calls?.some((needed) => isSameKey(needed, call)) === true;
  }
  #assertNeeded(isNeeded: boolean, what: string): void {
    if (!isNeeded) throw new Error(`A step read what it did not say it needs: ${what}.`);
  }
}

function works(state: TurnRecord['state']): 0 | 1 {
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

function covers({ grant, key }: Extract<Fact, { kind: 'grant-given' }>, call: CallKeys): boolean {
  return (
    grant.chatId === call.chatId &&
    grant.agentId === call.agentId &&
    grant.toolName === call.toolName &&
    (key === '' || call.keys.includes(key))
  );
}
