import { CountersignError, type SentenceForSession, type Signer } from '@countersign/protocol';
import { sessionOf, type ProgramSession } from '../facts/program-session.js';
import { maskSecrets } from '../masking/index.js';
import { isExternal } from '../memory/world-snapshot.js';
import { chatIn, commit } from '../step/commit.js';
import { writeNotice } from '../step/move-turn.js';
import type { Runtime, Step } from '../step/runtime.js';
import { otherCaller } from './claim-external.js';
import { callerHash, chatOfSession, type ExternalCaller } from './session.js';

/** Stores a sentence for the agent of a session outside, until one of its hooks gets it (EXT1.23). */
export async function tellSession(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  text: string,
  by: Signer,
): Promise<void> {
  await commit(runtime, 'tell-session', worldId, { chats: [chatId] }, (step) => {
    const { tx, snapshot } = step;
    const session = sessionOf(chatIn(tx.chat(chatId), worldId, chatId));
    if (session === undefined) throw refused('this chat belongs to no gated session. Send a message instead');
    const { agentId, sentence } = session;
    if (!isExternal(snapshot, agentId)) throw refused('the agent of this session is turned off or was removed');
    const name = snapshot.agentName(agentId);
    if (sentence?.takenBy === null)
      throw refused(`a sentence by ${sentence.by.name} still waits for ${name}. Wait until it has got that one`);
    tx.write({ kind: 'session-told', chatId, text, by });
    note(step, chatId, agentId, `${by.who.name} told ${name}: “${text}” It gets this at its next step.`);
  });
}

/** Whose hook asks, and for which delivery: the same one gets the same sentence again, as after a lost response. */
export interface Delivery {
  agentId: string;
  session: string;
  id: string;
}

/** Hands the waiting sentence to the hook of its session. Stored before it returns, so that only one delivery gets it. */
export async function takeSentence(
  runtime: Runtime,
  worldId: string,
  { id, ...about }: Delivery,
  caller: ExternalCaller,
): Promise<SentenceForSession | undefined> {
  const chatId = chatOfSession(runtime, { worldId, ...about }, caller.by);
  const chat = await runtime.store.read((reader) => reader.chat(chatId));
  const found = chat === undefined ? undefined : sessionOf(chat);
  if (found === undefined) return undefined;
  if (found.caller !== callerHash(runtime, caller)) throw otherCaller();
  if (!isFor(found, id)) return undefined;
  return await commit(runtime, 'take-sentence', worldId, { chats: [chatId] }, (step) => {
    const session = sessionOf(chatIn(step.tx.chat(chatId), worldId, chatId));
    if (session?.sentence === undefined || session.sentence === null || !isFor(session, id)) return undefined;
    const { text, by, takenBy } = session.sentence;
    if (takenBy === null) {
      const { agentId } = session;
      step.tx.write({ kind: 'sentence-taken', chatId, takenBy: id });
      note(step, chatId, agentId, `${step.snapshot.agentName(agentId)} got the sentence of ${by.name}.`);
    }
    return { from: by.name, text };
  });
}

function isFor({ sentence }: ProgramSession, delivery: string): boolean {
  return sentence !== null && (sentence.takenBy === null || sentence.takenBy === delivery);
}

function refused(detail: string): CountersignError {
  return new CountersignError('conflict', detail);
}

/** Not a message: no model sees it, and the program outside still takes none (EXT1.14). */
function note(step: Step, chatId: string, agentId: string, text: string): void {
  writeNotice(step, { chatId, agentId, turnId: null, replyTo: null }, 'notice', maskSecrets(text));
}
