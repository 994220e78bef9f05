import {
  CountersignError,
  explainInactive,
  explainSilence,
  foldName,
  type MessageAttachment,
  type NewMessage,
  newMessageSchema,
  parseInput,
  resolveAddressees,
  type Who,
  whosText,
  whoText,
} from '@countersign/protocol';
import { maskSecrets } from '../masking/index.js';
import type { MessageRecord } from '../ports/index.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import { chatIn, commit } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { queueTurns, writeNotice } from '../step/move-turn.js';
import { readSent } from './add-attachment.js';

export interface IncomingMessage extends NewMessage {
  worldId: string;
  chatId: string;
  /** `human` or `world`: agents speak only in their own turns (WORLD4). */
  speaker: 'human' | 'world';
  /** The person or token that sent it, as known from the connection. */
  who?: Who;
  /** A schedule sends it, and only until its lease ends: another process may have taken over since. */
  scheduled?: { until: number };
}

/** Stores a message and the turns of all agents that answer it in one step, then wakes them. */
export async function publishMessage(
  runtime: Runtime,
  { worldId, chatId, speaker, who, scheduled, ...message }: IncomingMessage,
): Promise<{ messageId: string }> {
  const incoming = {
    ...parseInput(newMessageSchema, message, 'message'),
    worldId,
    chatId,
    speaker,
    ...(who && { who }),
    ...(scheduled && { scheduled }),
  };
  await runtime.process.resumeUnfinished({ chatId });
  await maskLongTexts([incoming.content]);
  const { attachments: sent = [] } = incoming;
  const attachments = sent.length === 0 ? null : await runtime.store.read((reader) => readSent(reader, incoming, sent));
  return await storeMessage(runtime, incoming, attachments);
}

async function storeMessage(
  runtime: Runtime,
  incoming: IncomingMessage,
  attachments: readonly MessageAttachment[] | null,
): Promise<{ messageId: string }> {
  const { worldId, chatId, clientMessageId } = incoming;
  const sent = clientMessageId === undefined ? {} : { sent: { chatId, clientMessageId } };
  return await commit(runtime, 'publish-message', worldId, { chats: [chatId], ...sent }, (step) => {
    chatIn(step.tx.chat(chatId), worldId, chatId);
    const known = clientMessageId === undefined ? undefined : step.tx.sent(chatId, clientMessageId);
    if (known !== undefined) return { messageId: known.id };
    if (incoming.scheduled !== undefined && incoming.scheduled.until <= step.tx.now())
      throw new CountersignError('conflict', 'Sending took too long, so another process sends the message.');
    return { messageId: sendInStep(runtime, step, incoming, { attachments }).id };
  });
}

interface SentWith {
  requesters?: readonly Who[];
  attachments?: readonly MessageAttachment[] | null;
}

/** `requesters`: other people whose message this is, too. `attachments`: its files, which were checked. */
export function sendInStep(
  runtime: Runtime,
  step: Step,
  incoming: IncomingMessage,
  { requesters = [], attachments = null }: SentWith = {},
): MessageRecord {
  const { chatId, speaker, content, who, clientMessageId = null } = incoming;
  const message = step.tx.newMessage(chatId, {
    role: 'user',
    sender: senderOf(step.snapshot, incoming),
    who: who === undefined ? null : whoText(who),
    speaker,
    content,
    addressees: addresseesOf(step.snapshot, incoming),
    clientMessageId,
    attachments,
  });
  step.tx.write({ kind: 'message-sent', message });
  const all = who === undefined ? requesters : [who, ...requesters];
  queueTurns(runtime, step, message, all.length > 1 ? whosText(all) : message.who);
  explainNoAnswer(step, message);
  return message;
}

const LONGEST_SENDER = 64;
/** Sender names for messages that no person sent. */
const NOBODY = ['system', 'tool', 'world', 'schedule'];

/** Rejects agent names, reserved names and confusable names: they would let a client impersonate someone else (WORLD4). */
function senderOf(snapshot: WorldSnapshot, { sender, speaker, scheduled }: IncomingMessage): string {
  if (sender === undefined) return scheduled === undefined ? speaker : 'schedule';
  const wrong = (why: string): CountersignError =>
    new CountersignError('invalid', `sender: ${why}`, { field: 'sender' });
  if (sender.trim() === '' || sender.length > LONGEST_SENDER || /[\p{C}\p{Zl}\p{Zp}]/u.test(sender)) {
    throw wrong(`must have 1 to ${LONGEST_SENDER} visible characters`);
  }
  const folded = foldName(sender);
  const agent = snapshot.agents.find(
    ({ id, definition }) => foldName(id) === folded || foldName(definition.name) === folded,
  );
  if (agent !== undefined || NOBODY.includes(folded)) throw wrong(`"${sender}" is already taken in this world`);
  return sender;
}

function addresseesOf(snapshot: WorldSnapshot, incoming: IncomingMessage): string[] {
  const { mainAgent } = snapshot.world.settings;
  return resolveAddressees({
    content: incoming.content,
    speaker: { kind: incoming.speaker },
    agents: snapshot.addressable,
    ...(mainAgent === undefined ? {} : { mainAgent }),
  }).agentIds;
}

/** Explains why nobody answers, or which agent doesn't because it is inactive: silence would look like a hang (WORLD3). Models don't see the notice. */
function explainNoAnswer(step: Step, message: MessageRecord): void {
  const explain = message.addressees.length === 0 ? explainSilence : explainInactive;
  const why = explain(message.content, step.snapshot.addressable);
  const { chatId, agentId, turnId, id: replyTo } = message;
  if (why !== undefined) writeNotice(step, { chatId, agentId, turnId, replyTo }, 'notice', maskSecrets(why));
}
