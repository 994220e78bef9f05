import type { LLMResponse, MessageRecord, TurnRecord } from '../ports/index.js';
import { needsSlices } from '../masking/index.js';
import { prepareAnswer, type PreparedAnswer, type Speaker } from '../mentions/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { answered, writeAnswer, type ModelAnswer } from './model-answer.js';
import { commit, readSnapshot, type Runtime, type Step } from '../step/runtime.js';
import { endTurn, noteActivity, queueTurns } from '../step/turn-lifecycle.js';

interface TextAnswer extends ModelAnswer<Extract<LLMResponse, { type: 'text' }>> {
  /** The message that is answered; undefined if its chat is gone. */
  trigger: MessageRecord | undefined;
}

/**
 * Publishes an agent's answer by the mention rules (M5), queues the turns of those it addresses and ends the turn, in one
 * step. False: the turn was lost, nothing written.
 */
export async function handleTextResponse(runtime: Runtime, turn: TurnRecord, answer: TextAnswer): Promise<boolean> {
  const { response, trigger } = answer;
  await maskLongTexts([await foresee(runtime, turn, answer)]);
  return await commit(runtime, 'answer', turn.worldId, { chats: [turn.chatId] }, (step) => {
    const prepared = prepare(step.snapshot, turn, response.content, trigger);
    const said = prepared.content.trim() !== '';
    const sayLast = (): void => {
      if (said) publish(runtime, step, turn, answer, prepared);
      else if (!prepared.ended) sayEmpty(step, turn);
    };
    const outcome = said ? 'answered' : 'passed';
    const ended = endTurn(runtime, step, turn, outcome, sayLast, answered(turn, response));
    if (!ended) return false;
    noteActivity(runtime, step, turn.chatId);
    return true;
  });
}

function prepare(
  snapshot: WorldSnapshot,
  { agentId }: TurnRecord,
  content: string,
  trigger: MessageRecord | undefined,
): PreparedAnswer {
  return prepareAnswer({ content, agentId, answering: speakerOf(trigger), agents: snapshot.addressable });
}

/** What will most likely be published: masking a long text takes longer than a step may. */
async function foresee(runtime: Runtime, turn: TurnRecord, { response, trigger }: TextAnswer): Promise<string> {
  if (!needsSlices(response.content)) return '';
  const snapshot = await readSnapshot(runtime, turn.worldId, { recent: true });
  return snapshot === undefined ? '' : prepare(snapshot, turn, response.content, trigger).content;
}

function publish(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  answer: TextAnswer,
  prepared: { content: string; agentIds: string[] },
): void {
  const { content, agentIds: addressees } = prepared;
  const message = writeAnswer(step, turn, answer, { content, addressees }, []);
  queueTurns(runtime, step, message);
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
