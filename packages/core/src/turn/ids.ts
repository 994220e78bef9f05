import { randomUUID } from 'node:crypto';

export type IdKind = 'msg' | 'call' | 'approval' | 'chat' | 'grant' | 'client' | 'run';

/** Unique in every store there will ever be; nothing of a model or a client goes into it (P5). */
export function newId(kind: IdKind): string {
  return `${kind}_${randomUUID().replaceAll('-', '')}`;
}

/** One message makes at most one turn of an agent, so its id needs no luck and can be derived again (A9). */
export function turnId(messageId: string, agentId: string): string {
  return `turn_${messageId.replace(/^msg_/, '')}.${agentId}`;
}

/** Tells successive tool turns of one turn apart in events and decisions (T3). */
export function toolTurnId(turn: string, iteration: number): string {
  return `${turn}.${iteration}`;
}
