import { CountersignError } from '@countersign/protocol';
import { readExternalCall, type StoredExternalCall } from '../step/place.js';
import { canonicalJson } from '../policy/index.js';
import type { Runtime } from '../step/runtime.js';
import { callerHash, callOfKey, chatOfSession, type ExternalCaller } from './session.js';
import { otherCaller } from './claim-external.js';
import { writeExternal, type ExternalProposal } from './write-external.js';

/**
 * Writes a call that an external program proposes, with the gate's verdict, like the call of a model. Idempotent: the same call with the same key
 * is written once, and another call with that key is refused with `conflict`.
 */
export async function proposeExternal(
  runtime: Runtime,
  worldId: string,
  proposal: ExternalProposal,
  caller: ExternalCaller,
): Promise<{ id: string; chatId: string }> {
  const { agentId, session, key, runs } = proposal;
  const chatId = chatOfSession(runtime, { worldId, agentId, session }, caller.by);
  const id = callOfKey(runtime, chatId, key);
  await runtime.process.resumeUnfinished({ chatId });
  let isCounted = false;
  for (let left = MAX_TRIES; ; left -= 1) {
    const before = await readBefore(runtime, chatId, id);
    if (before.call !== undefined) {
      refuseOther(before.call, proposal, callerHash(runtime, caller));
      return { id, chatId };
    }
    if (!before.hasChat && !isCounted) runtime.background.external.openSession(worldId, agentId);
    isCounted = true;
    try {
      // Another proposal with this key was written first. It may be another call.
      const written = await writeExternal(runtime, worldId, { proposal, caller, chatId, id, hasChat: before.hasChat });
      if (written === undefined) continue;
      if (written.started !== undefined) await runtime.background.external.watch(written.started);
      if (runs.where === 'program' && runs.waits === 'days') runtime.background.external.expectResume(id);
      return { id, chatId };
    } catch (error) {
      // Two processes wrote the same call, or the first calls of a session, at the same time: the second one fails.
      const after = await readBefore(runtime, chatId, id);
      const isNews = after.call !== undefined || after.hasChat !== before.hasChat;
      if (!isNews || left === 0) throw error;
    }
  }
}

const MAX_TRIES = 5;

interface Before {
  hasChat: boolean;
  call: Proposition | undefined;
}

/** A stored call as it was proposed, before a person edited it. */
interface Proposition {
  toolName: string;
  argumentsText: string | undefined;
  /** Undefined if this server runs it. */
  external: StoredExternalCall | undefined;
}

async function readBefore(runtime: Runtime, chatId: string, id: string): Promise<Before> {
  return await runtime.store.read(async (reader) => {
    const hasChat = (await reader.chat(chatId)) !== undefined;
    const call = await reader.invocation(id);
    if (call === undefined) return { hasChat, call };
    const message = await reader.message(call.messageId);
    const argumentsText = message?.toolCalls?.find((each) => each.id === id)?.function.arguments;
    const external = message === undefined ? undefined : readExternalCall(message);
    return { hasChat, call: { toolName: call.toolName, argumentsText, external } };
  });
}

/** The same command in another folder is another call (CALL7.6). */
function refuseOther(
  { toolName, argumentsText, external }: Proposition,
  proposal: ExternalProposal,
  caller: string,
): void {
  const { runs } = proposal;
  if (external !== undefined && external.caller !== caller) throw otherCaller();
  const isSamePlace = runs.where === 'here' || runs.cwd === external?.cwd;
  if (isSamePlace && toolName === proposal.toolName && argumentsText === canonicalJson(proposal.arguments)) return;
  throw new CountersignError('conflict', 'another call was already proposed with this key', { field: 'key' });
}
