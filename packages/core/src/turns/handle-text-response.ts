import type { LLMResponse, MessageRecord, NewMessage, TurnRecord } from '../ports/index.js';
import { needsSlices } from '../masking/index.js';
import { prepareAnswer, type PreparedAnswer, type Speaker } from '../mentions/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { commit, readSnapshot } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { openNext, queueTurns } from '../step/move-turn.js';

/** A model's response with its provider and model. */
export interface ModelAnswer<Response extends LLMResponse> {
  messageId: string;
  response: Response;
  provider: string;
  model: string;
}

/** The message of an answer, with the id of its streamed chunks. It stores provider state, which only the same provider and model gets back (P1, P5). */
export function answerMessage(
  { tx }: Step,
  turn: TurnRecord,
  { messageId, response, provider, model }: ModelAnswer<LLMResponse>,
  message: Pick<NewMessage, 'content'> & Partial<Pick<NewMessage, 'addressees' | 'toolCalls'>>,
  vendorIds: readonly string[] = [],
): MessageRecord {
  const { usage, providerState: state } = response;
  return tx.newMessage(turn.chatId, {
    ...message,
    id: messageId,
    role: 'assistant',
    sender: turn.agentId,
    speaker: 'agent',
    agentId: turn.agentId,
    turnId: turn.id,
    iteration: turn.iteration + 1,
    replyTo: turn.triggerId,
    providerState: { provider, model, usage, ...(state === undefined ? {} : { state }), vendorIds },
  });
}

interface TextAnswer extends ModelAnswer<Extract<LLMResponse, { type: 'text' }>> {
  /** The message to answer; undefined if its chat is gone. */
  trigger: MessageRecord | undefined;
}

/**
 * Publishes an agent's answer by the mention rules (M5), queues the turns of its addressees and ends the turn in one step.
 * Returns false if the turn was lost; then nothing is written.
 */
export async function handleTextResponse(runtime: Runtime, turn: TurnRecord, answer: TextAnswer): Promise<boolean> {
  const { response, trigger } = answer;
  await maskLongTexts([await predictContent(runtime, turn, answer)]);
  return await commit(runtime, 'answer', turn.worldId, { chats: [turn.chatId] }, (step) => {
    const { tx, snapshot } = step;
    const { chatId, id: turnId } = turn;
    if (tx.current(turn)?.state !== 'open') return false;
    const { content, agentIds: addressees, ended } = prepare(snapshot, turn, response.content, trigger);
    const hasWords = content.trim() !== '';
    const message = hasWords ? answerMessage(step, turn, answer, { content, addressees }) : undefined;
    tx.write({ kind: 'model-answered', chatId, turnId, usage: response.usage, message });
    tx.write({ kind: 'turn-ended', chatId, turnId, outcome: hasWords ? 'answered' : 'passed' });
    if (message !== undefined) queueTurns(runtime, step, message);
    else if (!ended) noticeEmptyAnswer(step, turn);
    openNext(runtime, step, { chatId, agentId: turn.agentId });
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

/** The text that will most likely be published. Masked before the step, because masking a long text takes too long inside it. */
async function predictContent(runtime: Runtime, turn: TurnRecord, { response, trigger }: TextAnswer): Promise<string> {
  if (!needsSlices(response.content)) return '';
  const snapshot = await readSnapshot(runtime, turn.worldId, { recent: true });
  return snapshot === undefined ? '' : prepare(snapshot, turn, response.content, trigger).content;
}

/** Publishes a notice for an empty answer, which would look like a hang. */
function noticeEmptyAnswer(step: Step, turn: TurnRecord): void {
  const name = step.snapshot.agentName(turn.agentId);
  step.tx.emit({
    event: 'system',
    chatId: turn.chatId,
    data: { type: 'notice', message: `${name} returned an empty answer. Try again, or give more detail.` },
  });
}

function speakerOf(trigger: MessageRecord | undefined): Speaker {
  if (trigger?.speaker === 'agent') return { kind: 'agent', agentId: trigger.sender };
  return { kind: trigger?.speaker === 'world' ? 'world' : 'human' };
}
