import { CountersignError, readWho, type Chat, type NewBranch, type Signer, type Who } from '@countersign/protocol';
import { maskLongTexts } from '../publishers/mask-long-texts.js';
import {
  allPartsOf,
  isPartOf,
  type ChatPart,
  type ChatRecord,
  type MessageRecord,
  type StoreReader,
} from '../ports/index.js';
import { findAttachment } from '../memory/chat-messages.js';
import { requestersOf } from '../requirements/needed-signatures.js';
import { chatIn, commit } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { turnId } from '../turn/ids.js';
import { newChat } from '../chats/create-chat.js';
import { sendInStep } from '../chats/publish-message.js';
import { stopInStep } from '../chats/stop-chat.js';
import { readChat, toChat } from './show-world.js';

/**
 * Starts a chat that begins with the messages of another one (WORLD17). Nothing is copied: the beginning is read from where it was written, so
 * approvals, grants and waiting calls stay there.
 */
export async function branchChat(
  runtime: Runtime,
  worldId: string,
  chatId: string,
  { fromMessageId, content }: NewBranch,
  signer: Signer,
): Promise<Chat> {
  await runtime.process.resumeUnfinished({ chatId });
  const plan = await readChat(runtime, worldId, chatId, (reader, chat) => planBranch(reader, chat, fromMessageId));
  const { message, isResent, authors, root, parts, from, title } = plan;
  const { who } = signer;
  const resent = content ?? (isResent ? message.content : undefined);
  const attachments = isResent ? message.attachments : null;
  const send = (step: Step, branchId: string): void => {
    if (resent === undefined) return;
    const sent = { worldId, chatId: branchId, speaker: 'human', who, content: resent } as const;
    // Its authors are also requesters of what it leads to, so that they can't sign that where a rule excludes requesters.
    const requesters = authors.filter(({ id }) => id !== who.id);
    sendInStep(runtime, step, sent, { requesters, attachments });
  };
  if (resent !== undefined) await maskLongTexts([resent]);
  const chat = await commit(runtime, 'branch-chat', worldId, { chats: [...new Set([chatId, from.chatId])] }, (step) => {
    const { tx } = step;
    const source = chatIn(tx.chat(from.chatId), worldId, from.chatId);
    // The chat that is left: nobody looks at what waits there any more.
    if (isResent) stopInStep(runtime, step, worldId, chatId, signer);
    if (tx.unfinishedTurns(source.id).some(({ triggerSeq }) => triggerSeq <= from.upto)) {
      throw new CountersignError(
        'conflict',
        'Part of the chat before this message is not finished. Stop the chat first.',
      );
    }
    const { upto } = from;
    const begun = { root, parts: JSON.stringify(parts), lastSeq: upto, humanSeq: upto };
    const branch = newChat(step, { title, titled: true, ...begun });
    tx.write({ kind: 'chat-created', chat: branch });
    tx.write({ kind: 'chat-branched', chatId: source.id, branches: source.branches + 1 });
    if (attachments === null) send(step, branch.id);
    return toChat(tx.chat(branch.id) ?? branch);
  });
  if (attachments === null) return chat;
  // Before the message that names them: an agent reads them at once.
  for (const { id } of attachments) {
    const file = await runtime.store.read((reader) => findAttachment(reader, message.chatId, id));
    if (file !== undefined)
      await runtime.store.transact(worldId, (tx) => tx.insertAttachment({ ...file, chatId: chat.id }));
  }
  return await commit(runtime, 'publish-message', worldId, { chats: [chat.id] }, (step) => {
    send(step, chatIn(step.tx.chat(chat.id), worldId, chat.id).id);
    return toChat(chatIn(step.tx.chat(chat.id), worldId, chat.id));
  });
}

interface BranchPlan {
  message: MessageRecord;
  /** Whether the branch starts before the message and sends it again, because a person wrote it. */
  isResent: boolean;
  /** Of a message that is sent again: everyone who requested what it led to, as it may have been sent again before. */
  authors: readonly Who[];
  root: string;
  parts: readonly ChatPart[];
  /** The last part. */
  from: ChatPart;
  title: string;
}

async function planBranch(reader: StoreReader, chat: ChatRecord, messageId: string): Promise<BranchPlan> {
  const message = await reader.message(messageId);
  if (message === undefined || !isPartOf(chat, message)) throw wrong('no message of this chat has this id');
  const isResent = message.role === 'user' && message.speaker === 'human';
  const isAnswer = message.role === 'assistant' && message.speaker === 'agent' && message.toolCalls === null;
  if (!isResent && !isAnswer) throw wrong('choose a message of a person, or an answer without calls');
  const upto = isResent ? message.seq - 1 : message.seq;
  const root = chat.root ?? chat.id;
  const all = allPartsOf(chat);
  const own = all.findIndex((part) => part.chatId === message.chatId);
  const parts = [...all.slice(0, own), { chatId: message.chatId, upto }].filter(
    (part, index) => part.upto > (all[index - 1]?.upto ?? 0),
  );
  const from = parts.at(-1) ?? { chatId: root, upto: 0 };
  const { length } = await reader.branches(root, MOST_BRANCHES);
  if (length === MOST_BRANCHES) {
    throw new CountersignError('conflict', `This chat has ${MOST_BRANCHES} branches. Delete some first.`);
  }
  const name = chat.title
    .replace(/ \(\d+\)$/, '')
    .slice(0, LONGEST_NAME)
    .replace(/[\uD800-\uDBFF]$/, '');
  return {
    message,
    isResent,
    authors: isResent ? await authorsOf(reader, message) : [],
    root,
    parts: parts.length === 0 ? [from] : parts,
    from,
    title: `${name} (${length + 2})`,
  };
}

async function authorsOf(reader: StoreReader, { id, who, addressees }: MessageRecord): Promise<readonly Who[]> {
  const authors = who === null ? [] : [readWho(who)];
  for (const agentId of addressees) authors.push(...requestersOf(await reader.turn(turnId(id, agentId))));
  return authors;
}

/** A chat's branches with the chat they all come from, oldest first. */
export async function listBranches(runtime: Runtime, worldId: string, chatId: string): Promise<Chat[]> {
  return await readChat(runtime, worldId, chatId, async (reader, { id, root }) => {
    const first = await reader.chat(root ?? id);
    const branches = (await reader.branches(root ?? id, MOST_BRANCHES)).toReversed();
    return [...(first === undefined ? [] : [first]), ...branches].map(toChat);
  });
}

/** Keeps lists and the number of parts small. */
const MOST_BRANCHES = 200;
const LONGEST_NAME = 190;

function wrong(why: string): CountersignError {
  return new CountersignError('invalid', `fromMessageId: ${why}`, { field: 'fromMessageId' });
}
