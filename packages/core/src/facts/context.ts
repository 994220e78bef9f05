import type { ToolEvent } from '@countersign/protocol';
import { maskArguments } from '../masking/index.js';
import type {
  ChatState,
  Emission,
  InvocationRecord,
  MessageRecord,
  NewAuditRecord,
  NewMessage,
  RowChange,
} from '../ports/index.js';
import { toolTurnId } from '../turn/ids.js';

/** The effects of a fact, in this order. */
export interface Derived {
  changes: readonly RowChange[];
  events?: readonly Emission[];
  records?: readonly NewAuditRecord[];
}

export type NewWords = Partial<NewMessage> & Pick<NewMessage, 'role' | 'sender' | 'speaker' | 'content'>;

/** Input for deriving facts: the chat before the fact, and data from the step. */
export interface FactContext {
  now: number;
  state: ChatState;
  /** Open and queued turns of the world before the fact. */
  working: () => number;
  agentName: (agentId: string) => string;
  clientLabel: (clientId: string) => string;
  /** Assigns a message its id and position in the chat. */
  message: (words: NewWords) => MessageRecord;
}

/** A message about one call within its turn: a question, its answer, or a result. */
export function callMessage(
  { message }: FactContext,
  { turnId, agentId, iteration }: InvocationRecord,
  words: NewWords,
): MessageRecord {
  return message({ agentId, turnId, iteration, ...words });
}

export function messageEvent(message: MessageRecord): Emission {
  return { event: 'message', chatId: message.chatId, message };
}

type Lifecycle = ToolEvent extends infer E
  ? E extends ToolEvent
    ? Omit<E, 'invocation_id' | 'tool_name' | 'turn_id' | 'agent_id' | 'agent_name'>
    : never
  : never;

/** A lifecycle event of a call (T2). */
export function toolEvent({ agentName }: FactContext, call: InvocationRecord, lifecycle: Lifecycle): Emission {
  return {
    event: 'tool',
    chatId: call.chatId,
    data: {
      ...lifecycle,
      invocation_id: call.id,
      tool_name: call.toolName,
      turn_id: toolTurnId(call.turnId, call.iteration),
      agent_id: call.agentId,
      agent_name: agentName(call.agentId),
    },
  };
}

/** The fields that every audit record about a call has (A16). */
export function auditOf(
  call: InvocationRecord,
): Required<Pick<NewAuditRecord, 'chatId' | 'agentId' | 'tool' | 'invocationId' | 'arguments'>> {
  return {
    chatId: call.chatId,
    agentId: call.agentId,
    tool: call.toolName,
    invocationId: call.id,
    arguments: maskArguments(call.arguments).value,
  };
}

export function callIn(state: ChatState, callId: string): InvocationRecord {
  const call = state.calls.get(callId);
  if (call === undefined) throw new Error(`The call "${callId}" is not open.`);
  return call;
}

/** A call in a state that allows the transition. Any other state is a bug in the step, which then writes nothing. */
export function callWith(
  state: ChatState,
  callId: string,
  ...statuses: readonly InvocationRecord['status'][]
): InvocationRecord {
  const call = callIn(state, callId);
  if (!statuses.includes(call.status))
    throw new Error(`The call "${callId}" is ${call.status}, not ${statuses.join(' or ')}.`);
  return call;
}
