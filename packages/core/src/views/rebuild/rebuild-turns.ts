import type { WorldSettings } from '@countersign/protocol';
import type { InvocationRecord, MessageRecord, TurnOutcome, TurnRecord } from '../../ports/index.js';
import { nextStep } from '../../turn/next-step.js';
import { queuedTurn } from '../../step/turn-lifecycle.js';
import { groupBy } from './group-by.js';
import type { Truth } from './read-truth.js';

/** A turn for each agent that a message addressed, in the order in which they came. */
export function rebuildTurns(
  truth: Truth,
  invocations: readonly InvocationRecord[],
  limits: WorldSettings,
): TurnRecord[] {
  const own = groupBy(truth.messages, ({ turnId }) => turnId ?? '');
  const calls = groupBy(invocations, ({ turnId }) => turnId);
  /** The turn an agent has under way in a chat, while walking through the triggers in order. */
  const current = new Map<string, TurnRecord>();
  const turns: TurnRecord[] = [];
  for (const trigger of truth.messages) {
    for (const agentId of trigger.addressees) {
      const queued = queuedTurn(trigger, agentId);
      const place = `${trigger.chatId}\n${agentId}`;
      const before = current.get(place);
      const said = own.get(queued.id) ?? [];
      const behind = before !== undefined && before.state !== 'ended';
      const turn = withWork(queued, said, endOf(queued.id, said, truth));
      if (turn.state !== 'ended' && !behind)
        turn.state = waits(turn, calls.get(turn.id) ?? [], limits) ? 'waiting' : 'open';
      if (!behind) turn.begunSeq = Math.max(trigger.seq, before?.begunSeq ?? 0);
      if (!behind) current.set(place, turn);
      turns.push(turn);
    }
  }
  return turns;
}

/** What an agent has done in its turn so far, by the messages it left. */
function withWork(queued: TurnRecord, own: readonly MessageRecord[], end: End | undefined): TurnRecord {
  const usage = own.flatMap((message) => message.providerState?.usage ?? []);
  // Notices carry the iteration they ended, which is no answer of a model.
  const answers = own.filter((message) => message.role === 'assistant').map((message) => message.iteration ?? 0);
  const iteration = answers.reduce((most, number) => Math.max(most, number), 0);
  return {
    ...queued,
    ...(end === undefined ? {} : { state: 'ended', outcome: end.outcome, endedAt: end.at }),
    // A model that passed was called once more than there are messages to show for it.
    iteration: end?.outcome === 'passed' ? iteration + 1 : iteration,
    inputTokens: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}

function waits(turn: TurnRecord, calls: readonly InvocationRecord[], limits: WorldSettings): boolean {
  const invocations = calls.filter((call) => call.iteration === turn.iteration);
  return nextStep({ turn: { ...turn, state: 'open' }, invocations, limits }).kind === 'wait';
}

interface End {
  outcome: TurnOutcome;
  at: number;
}

/** How a turn ended: as recorded, or else with an answer. */
function endOf(id: string, own: readonly MessageRecord[], truth: Truth): End | undefined {
  const recorded = truth.recordedEnds.get(id);
  if (recorded !== undefined) return { outcome: recorded.outcome as TurnOutcome, at: recorded.at };
  const answer = own.find((message) => message.role === 'assistant' && message.toolCalls === null);
  if (answer === undefined) return undefined;
  return { outcome: answer.iteration === 0 ? 'handed-over' : 'answered', at: answer.createdAt };
}
