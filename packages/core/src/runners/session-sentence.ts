import { CountersignError, type CallContext, type SentenceForSession, type Signer } from '@countersign/protocol';
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
    note(step, chatId, `${by.who.name} told ${name}: ${quoted(text)} It gets this at its next step.`);
  });
}

/** What the hook of a session sends. The same delivery gets the same sentence again, as after a lost response. */
export interface SessionReport {
  agentId: string;
  session: string;
  /** Without it, the hook can't pass a sentence on. */
  delivery?: string;
  /** What the program says about its session: a claim (EXT1.31). */
  context?: CallContext;
}

/**
 * Shows people what the program says about its session, and hands the waiting sentence to its hook. Both are stored before it returns, so that only one
 * delivery gets the sentence.
 */
export async function reportSession(
  runtime: Runtime,
  worldId: string,
  { delivery, context, ...about }: SessionReport,
  caller: ExternalCaller,
): Promise<SentenceForSession | undefined> {
  const chatId = chatOfSession(runtime, { worldId, ...about }, caller.by);
  const chat = await runtime.store.read((reader) => reader.chat(chatId));
  const found = chat === undefined ? undefined : sessionOf(chat);
  // Without a call, there is no chat yet. Its title will be the prompt (EXT1.22).
  if (found === undefined) return undefined;
  if (found.caller !== callerHash(runtime, caller)) throw otherCaller();
  if (context === undefined && !isFor(found, delivery)) return undefined;
  return await commit(runtime, 'report-session', worldId, { chats: [chatId] }, (step) => {
    const session = sessionOf(chatIn(step.tx.chat(chatId), worldId, chatId));
    if (session === undefined) return undefined;
    const { agentId, sentence } = session;
    const name = step.snapshot.agentName(agentId);
    // A request that is sent again says nothing new.
    const isAgain = delivery !== undefined && sentence?.takenBy === delivery;
    if (context !== undefined && !isAgain) note(step, chatId, claimText(name, context));
    if (delivery === undefined || sentence === null || !isFor(session, delivery)) return undefined;
    const { text, by, takenBy } = sentence;
    if (takenBy === null) {
      step.tx.write({ kind: 'sentence-taken', chatId, takenBy: delivery });
      note(step, chatId, `${name} got the sentence of ${by.name}.`);
    }
    return { from: by.name, text };
  });
}

/** On one line and in quotes that it can't end, so that it doesn't look like our own words. */
function quoted(text: string): string {
  return `“${text.replace(/\s+/g, ' ').replaceAll('”', '"').trim()}”`;
}

/** What a new call says about its session, as far as neither its card nor an earlier report does (EXT1.36). */
export function noteContext(
  step: Step,
  chatId: string,
  { agentId, context, isFirst, isAsked }: { agentId: string; context: CallContext; isFirst: boolean; isAsked: boolean },
): void {
  const { prompt, subagent } = context;
  const name = step.snapshot.agentName(agentId);
  if (isFirst && prompt !== undefined) note(step, chatId, claimText(name, { prompt }));
  if (!isAsked && subagent !== undefined)
    note(step, chatId, `${name} reports that its sub-agent ${quoted(subagent)} makes the next call.`);
}

/** The program's claim. */
function claimText(name: string, { prompt, said, subagent }: CallContext): string {
  const who = subagent === undefined ? 'it' : `its sub-agent ${quoted(subagent)}`;
  const parts = [
    ...(prompt === undefined ? [] : [`${who} was asked ${quoted(prompt)}`]),
    ...(said === undefined ? [] : [`${who} said ${quoted(said)}`]),
  ];
  return `${name} reports that ${parts.length === 0 ? `${who} started` : parts.join(', and ')}.`;
}

function isFor({ sentence }: ProgramSession, delivery: string | undefined): boolean {
  return delivery !== undefined && sentence !== null && (sentence.takenBy === null || sentence.takenBy === delivery);
}

function refused(detail: string): CountersignError {
  return new CountersignError('conflict', detail);
}

/** Not a message: no model sees it, and the program outside still takes none (EXT1.14). */
function note(step: Step, chatId: string, text: string): void {
  writeNotice(step, { chatId, agentId: null, turnId: null, replyTo: null }, 'notice', maskSecrets(text));
}
