import { CountersignError } from '@countersign/protocol';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import type { AgentRecord, ChatRecord } from '../ports/index.js';

/** Throws `not-found` for a chat of another world too, so that its existence isn't revealed. */
export function chatIn(chat: ChatRecord | undefined, worldId: string, chatId: string): ChatRecord {
  if (chat?.worldId === worldId) return chat;
  throw new CountersignError('not-found', `there is no chat "${chatId}" in this world`);
}

/** `field`: the field of the request that named the agent. */
export function agentIn(snapshot: WorldSnapshot, agentId: string, field?: string): AgentRecord {
  const agent = snapshot.agent(agentId);
  if (agent !== undefined) return agent;
  const where = field === undefined ? {} : { field };
  throw new CountersignError('not-found', `there is no agent "${agentId}" in this world`, where);
}

export function noWorld(worldId: string): CountersignError {
  return new CountersignError('not-found', `there is no world "${worldId}"`);
}
