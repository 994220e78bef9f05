import { byNumber, HIDDEN_IN_CODE, type QueuedApproval } from '@countersign/protocol';
import { pushTexts } from './push-texts.js';

/** What the service worker shows. There is one notification for each world, so each message replaces the one before it. */
export interface Notice {
  tag: string;
  /** The page that it opens. */
  path: string;
  title: string;
  body: string;
  /** No sound: nothing new waits. */
  silent?: true;
  /** Nothing waits anymore: the notification disappears. */
  closes?: true;
  /** A code that can only deny this call. */
  denial?: string;
}

export type WaitingCall = Pick<
  QueuedApproval,
  'approvalId' | 'chatId' | 'agentName' | 'toolName' | 'arguments' | 'question' | 'needs' | 'callHash'
>;

interface Waiting {
  world: { id: string; name: string };
  calls: readonly WaitingCall[];
  /** The count is not complete. */
  more: boolean;
  /** Something waits that the last notification wasn't about. */
  isNew: boolean;
  /** How long nobody decided before this person was told. */
  waitedMs: number;
  denialOf: (call: WaitingCall) => string;
}

/** Push services accept messages of up to 4 kB. */
const LONGEST = { name: 60, bytes: 1500 } as const;

/** The notification about everything that waits for a person in a world. */
export function composeNotice({ world, calls, more, isNew, waitedMs, denialOf }: Waiting): Notice {
  const tag = `world:${world.id}`;
  const silent = isNew ? {} : { silent: true as const };
  const worldName = shortName(world.name);
  const [call] = calls;
  if (call === undefined) return { tag, path: '/inbox', title: worldName, body: '', silent: true, closes: true };
  if (calls.length > 1 || more) {
    const count = more ? pushTexts.more(calls.length) : String(calls.length);
    return { tag, path: '/inbox', title: pushTexts.waiting(count, worldName), body: pushTexts.waitingLead, ...silent };
  }
  const path = pathOfCall(world.id, call.chatId, call.approvalId);
  const { title: asked, body } = describeCall(world.name, call);
  const title = waitedMs === 0 ? asked : pushTexts.overdue(asked, waitedMs / 60_000);
  return { tag, path, title, body, ...silent, ...(call.question === undefined ? { denial: denialOf(call) } : {}) };
}

type DescribedCall = Pick<WaitingCall, 'agentName' | 'toolName' | 'arguments' | 'question'>;

/** Who wants to run what, in a text that nothing in it can reorder or lengthen. */
export function describeCall(
  world: string,
  { agentName, toolName, question, arguments: given }: DescribedCall,
): Pick<Notice, 'title' | 'body'> {
  const worldName = shortName(world);
  const agent = shortName(agentName);
  if (question !== undefined) return { title: pushTexts.asksQuestion(worldName, agent), body: shorten(question.text) };
  return { title: pushTexts.asks(worldName, agent, shortName(toolName)), body: shorten(argumentsText(given)) };
}

export function shortName(name: string): string {
  return cut(visible(name), LONGEST.name);
}

/** Where the card of a call is in the web app. */
export function pathOfCall(worldId: string, chatId: string, approvalId?: string): string {
  const chat = `/w/${encodeURIComponent(worldId)}/c/${encodeURIComponent(chatId)}`;
  return approvalId === undefined ? chat : `${chat}?approval=${encodeURIComponent(approvalId)}`;
}

/** The arguments by their names. A command, or the only argument, stands for itself. */
function argumentsText(given: unknown): string {
  if (typeof given !== 'object' || given === null) return textOf(given);
  const fields = Object.entries(given).map(([name, value]) => ({ name, text: textOf(value) }));
  const [first] = fields;
  if (fields.length === 1 && first !== undefined) return first.text;
  return fields.map(({ name, text }) => (name === 'command' ? text : `${name}: ${text}`)).join('\n');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

export function shorten(text: string): string {
  let shown = '';
  let bytes = 0;
  for (const character of text) {
    const next = visible(character);
    bytes += Buffer.byteLength(next);
    if (bytes > LONGEST.bytes) return `${shown} …\n${pushTexts.cut}`;
    shown += next;
  }
  return shown;
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const HIDDEN = new RegExp(HIDDEN_IN_CODE, 'gu');

/** Characters that are invisible or reorder text could make a call look like another one. */
function visible(text: string): string {
  return text.replace(HIDDEN, byNumber);
}
