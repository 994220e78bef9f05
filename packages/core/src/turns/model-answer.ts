import type { LLMResponse, MessageRecord, NewMessage, TurnRecord } from '../ports/index.js';
import type { Step } from '../step/runtime.js';
import { writeTurnMessage } from '../step/write-message.js';

/** One answer of a model, and where it came from. */
export interface ModelAnswer<Response extends LLMResponse> {
  messageId: string;
  response: Response;
  provider: string;
  model: string;
}

/** Writes an answer under the id its chunks were heard with, and keeps what only the same provider and model gets back (P1, P5). */
export function writeAnswer(
  step: Step,
  turn: TurnRecord,
  { messageId, response, provider, model }: ModelAnswer<LLMResponse>,
  message: Pick<NewMessage, 'content'> & Partial<Pick<NewMessage, 'addressees' | 'toolCalls'>>,
  vendorIds: readonly string[],
): MessageRecord {
  const { usage, providerState: state } = response;
  return writeTurnMessage(step, turn, turn.iteration + 1, {
    ...message,
    id: messageId,
    role: 'assistant',
    sender: turn.agentId,
    speaker: 'agent',
    replyTo: turn.triggerId,
    providerState: { provider, model, usage, ...(state === undefined ? {} : { state }), vendorIds },
  });
}

/** What an answer adds to its turn. */
export function answered(
  turn: TurnRecord,
  { usage }: LLMResponse,
): Pick<TurnRecord, 'iteration' | 'inputTokens' | 'outputTokens'> {
  return {
    iteration: turn.iteration + 1,
    inputTokens: turn.inputTokens + usage.inputTokens,
    outputTokens: turn.outputTokens + usage.outputTokens,
  };
}
