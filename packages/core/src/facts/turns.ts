import type { Emission, RowChange, TurnChange, TurnRecord } from '../ports/index.js';
import { messageEvent, type Derived, type FactContext } from './context.js';
import type { TurnFact } from './fact.js';

/** Derives the effects of a fact about a turn. */
export function deriveTurn(fact: TurnFact, context: FactContext): Derived {
  if (fact.kind === 'turn-queued') return { changes: [fact] };
  const turn = context.state.turns.get(fact.turnId);
  if (turn === undefined) throw new Error(`The turn "${fact.turnId}" has ended.`);
  const changed = (change: TurnChange & { epoch?: number }): RowChange => ({
    kind: 'turn-changed',
    chatId: turn.chatId,
    turnId: turn.id,
    change,
  });
  switch (fact.kind) {
    case 'turn-opened':
      return { changes: [changed({ state: 'open', begunSeq: fact.begunSeq, owner: fact.owner })] };
    case 'model-answered': {
      const { usage, message } = fact;
      const answered = changed({
        iteration: turn.iteration + 1,
        inputTokens: turn.inputTokens + usage.inputTokens,
        outputTokens: turn.outputTokens + usage.outputTokens,
      });
      if (message === undefined) return { changes: [answered] };
      return { changes: [answered, { kind: 'message-written', message }], events: [messageEvent(message)] };
    }
    case 'turn-paused':
      return { changes: [changed({ state: 'waiting' })] };
    case 'turn-resumed': {
      // The turn reached a person, so earlier interruptions don't make it a suspect.
      const interruptions = turn.state === 'waiting' ? 0 : turn.interruptions;
      const fence = fact.fenced ? { epoch: turn.epoch + 1 } : {};
      return { changes: [changed({ state: 'open', owner: fact.owner, interruptions, ...fence })] };
    }
    case 'turn-claimed': {
      const { owner, interruptions } = fact;
      return { changes: [changed({ owner, interruptions, epoch: turn.epoch + 1 })] };
    }
    case 'turn-released':
      return { changes: [changed({ owner: null, interruptions: fact.interruptions })] };
    case 'turn-ended':
      return { changes: [changed(ended(fact, turn, context))], events: endEvents(fact, turn, context) };
  }
}

type Ended = Extract<TurnFact, { kind: 'turn-ended' }>;

function ended({ outcome, begunSeq }: Ended, turn: TurnRecord, { now }: FactContext): TurnChange & { epoch?: number } {
  return {
    state: 'ended',
    outcome,
    owner: null,
    endedAt: now,
    ...(begunSeq === undefined ? {} : { begunSeq }),
    // The process that runs it can no longer write.
    ...(outcome === 'stopped' ? { epoch: turn.epoch + 1 } : {}),
  };
}

/** Records the end of a turn without a message: otherwise it would look unfinished (A9). */
function endEvents({ outcome }: Ended, turn: TurnRecord, { working }: FactContext): readonly Emission[] {
  if (outcome === 'answered' || outcome === 'handed-over') return [];
  const pendingOperations = working() - (turn.state === 'open' || turn.state === 'queued' ? 1 : 0);
  const data = { type: 'turn-ended', pendingOperations, turnId: turn.id, outcome } as const;
  return [{ event: 'world', chatId: turn.chatId, data }];
}
