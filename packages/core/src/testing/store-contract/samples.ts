import type {
  ApprovalRecord,
  ChatRecord,
  ClientRecord,
  GrantRecord,
  CallRecord,
  MessageRecord,
  NewMessage,
  StepNeeds,
  Store,
  StoreTransaction,
  TurnRecord,
} from '../../ports/index.js';
import { EMPTY_CHAT } from '../../chats/create-chat.js';
import type { RowTransaction } from '../row-transaction.js';
import { stepOf } from '../step.js';
import type { AgentDefinition, Who, WorldSettings } from '@countersign/protocol';

export const W = 'garden';
export const A = 'ann';
export const B = 'bob';
export const C = 'chat_1';

export const settings: WorldSettings = {
  mode: 'ask',
  turnLimit: 5,
  maxIterations: 10,
  maxParallelTools: 4,
  streaming: true,
  unattended: 'wait',
  rehearse: 'on',
};
export const agent: AgentDefinition = {
  name: 'Ann',
  provider: 'scripted',
  model: 'echo',
  systemPrompt: 'You are kind. \u{1f33b}',
  tools: ['*'],
  policy: [],
  active: true,
};

/** Characters that databases often corrupt: NUL, lone surrogates, U+001A, quotes, other scripts. */
export const HOSTILE = 'a\0b \u001a0000 \ud83d| \udc00 \u{1f33b} é 漢字 \u202e \' " \\ % _ $1 ? -- \r\n\t';

export function message(id: string, change: Partial<NewMessage> = {}): NewMessage {
  return {
    id,
    worldId: W,
    chatId: C,
    role: 'user',
    sender: 'human',
    who: null,
    speaker: 'human',
    agentId: null,
    turnId: null,
    iteration: null,
    replyTo: null,
    content: `This is ${id}.`,
    toolCalls: null,
    toolCallId: null,
    addressees: [],
    providerState: null,
    secrets: [],
    clientMessageId: null,
    attachments: null,
    ...change,
  };
}

export function turn(id: string, change: Partial<TurnRecord> = {}): TurnRecord {
  return {
    id,
    worldId: W,
    chatId: C,
    agentId: A,
    triggerId: 'msg_1',
    triggerSeq: 1,
    requester: null,
    review: null,
    state: 'open',
    outcome: null,
    iteration: 0,
    epoch: 1,
    owner: null,
    interruptions: 0,
    begunSeq: null,
    inputTokens: 0,
    outputTokens: 0,
    microdollars: null,
    createdAt: 1_000,
    endedAt: null,
    ...change,
  };
}

export function invocation(id: string, change: Partial<CallRecord> = {}): CallRecord {
  return {
    id,
    worldId: W,
    chatId: C,
    agentId: A,
    turnId: 'turn_1',
    iteration: 1,
    position: 0,
    messageId: 'msg_1',
    toolName: 'shell_cmd',
    arguments: '{"command":"ls"}',
    editedBy: null,
    callHash: null,
    status: 'asked',
    runBy: 'here',
    readOnly: false,
    idempotent: false,
    approvalId: null,
    startedEpoch: null,
    result: null,
    outcomeUnknown: false,
    createdAt: 1_000,
    startedAt: null,
    settledAt: null,
    ...change,
  };
}

export function approval(id: string, change: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id,
    worldId: W,
    chatId: C,
    agentId: A,
    invocationId: 'call_1',
    messageId: 'msg_1',
    toolName: 'shell_cmd',
    callHash: 'hash',
    message: 'May I?',
    options: ['deny', 'approve_once'],
    why: 'a rule says so',
    rule: null,
    session: null,
    proposedRule: null,
    workingDirectory: '/srv/garden',
    sandbox: { kind: 'none', network: 'all', hosts: [], readable: [] },
    preview: null,
    rehearsal: null,
    claimed: null,
    applies: 'call',
    question: null,
    signing: null,
    status: 'pending',
    decision: null,
    scope: null,
    reason: null,
    decisionDigest: null,
    decidedBy: null,
    requestedAt: 1_000,
    expiresAt: null,
    decidedAt: null,
    ...change,
  };
}

export function grant(id: string, change: Partial<GrantRecord> = {}): GrantRecord {
  return {
    id,
    worldId: W,
    chatId: C,
    agentId: A,
    toolName: 'shell_cmd',
    folder: null,
    pattern: null,
    answeredRule: null,
    grantedBy: 'me',
    grantedAt: 1_000,
    lastUsedAt: 1_000,
    revokedAt: null,
    ...change,
  };
}

export function client(id: string, change: Partial<ClientRecord> = {}): ClientRecord {
  return {
    id,
    worldId: W,
    label: 'web',
    secretHash: 'hash',
    approvals: true,
    tools: [],
    leftAt: null,
    connectedTo: '',
    createdAt: 1_000,
    ...change,
  };
}

export function chat(id: string, change: Partial<ChatRecord> = {}): ChatRecord {
  return {
    id,
    worldId: W,
    title: 'New chat',
    titled: false,
    ...EMPTY_CHAT,
    createdAt: 1_000,
    ...change,
  };
}

/** Runs one step in the sample chat, unless `needs` names others. Returns the result of `work`. */
export async function step<T>(
  store: Store,
  work: (tx: RowTransaction) => T,
  needs: Partial<StepNeeds> = {},
  worldId = W,
): Promise<T> {
  return (await stepWithEvents(store, work, needs, worldId)).value;
}

export function stepWithEvents<T>(
  store: Store,
  work: (tx: RowTransaction) => T,
  needs: Partial<StepNeeds> = {},
  worldId = W,
): ReturnType<typeof store.step<T>> {
  return stepOf(store, worldId, { chats: [C], ...needs }, work);
}

export async function addChats(store: Store, ...ids: readonly string[]): Promise<void> {
  await step(store, (tx) => {
    for (const id of ids) tx.createChat(chat(id));
  });
}

/** Changes a world and ignores its events. */
export async function write<T>(store: Store, work: (tx: StoreTransaction) => Promise<T>, worldId = W): Promise<T> {
  return (await store.transact(worldId, work)).value;
}

/** A world with two agents and an empty chat. */
export async function plant(store: Store): Promise<void> {
  await write(store, async (tx) => {
    await tx.insertWorld({ id: W, name: 'Garden', settings, policy: ['allow read_file'] });
    await tx.insertAgent(W, A, agent);
    await tx.insertAgent(W, B, { ...agent, name: 'Bob' });
  });
  await addChats(store, C);
}

export async function say(store: Store, id: string, change: Partial<NewMessage> = {}): Promise<MessageRecord> {
  const { chatId = C } = change;
  return await step(
    store,
    (tx) => {
      const record = tx.appendMessage(message(id, change));
      tx.emit({ event: 'message', chatId, message: record });
      return record;
    },
    { chats: [chatId] },
  );
}

/** Someone of whom only the name matters. */
export function named(name: string): Who {
  return { kind: 'token', id: name, name };
}

export async function recordThree(store: Store): Promise<void> {
  for (const who of ['first', 'second', 'third']) {
    await write(store, async (tx) =>
      tx.record({ kind: 'run', who: named(who), arguments: { b: HOSTILE, a: [1, { d: 1, c: 2 }] } }),
    );
  }
}
