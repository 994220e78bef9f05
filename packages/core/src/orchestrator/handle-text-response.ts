import type { ChatRecord, LLMResponse, MessageRecord, TurnRecord } from '../ports/index.js';
import { prepareAnswer, type Speaker } from '../mentions/index.js';
import { commit, type Runtime, type Step } from './runtime.js';
import { addressable } from './publish-message.js';
import { endTurn, noteActivity, queueTurns } from './turn-lifecycle.js';
import { writeTurnMessage } from './write-message.js';

/** `trigger` is the message that is answered; undefined if its chat is gone. */
export interface TextAnswer {
  messageId: string;
  response: Extract<LLMResponse, { type: 'text' }>;
  provider: string;
  model: string;
  trigger: MessageRecord | undefined;
}

/** Publishes an agent's answer by the mention rules (M5), queues the turns of those it addresses and ends the turn, in one transaction. False: the turn was lost, nothing written. */
export async function handleTextResponse(runtime: Runtime, turn: TurnRecord, answer: TextAnswer): Promise<boolean> {
  const { response, trigger } = answer;
  return await commit(runtime, 'answer', turn.worldId, async (step) => {
    const chat = await step.tx.chat(turn.chatId);
    const prepared = prepareAnswer({
      content: response.content,
      agentId: turn.agentId,
      answering: speakerOf(trigger),
      agents: addressable(step.snapshot),
    });
    const said = prepared.content.trim() !== '';
    const sayLast = async (): Promise<void> => {
      if (said) await publish(runtime, step, turn, answer, prepared, chat);
      else if (!prepared.ended) sayEmpty(step, turn);
    };
    const ended = await endTurn(runtime, step, turn, said ? 'answered' : 'passed', sayLast, {
      iteration: turn.iteration + 1,
      inputTokens: turn.inputTokens + response.usage.inputTokens,
      outputTokens: turn.outputTokens + response.usage.outputTokens,
    });
    if (!ended) return false;
    if (chat !== undefined) await noteActivity(runtime, step, chat);
    return true;
  });
}

async function publish(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  answer: TextAnswer,
  prepared: { content: string; agentIds: string[] },
  chat: ChatRecord | undefined,
): Promise<void> {
  const message = await writeTurnMessage(step, turn, turn.iteration + 1, {
    id: answer.messageId,
    role: 'assistant',
    sender: turn.agentId,
    speaker: 'agent',
    content: prepared.content,
    replyTo: turn.triggerId,
    addressees: prepared.agentIds,
    providerState: {
      provider: answer.provider,
      model: answer.model,
      usage: answer.response.usage,
      ...(answer.response.providerState === undefined ? {} : { state: answer.response.providerState }),
      vendorIds: [],
    },
  });
  if (chat !== undefined) await queueTurns(runtime, step, message, chat);
}

/** An agent that says nothing without meaning to would look like a hang. */
function sayEmpty(step: Step, turn: TurnRecord): void {
  const name = step.snapshot.agentName(turn.agentId);
  step.tx.emit({
    event: 'system',
    chatId: turn.chatId,
    data: { type: 'notice', message: `${name} gave an empty answer. Ask again, or say more.` },
  });
}

function speakerOf(trigger: MessageRecord | undefined): Speaker {
  if (trigger?.speaker === 'agent') return { kind: 'agent', agentId: trigger.sender };
  return { kind: trigger?.speaker === 'world' ? 'world' : 'human' };
}
