import { expect, it } from 'vitest';
import { emptyChat } from '../facts/derive.js';
import { StepTransaction } from '../facts/step-transaction.js';
import type { ChatRecord, CallRecord, StepReads, TurnRecord, TurnState } from '../ports/index.js';
import { resumeTurn } from './move-turn.js';
import type { Runtime, Step } from './runtime.js';

const CALL = { turnId: 'turn_1', chatId: 'chat_1', runBy: 'here', settledAt: null };

/** A person decides the second call of a turn whose first call has started. Returns the resulting turn. */
function decideIn(state: TurnState, owner: string | null, takes: string | null): Partial<TurnRecord> | undefined {
  const chat = emptyChat({ id: 'chat_1', worldId: 'w', lastSeq: 0, humanSeq: 0 } as ChatRecord);
  const turn = { id: 'turn_1', chatId: 'chat_1', worldId: 'w', iteration: 1, epoch: 3, interruptions: 0 };
  chat.turns.set(turn.id, { ...turn, state, owner } as TurnRecord);
  chat.calls.set('call_1', { ...CALL, id: 'call_1', status: 'started', startedEpoch: 3 } as CallRecord);
  chat.calls.set('call_2', { ...CALL, id: 'call_2', status: 'approved', position: 1 } as CallRecord);
  const tx = new StepTransaction('w', { chats: ['chat_1'] }, {
    now: 1,
    chat: () => chat,
  } as Partial<StepReads> as StepReads);
  const snapshot = { world: { settings: { maxIterations: 9, maxParallelTools: 1 } }, agent: () => undefined };
  const runtime = {
    store: {},
    dispatch: { owner: takes, wake: () => undefined, abort: () => undefined, endElsewhere: () => undefined },
  } as unknown as Runtime;
  expect(resumeTurn(runtime, { tx, snapshot } as unknown as Step, 'turn_1')).toBe(true);
  return chat.turns.get('turn_1');
}

it('[STORE4.1] a decision claims an unowned open turn with a new epoch, so that the last owner can no longer write', () => {
  expect(decideIn('open', null, 'me')).toMatchObject({ owner: 'me', epoch: 4 });
});

it('[STORE4.1] a turn running in another process stays there, and a turn that this process may not own stays unowned', () => {
  expect(decideIn('open', 'other', 'me')).toMatchObject({ owner: 'other', epoch: 3 });
  expect(decideIn('open', null, null)).toMatchObject({ owner: null, epoch: 3 });
});

it('[STORE4.1] a decision claims a waiting turn even if its row has another owner, because no process is running it', () => {
  expect(decideIn('waiting', 'other', 'me')).toMatchObject({ owner: 'me', epoch: 3 });
});
