import { randomFillSync } from 'node:crypto';

export type IdKind = 'msg' | 'call' | 'approval' | 'chat' | 'grant' | 'client' | 'run';

let lastTime = 0;
let time = '';
let count = 0;

/**
 * Unique in every store there will ever be; nothing of a model or a client goes into it (P5). Begins with the time, so that new rows
 * land side by side at the end of every index: random ids touch a page each, and a message would cost more with every one before it.
 */
export function newId(kind: IdKind): string {
  const now = Date.now();
  if (now > lastTime) {
    lastTime = now;
    time = now.toString(16).padStart(12, '0');
    count = 0;
  } else count += 1;
  const place = (count & 0xffff).toString(16).padStart(4, '0');
  return `${kind}_${time}${place}${randomWord()}`;
}

const WORD_LENGTH = 16;
const pool = Buffer.alloc(4096);
let words = '';
let used = 0;

/** Drawn in bulk: each draw costs as much as a whole id. */
function randomWord(): string {
  if (used === words.length) {
    words = randomFillSync(pool).toString('hex');
    used = 0;
  }
  used += WORD_LENGTH;
  return words.slice(used - WORD_LENGTH, used);
}

/** One message makes at most one turn of an agent, so its id needs no luck and can be derived again (A9). */
export function turnId(messageId: string, agentId: string): string {
  return `turn_${messageId.replace(/^msg_/, '')}.${agentId}`;
}

const APPROVAL = 'approval_';

/** The first question about a call has an id made from the call's, so that a later one is known for what it is. */
export function firstApprovalId(invocationId: string): string {
  return `${APPROVAL}${invocationId.replace(/^call_/, '')}`;
}

/** Tells a question of ours from a call that a model made: ids are ours (P5), while a model can choose the name `client.…`. */
export function isApprovalId(id: string): boolean {
  return id.startsWith(APPROVAL);
}

/** Tells successive tool turns of one turn apart in events and decisions (T3). */
export function toolTurnId(turn: string, iteration: number): string {
  return `${turn}.${iteration}`;
}
