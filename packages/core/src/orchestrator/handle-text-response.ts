import type { ChatRecord, LLMResponse, MessageRecord, TurnRecord } from '../ports/index.js';
import { prepareAnswer, type Speaker } from '../mentions/index.js';
import { answered, writeAnswer, type ModelAnswer } from './model-answer.js';
import { addressable } from './publish-message.js';
import { commit, type Runtime, type Step } from './runtime.js';
import { endTurn, noteActivity, queueTurns } from './turn-lifecycle.js';

interface TextAnswer extends ModelAnswer<Extract<LLMResponse, { type: 'text' }>> {
  /** The message that is answered; undefined if its chat is gone. */
  trigger: MessageRecord | undefined;
}

/**
 * Publishes an agent's answer by the mention rules (M5), queues the turns of those it addresses and ends the turn, in one
 * transaction. False: the turn was lost, nothing written.
 */
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
    const outcome = said ? 'answered' : 'passed';
    const ended = await endTurn(runtime, step, turn, outcome, sayLast, answered(turn, response));
    if (!ended) return false;
    await noteActivity(runtime, step, turn.chatId);
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
  const { content, agentIds: addressees } = prepared;
  const message = await writeAnswer(step, turn, answer, { content, addressees }, []);
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
