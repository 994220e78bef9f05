import type { TurnOutcome, TurnRecord } from '../ports/index.js';
import { maskSecrets } from '../masking/index.js';
import type { Runtime, Step } from './runtime.js';
import { endTurn, noteActivity } from './turn-lifecycle.js';
import { writeNotice } from './write-message.js';

/** Ends a turn that has no answer and writes the reason to the chat. Does nothing if the turn was taken over. */
export function endWithError(
  runtime: Runtime,
  step: Step,
  turn: TurnRecord,
  outcome: Extract<TurnOutcome, 'failed' | 'exhausted' | 'interrupted'>,
  words: string,
): void {
  const sayWhy = () =>
    writeNotice(step, { ...turn, turnId: turn.id, replyTo: turn.triggerId }, 'error', maskSecrets(words));
  if (!endTurn(runtime, step, turn, outcome, sayWhy)) return;
  noteActivity(runtime, step, turn.chatId);
}
