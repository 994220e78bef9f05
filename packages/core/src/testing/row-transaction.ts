import { CountersignError } from '@countersign/protocol';
import { emptyChat } from '../facts/derive.js';
import { StepTransaction } from '../facts/step-transaction.js';
import type {
  AgentRecord,
  ApprovalRecord,
  ApprovalVerdict,
  ChatChange,
  ChatRecord,
  Emission,
  GrantRecord,
  InvocationChange,
  CallRecord,
  CallStatus,
  MessageRecord,
  NewAuditRecord,
  NewMessage,
  SigningRecord,
  TurnChange,
  TurnRecord,
} from '../ports/index.js';

type Fence = Pick<TurnRecord, 'id' | 'chatId' | 'epoch'>;

/** Writes rows without facts, to test that a store can write any row. */
export class RowTransaction extends StepTransaction {
  createChat(chat: ChatRecord): void {
    this.created.set(chat.id, emptyChat(chat));
    this.changes.push({ kind: 'chat-created', chat });
  }
  changeChat(chatId: string, change: ChatChange): void {
    this.change(this.chatState(chatId), { kind: 'chat-changed', chatId, change });
  }
  deleteChat(chatId: string): void {
    this.changes.push({ kind: 'chat-deleted', chatId });
  }
  appendMessage(message: NewMessage): MessageRecord {
    const state = this.chatState(message.chatId);
    const written = { ...message, seq: state.chat.lastSeq + 1, createdAt: this.now() };
    this.change(state, { kind: 'message-written', message: written });
    return written;
  }
  insertTurn(turn: TurnRecord): void {
    if (turn.state === 'open' && this.currentTurn(turn.chatId, turn.agentId) !== undefined) {
      throw new CountersignError('conflict', 'An agent can have only one active turn in a chat.');
    }
    this.change(this.chatState(turn.chatId), { kind: 'turn-queued', turn });
  }
  /** Returns false if another process owns the turn. */
  stepTurn({ id, chatId, epoch }: Fence, change: TurnChange): boolean {
    const turn = this.chatState(chatId).turns.get(id);
    if (turn?.epoch !== epoch) return false;
    this.#changeTurn(turn, change);
    return true;
  }
  /** Increments `epoch`. */
  fenceTurn(id: string, change: TurnChange): TurnRecord | undefined {
    const turn = this.turn(id);
    if (turn === undefined) return undefined;
    const all = { ...change, epoch: turn.epoch + 1 };
    this.#changeTurn(turn, all);
    return { ...turn, ...all };
  }
  insertInvocation(call: CallRecord): void {
    this.change(this.chatState(call.chatId), { kind: 'call-proposed', call });
  }
  /** Compare-and-set on `status`. */
  changeInvocation(callId: string, from: CallStatus, change: InvocationChange): boolean {
    const found = this.invocation(callId);
    if (found?.status !== from) return false;
    const { chatId } = found;
    this.change(this.chatState(chatId), { kind: 'call-changed', chatId, callId, change });
    return true;
  }
  acceptOutcome({ chatId, toolName, ...call }: { chatId: string; toolName: string; arguments: string }): void {
    const row = { kind: 'outcome-accepted', chatId, toolName, arguments: call.arguments } as const;
    this.change(this.chatState(chatId), row);
  }
  insertApproval(approval: ApprovalRecord): void {
    this.change(this.chatState(approval.chatId), { kind: 'approval-requested', approval });
  }
  /** Compare-and-set from `pending`. */
  settleApproval(approvalId: string, verdict: Omit<ApprovalVerdict, 'decidedAt'>): boolean {
    const approval = this.approval(approvalId);
    if (approval === undefined) return false;
    const { chatId, agentId } = approval;
    const change = { ...verdict, decidedAt: this.now() };
    this.change(this.chatState(chatId), { kind: 'approval-settled', chatId, agentId, approvalId, change });
    return true;
  }
  signApproval(approvalId: string, signing: SigningRecord): void {
    const approval = this.approval(approvalId);
    if (approval === undefined) throw new Error(`There is no pending approval "${approvalId}".`);
    const { chatId } = approval;
    this.change(this.chatState(chatId), { kind: 'approval-signed', chatId, approvalId, signing });
  }
  giveGrant(grant: GrantRecord, key: string): void {
    this.change(this.chatState(grant.chatId), { kind: 'grant-given', grant, key });
  }
  useGrant(chatId: string, grantId: string): void {
    this.change(this.chatState(chatId), { kind: 'grant-used', chatId, grantId, at: this.now() });
  }
  setPolicy(policy: readonly string[]): void {
    this.changes.push({ kind: 'policy-changed', worldId: this.worldId, policy });
  }
  addAgent(agent: AgentRecord): void {
    this.changes.push({ kind: 'agent-added', agent });
  }
  removeAgent(agentId: string): void {
    this.changes.push({ kind: 'agent-removed', worldId: this.worldId, agentId });
  }
  deleteWorld(): void {
    this.changes.push({ kind: 'world-deleted', worldId: this.worldId });
  }
  emit(emission: Emission): void {
    this.emissions.push(emission);
  }
  record(entry: NewAuditRecord): void {
    this.note(entry);
  }
  #changeTurn({ chatId, id: turnId }: TurnRecord, change: TurnChange & { epoch?: number }): void {
    this.change(this.chatState(chatId), { kind: 'turn-changed', chatId, turnId, change });
  }
}
