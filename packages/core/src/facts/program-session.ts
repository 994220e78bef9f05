import { CountersignError, whosText, type Who } from '@countersign/protocol';
import { maskSecrets } from '../masking/index.js';
import type { ChatRecord, RowChange } from '../ports/index.js';
import { requestersOf } from '../requirements/needed-signatures.js';
import type { Derived, FactContext, SentenceTaken, SessionTold } from './fact.js';

/** The session of a program outside that a chat belongs to. */
export interface ProgramSession {
  agentId: string;
  /** Only this caller gets a sentence (EXT1.16). */
  caller: string;
  /** Everyone whose sentence the agent got. They request its calls, too (EXT1.25). */
  tellers: readonly Who[];
  /** The last one. It waits until a delivery has taken it. */
  sentence: { text: string; by: Who; takenBy: string | null } | null;
}

/** The stored form. */
export function sessionText(session: ProgramSession): string {
  return JSON.stringify(session);
}

/** Undefined for a chat of another kind. Only `sessionText` writes the column. */
export function sessionOf({ session }: Pick<ChatRecord, 'session'>): ProgramSession | undefined {
  return session === null ? undefined : (JSON.parse(session) as ProgramSession);
}

export function tellersOf(chat: Pick<ChatRecord, 'session'>): readonly Who[] {
  return sessionOf(chat)?.tellers ?? [];
}

export function sessionChanged(fact: SessionTold | SentenceTaken, { state }: FactContext): Derived {
  const { chatId } = fact;
  const session = sessionOf(state.chat);
  if (session === undefined) throw new CountersignError('conflict', 'this chat is no session of a program');
  const { agentId, sentence } = session;
  const change = (changed: Partial<ProgramSession>): RowChange => ({
    kind: 'chat-changed',
    chatId,
    change: { session: sessionText({ ...session, ...changed }) },
  });
  if (fact.kind === 'session-told') {
    const { by, text } = fact;
    const shown = { message: maskSecrets(text) };
    return {
      changes: [change({ sentence: { text, by: by.who, takenBy: null } })],
      records: [{ kind: 'policy', decision: 'session told', chatId, agentId, arguments: shown, ...by }],
    };
  }
  if (sentence === null) throw new CountersignError('conflict', 'nobody has told this session anything');
  const { by } = sentence;
  const isKnown = session.tellers.some(({ kind, id }) => kind === by.kind && id === by.id);
  const tellers = isKnown ? session.tellers : [...session.tellers, by];
  const turns = [...state.turns.values()].filter((turn) => turn.agentId === agentId && turn.state !== 'ended');
  const requested = turns.map((turn): RowChange => ({
    kind: 'turn-changed',
    chatId,
    turnId: turn.id,
    change: { requester: whosText([...requestersOf(turn), ...tellers]) },
  }));
  return { changes: [change({ tellers, sentence: { ...sentence, takenBy: fact.takenBy } }), ...requested] };
}
