import type { InvocationRecord, MessageRecord, NewMessage, TurnRecord } from '../ports/index.js';
import { newId } from '../turn/ids.js';
import type { Step } from './runtime.js';

type Written = Partial<NewMessage> & Pick<NewMessage, 'role' | 'sender' | 'speaker' | 'content'>;

/** Appends a message and says so, in the step's transaction. */
export function writeMessage(step: Step, where: { worldId: string; chatId: string }, message: Written): MessageRecord {
  const record = step.tx.appendMessage({
    id: newId('msg'),
    agentId: null,
    turnId: null,
    iteration: null,
    replyTo: null,
    toolCalls: null,
    toolCallId: null,
    addressees: [],
    providerState: null,
    clientMessageId: null,
    secrets: [],
    ...message,
    worldId: where.worldId,
    chatId: where.chatId,
  });
  step.tx.emit({ event: 'message', chatId: where.chatId, message: record });
  return record;
}

/** A message of an agent inside its turn: its calls and its answer. */
export function writeTurnMessage(
  step: Step,
  turn: Pick<TurnRecord, 'id' | 'worldId' | 'chatId' | 'agentId'>,
  iteration: number,
  message: Written,
): MessageRecord {
  return writeMessage(step, turn, { agentId: turn.agentId, turnId: turn.id, iteration, ...message });
}

/** A message about one call, inside the turn that made it: a question, the answer to it, its result. */
export function writeCallMessage(
  step: Step,
  { turnId, worldId, chatId, agentId, iteration }: InvocationRecord,
  message: Written,
): MessageRecord {
  return writeMessage(step, { worldId, chatId }, { agentId, turnId, iteration, ...message });
}

/** Something the person should know that nobody said: an error to act on, a stop. It is in the transcript, not in any model's view. */
export function writeNotice(
  step: Step,
  about: Pick<MessageRecord, 'worldId' | 'chatId' | 'agentId' | 'turnId' | 'iteration'> & { replyTo: string },
  type: 'error' | 'notice',
  message: string,
): void {
  const { worldId, chatId, agentId, turnId, iteration, replyTo } = about;
  const { id: messageId } = writeMessage(
    step,
    { worldId, chatId },
    { role: 'system', sender: 'system', speaker: 'system', content: message, agentId, turnId, iteration, replyTo },
  );
  step.tx.emit({ event: 'system', chatId, data: { type, message, messageId } });
}
