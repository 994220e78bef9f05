import {
  addAgent,
  agentMemoryOf,
  chatAsOfNow,
  checkPolicy,
  createChat,
  deleteChat,
  deleteWorld,
  listApprovals,
  listGrants,
  listMessages,
  listUndoable,
  matchesInChat,
  previewUndo,
  publishMessage,
  decideCall,
  removeAgent,
  revokeGrant,
  setPolicy,
  showApproval,
  stopChat,
  toAgent,
  toChat,
  undoCall,
  updateAgent,
  updateWorld,
  type ClientRegistry,
  type Engine,
  type EventListener,
  turnFailure,
  type MatchedCall,
  type TurnFailure,
} from '@countersign/core';
import type { AuditVerdict, Tool } from '@countersign/core/ports';
import {
  CountersignError,
  newUndoSchema,
  parseInput,
  policyCheckSchema,
  type Agent,
  type Approval,
  type ApprovalStatus,
  type ApprovalWithContext,
  type AuditEntry,
  type Chat,
  type ChatStatus,
  type Grant,
  type Message,
  type NewAgent,
  type PolicyCheck,
  type PolicyVerdict,
  type QuestionAnswer,
  type ToolDecision,
  type ToolResultOutcome,
  type UndoableCall,
  type UndoPreview,
  type WorldEvent,
  type WorldEventName,
  type WorldSettings,
  whoSchema,
} from '@countersign/protocol';
import { approvalFilter, callable, eventName, isObject, page, text, tool } from '../options/check-input.js';
import type { Approver } from '../approver.js';
import type { Decision } from '../decision.js';
import { followEvents, type EventsOptions } from './follow-events.js';
import { PROGRAM, signerOf, TRUSTED, type SignedBy } from '../signer.js';
import { untilQuiet, untilSettled, type Settled } from './until-settled.js';

type EventData = { [E in WorldEvent as E['event']]: E['data'] };

/** One conversation. */
export interface OpenedChat {
  /** The id of the chat. */
  readonly id: string;
  /** Resolves when the message is stored; answers arrive as events. */
  send(
    content: string,
    options?: {
      /** The name shown to agents. Default: `human`. */
      sender?: string;
      /** A message with the same id is stored once. */
      clientMessageId?: string;
      /** The person who sends it: their id, or id and name. Without it, rules with `not requester` are met by nobody. */
      who?: SignedBy['who'];
    },
  ): Promise<{ messageId: string }>;
  /** All messages, oldest first. Tool messages contain decisions and results as JSON; an assistant message that only calls tools is empty. */
  messages(page?: { after?: number; limit?: number }): Promise<Message[]>;
  /** One agent's view of this chat. */
  memory(agentId: string): Promise<Message[]>;
  /** Whether the chat is working, waiting for a person, or idle. */
  status(): Promise<ChatStatus>;
  /** Earlier calls in this chat that a rule would have matched, newest first; `more` if the list is incomplete. */
  matches(rule: string): Promise<{ calls: MatchedCall[]; more: boolean }>;
  /** The title, which a model writes after the first exchange. */
  title(): Promise<string>;
  /**
   * Resolves when nothing runs in this chat. `waiting`: people must decide something. `failed`: nothing waits, and an agent couldn't answer the
   * last message, for example because of a wrong API key; `failure` says why.
   */
  settled(): Promise<Settled>;
  /** Why an agent couldn't answer since the last message from a person. Undefined if none failed. */
  failure(): Promise<TurnFailure | undefined>;
  /** Stops everything that runs in this chat and denies its pending approvals. */
  stop(): Promise<void>;
  /** Stops the chat, then deletes it. */
  delete(): Promise<void>;
}

/** A world in an open store. It is closed together with the store. */
export interface StoreWorld<A extends Approval = Approval> {
  /** The id: a slug of the world's original name. */
  readonly id: string;
  /** The name when the world was opened. */
  readonly name: string;
  /** Adds an agent. Its name must not be in use in this world. */
  addAgent(agent: NewAgent): Promise<Agent>;
  /** Changes an agent. Omitted fields stay unchanged. */
  updateAgent(agentId: string, change: Partial<NewAgent>): Promise<void>;
  /** Removes an agent. Its messages are kept. */
  removeAgent(agentId: string): Promise<void>;
  /** The agents of this world, in the order in which they were added. */
  agents(): Promise<Agent[]>;
  /** Adds a tool to this world until the world is closed. */
  addTool(tool: Tool): void;
  /** A new chat, or the one with this id. */
  chat(id?: string): Promise<OpenedChat>;
  /** The chats of this world, oldest first. */
  chats(): Promise<Chat[]>;
  /** Subscribes to one kind of event in this world. Returns a function that unsubscribes. A failing listener doesn't affect the others. */
  on<E extends WorldEventName>(
    event: E,
    listener: (data: EventData[E], event: WorldEvent) => void | Promise<void>,
  ): () => void;
  /** Subscribes to every event in this world. Returns a function that unsubscribes. */
  subscribe(listener: EventListener): () => void;
  /**
   * Iterates over this world's events, in order and without gaps. Save the `id` of the last event you handled, and pass it as `after` to continue
   * from there, even after a restart. Ends when `signal` aborts, when the world is closed, and when the world or
   * the chat in `chatId` is deleted.
   */
  events(options?: EventsOptions): AsyncIterable<WorldEvent>;
  /** Approvals, oldest first. Default: pending ones. */
  approvals(filter?: { status?: ApprovalStatus; chatId?: string }): Promise<A[]>;
  /** One approval with the last messages in its chat. */
  approval(approvalId: string): Promise<(A & ApprovalWithContext) | undefined>;
  /** Decides an approval. An invalid decision is refused in the result, not with an exception. */
  decide(
    approval: string | Pick<Approval, 'approvalId' | 'callHash'>,
    decision: Decision,
    by?: SignedBy,
  ): Promise<ToolResultOutcome>;
  /** Like `decide`, with an explicit owner. The documentation calls it `decideCall(world, agentId, …)`. */
  decideCall(agentId: string, result: ToolDecision | QuestionAnswer, by?: SignedBy): Promise<ToolResultOutcome>;
  /** Answers a question, which is an approval with a `question`. */
  answer(question: string | Pick<Approval, 'approvalId'>, content: string, by?: SignedBy): Promise<ToolResultOutcome>;
  /** Calls whose changes are kept on this machine, so that they can be undone, newest first. */
  undoable(): Promise<UndoableCall[]>;
  /** What undoing a call would do now, or why it can't be undone. Changes nothing. */
  previewUndo(callId: string): Promise<UndoPreview>;
  /**
   * Reverts all files that a call changed, or none. Rejects with `conflict` if the effect isn't the one with this hash, which is in the preview.
   * By default, the program signs.
   */
  undo(callId: string, effectHash: string, by?: SignedBy): Promise<UndoPreview>;
  /** Active grants: decisions that also cover later calls. */
  grants(): Promise<Grant[]>;
  /** Revokes a grant. Returns true if it was in effect. */
  revoke(grantId: string): Promise<boolean>;
  /** The rules of this world. */
  policy(): Promise<readonly string[]>;
  /** Replaces the rules of this world. If a rule is invalid, nothing changes. The program is trusted, so removing a rule `with passkey` needs no passkey. */
  setPolicy(rules: readonly string[]): Promise<void>;
  /** Reports what would happen to a call, and which rule decides. Nothing runs, except in a draft with `rehearse`. */
  checkPolicy(check: PolicyCheck): Promise<PolicyVerdict>;
  /** Changes the name or settings of this world. Omitted fields stay unchanged. */
  update(change: Partial<WorldSettings> & { name?: string }): Promise<void>;
  /** Audit log records, oldest first. */
  audit(page?: { after?: number; limit?: number }): Promise<AuditEntry[]>;
  /** Checks that no record in the audit log was changed, removed or reordered. */
  verifyAudit(): Promise<AuditVerdict>;
  /** Clients with their own tools. */
  readonly clients: ClientRegistry;
  /** Resolves when nothing runs in this process on this file: everything is done or waits for someone. */
  quiet(): Promise<void>;
  /** Stops and deletes the world. Its audit log is kept. */
  delete(): Promise<void>;
}

/** A world that is open in this process, and the only one in its store. */
export interface OpenedWorld<A extends Approval = Approval> extends StoreWorld<A> {
  /** Parks running work and releases the file. */
  close(): Promise<void>;
}

export function createWorldHandle<A extends Approval>(
  engine: Engine,
  { id, name }: { id: string; name: string },
  approver: Approver | undefined,
): StoreWorld<A> {
  const { runtime } = engine;
  const chatHandle = (chatId: string): OpenedChat => createChatHandle(engine, { worldId: id, id: chatId }, approver);
  return {
    id,
    name,
    addAgent: async (agent) => {
      return toAgent(await addAgent(runtime, id, agent, PROGRAM, TRUSTED));
    },
    updateAgent: async (agentId, change) => {
      await updateAgent(runtime, id, text(agentId, 'agentId'), change, PROGRAM, TRUSTED);
    },
    removeAgent: async (agentId) => await removeAgent(runtime, id, text(agentId, 'agentId'), PROGRAM, TRUSTED),
    agents: async () => {
      const agents = await runtime.store.read((reader) => reader.agents(id));
      return agents.map(toAgent);
    },
    addTool: (added) => engine.addTool(id, tool(added, 'tool')),
    chat: async (chatId) => {
      if (chatId === undefined) return chatHandle((await createChat(runtime, id)).id);
      const chat = await runtime.store.read((reader) => reader.chat(text(chatId, 'id')));
      if (chat === undefined || chat.worldId !== id) throw noChat(chatId);
      return chatHandle(chat.id);
    },
    chats: async () => {
      const chats = await runtime.store.read((reader) => reader.chats(id));
      return chats.map(toChat);
    },
    on: (event, listener) => {
      callable(listener, 'listener');
      return runtime.bus.subscribe(
        id,
        (heard) => {
          if (!isEvent(heard, event)) return undefined;
          return listener(heard.data, heard);
        },
        eventName(event),
      );
    },
    subscribe: (listener) => runtime.bus.subscribe(id, callable(listener, 'listener')),
    events: (options) => followEvents(engine, id, options),
    // The casts add the argument types from the tools' schemas, which validated the calls.
    approvals: async (filter) =>
      (await listApprovals(runtime, id, approvalFilter(filter) ?? { status: 'pending' })) as A[],
    approval: async (approvalId) =>
      (await showApproval(runtime, id, text(approvalId, 'approvalId'))) as (A & ApprovalWithContext) | undefined,
    decide: async (approval, decision, by) => {
      if (typeof approval !== 'string' && !isObject(approval)) text(approval, 'approval');
      const shown = typeof approval === 'string' ? {} : { callHash: approval.callHash };
      const tool_call_id = typeof approval === 'string' ? approval : approval.approvalId;
      return await decideCall(runtime, id, undefined, { ...shown, ...decision, tool_call_id }, signerOf(by));
    },
    decideCall: async (agentId, result, by) =>
      await decideCall(runtime, id, text(agentId, 'agentId'), result, signerOf(by)),
    answer: async (question, content, by) => {
      const asked = isObject(question) ? question.approvalId : question;
      const tool_call_id = text(asked, 'question');
      return await decideCall(runtime, id, undefined, { tool_call_id, content }, signerOf(by));
    },
    undoable: () => listUndoable(runtime, id),
    previewUndo: async (callId) => await previewUndo(runtime, id, text(callId, 'callId')),
    undo: async (callId, effectHash, by) =>
      await undoCall(
        runtime,
        id,
        text(callId, 'callId'),
        parseInput(newUndoSchema, { effectHash }, 'undo'),
        signerOf(by),
      ),
    grants: () => listGrants(runtime, id),
    revoke: async (grantId) => await revokeGrant(runtime, id, text(grantId, 'grantId'), PROGRAM),
    policy: async () => (await runtime.store.read((reader) => reader.world(id)))?.policy ?? [],
    setPolicy: async (rules) => {
      await setPolicy(runtime, id, rules, PROGRAM, TRUSTED);
    },
    checkPolicy: async (check) =>
      await checkPolicy(runtime, id, parseInput(policyCheckSchema, check, 'check'), TRUSTED),
    update: async (change) => {
      await updateWorld(runtime, id, change, PROGRAM, TRUSTED);
    },
    audit: async (wanted) => {
      const { after = 0, limit = 1000 } = page(wanted);
      return await runtime.store.read((reader) => reader.audit(id, { after, limit }));
    },
    verifyAudit: () => runtime.store.verifyAudit(id),
    clients: engine.clients,
    quiet: () => untilQuiet(engine, approver),
    delete: () => deleteWorld(runtime, id, PROGRAM, TRUSTED),
  };
}

function createChatHandle(
  engine: Engine,
  { worldId, id }: { worldId: string; id: string },
  approver: Approver | undefined,
): OpenedChat {
  const { runtime } = engine;
  const find = async () => {
    const chat = await chatAsOfNow(runtime, worldId, id);
    if (chat === undefined) throw noChat(id);
    return chat;
  };
  const status = async () => (await find()).status;
  return {
    id,
    // Spread the options first, so that they can't override the speaker or the chat.
    send: async (content, { who: sender, ...options } = {}) => {
      const who = sender === undefined ? PROGRAM.who : parseInput(whoSchema, signerOf({ who: sender }).who, 'who');
      return await publishMessage(runtime, { ...options, worldId, chatId: id, content, speaker: 'human', who });
    },
    messages: async (wanted) => await listMessages(runtime, id, page(wanted)),
    memory: async (agentId) => await agentMemoryOf(runtime, id, text(agentId, 'agentId')),
    status,
    matches: async (rule) => await matchesInChat(runtime, worldId, id, text(rule, 'rule')),
    title: async () => (await find()).title,
    settled: () => untilSettled(engine, { worldId, id, find }, approver),
    failure: () => turnFailure(runtime, id),
    stop: () => stopChat(runtime, worldId, id, PROGRAM),
    delete: () => deleteChat(runtime, worldId, id, PROGRAM),
  };
}

function noChat(id: string): CountersignError {
  return new CountersignError('not-found', `there is no chat "${id}" in this world`);
}

function isEvent<E extends WorldEventName>(
  event: WorldEvent,
  name: E,
): event is WorldEvent & { event: E; data: EventData[E] } {
  return event.event === name;
}
