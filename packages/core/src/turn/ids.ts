import { randomFillSync } from 'node:crypto';

type IdKind = 'msg' | 'call' | 'approval' | 'chat' | 'grant' | 'client' | 'run';

let lastTime = 0;
let time = '';
let count = 0;

/**
 * A globally unique id without input from models or clients (MODEL5). Starts with the time, so that new rows are adjacent in every index: random
 * ids would touch one page each, and inserts would slow down as the table grows.
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

/** Random bytes are generated in bulk, because each call to the generator costs as much as a whole id. */
function randomWord(): string {
  if (used === words.length) {
    words = randomFillSync(pool).toString('hex');
    used = 0;
  }
  used += WORD_LENGTH;
  return words.slice(used - WORD_LENGTH, used);
}

/** One message causes at most one turn per agent, so the id can be derived (CALL9). */
export function turnId(messageId: string, agentId: string): string {
  return `turn_${messageId.replace(/^msg_/, '')}.${agentId}`;
}

/** The tool with which an agent decides the call that it reviews (SIGN3). */
export const REVIEW_CALL = 'review_call';

const APPROVAL = 'approval_';

/** A call's first approval gets an id derived from the call, so that later approvals can be told apart. */
export function firstApprovalId(invocationId: string): string {
  return `${APPROVAL}${invocationId.replace(/^call_/, '')}`;
}

/** Distinguishes approvals from a model's calls: we generate the ids (MODEL5), but a model can choose the name `client.…`. */
export function isApprovalId(id: string): boolean {
  return id.startsWith(APPROVAL);
}

/** The id under which the transcript says that a call was undone. A model can't choose it (MODEL5). */
export function undoId(invocationId: string): string {
  return `undo_${invocationId.replace(/^call_/, '')}`;
}

/** Tells the tool turns within one turn apart in events and decisions (TURN3). */
export function toolTurnId(turn: string, iteration: number): string {
  return `${turn}.${iteration}`;
}
