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
  denialOf: (call: WaitingCall) => string;
}

/** Push services accept messages of up to 4 kB. */
const LONGEST = { name: 60, bytes: 1500 } as const;

/** The notification about everything that waits for a person in a world. */
export function composeNotice({ world, calls, more, isNew, denialOf }: Waiting): Notice {
  const tag = `world:${world.id}`;
  const silent = isNew ? {} : { silent: true as const };
  const worldName = cut(visible(world.name), LONGEST.name);
  const [call] = calls;
  if (call === undefined) return { tag, path: '/inbox', title: worldName, body: '', silent: true, closes: true };
  if (calls.length > 1 || more) {
    const count = more ? pushTexts.more(calls.length) : String(calls.length);
    return { tag, path: '/inbox', title: pushTexts.waiting(count, worldName), body: pushTexts.waitingLead, ...silent };
  }
  const { agentName, toolName, question } = call;
  const agent = cut(visible(agentName), LONGEST.name);
  const chat = `/w/${encodeURIComponent(world.id)}/c/${encodeURIComponent(call.chatId)}`;
  const path = `${chat}?approval=${encodeURIComponent(call.approvalId)}`;
  if (question !== undefined) {
    const title = pushTexts.asksQuestion(worldName, agent);
    return { tag, path, title, body: shorten(question.text), ...silent };
  }
  const title = pushTexts.asks(worldName, agent, cut(visible(toolName), LONGEST.name));
  return { tag, path, title, body: shorten(argumentsText(call.arguments)), ...silent, denial: denialOf(call) };
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

function shorten(text: string): string {
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
