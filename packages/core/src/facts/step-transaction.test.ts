import { expect, it } from 'vitest';
import type { ChatRecord, ChatState, StepReads, TurnRecord } from '../ports/index.js';
import { emptyChat } from './derive.js';
import { StepTransaction } from './step-transaction.js';

it('[STORE3] a step in many chats looks up a turn only in its own chat', () => {
  const states = new Map<string, ChatState>();
  for (let nth = 0; nth < 200; nth += 1) {
    const state = emptyChat({ id: `chat_${nth}`, worldId: 'w', lastSeq: 0, humanSeq: 0 } as ChatRecord);
    const turn = { id: `turn_${nth}`, chatId: state.chat.id, worldId: 'w', state: 'open', epoch: 1 };
    state.turns.set(turn.id, turn as TurnRecord);
    states.set(state.chat.id, state);
  }
  let looks = 0;
  const chat = (id: string): ChatState | undefined => {
    looks += 1;
    return states.get(id);
  };
  const tx = new StepTransaction('w', { chats: [...states.keys()] }, { now: 1, chat } as StepReads);
  const turns = [...states.keys()].flatMap((id) => tx.unfinishedTurns(id));
  for (const turn of turns) tx.write({ kind: 'turn-released', chatId: turn.chatId, turnId: turn.id, interruptions: 1 });
  expect(tx.writes().changes).toHaveLength(200);
  // Otherwise a crash or shutdown with thousands of open turns would block the process for minutes.
  expect(looks).toBeLessThan(5 * states.size);
});
