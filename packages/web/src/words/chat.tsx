import type { ReactElement } from 'react';
import { composerWords } from './composer.js';

/** Chats: transcript, composer, search and timelines. */
export const chatWords = {
  ...composerWords,
  chat: 'Chat',
  theChat: 'the chat',
  deletedChat: 'This chat was deleted. Choose another one or start a new one.',
  stop: 'Stop',
  menu: 'Chat menu',
  changes: 'Changes',
  timeline: 'Timeline',
  branchAt: (position: number, count: number) => `Branch ${position} of ${count}`,
  messageMenu: 'More actions',
  copyText: 'Copy text',
  openEdit: 'Edit and send again…',
  branchHere: 'Branch from here',
  editTitle: 'Edit message',
  editHint: 'Starts a branch and stops this chat. Calls that ran are neither undone nor run again.',
  sendInBranch: 'Send in a branch',
  exportMarkdown: 'Export as Markdown',
  exportJson: 'Export as JSON',
  openRename: 'Rename…',
  pin: 'Pin',
  unpin: 'Unpin',
  archive: 'Archive',
  restore: 'Move out of the archive',
  openDelete: 'Delete…',
  renameTitle: 'Rename chat',
  chatTitle: 'Title',
  deleteTitle: 'Delete chat',
  deleteText: (title: string) =>
    `This deletes “${title}” and all its messages, and stops its running calls. The audit log is kept.`,

  unreadable: (name: string) => `${name} could not be read. Attach it again.`,
  attachment: 'attachment',
  takesNoMessages: (name: ReactElement): ReactElement => (
    <>{name} runs in its own program and takes no messages here. It gets only your decisions about its calls.</>
  ),
  takesSentences: (name: ReactElement): ReactElement => (
    <>{name} runs in its own program. It gets your decisions about its calls, and what you tell it here.</>
  ),
  tell: {
    label: (name: string) => `Tell ${name}`,
    hint: 'One sentence. It gets this at its next step, once. Nothing is started for it.',
    stored: 'Stored. The agent gets it at its next step.',
  },
  messageOthers: (newChat: ReactElement): ReactElement => <>To write to another agent, start a {newChat}.</>,
  newChatLink: 'new chat',

  transcript: 'Transcript',
  answers: 'in reply to',
  thinking: 'is thinking',
  thinkingNow: 'Thinking…',
  thoughts: (words: number) => `Thinking, ${words} ${words === 1 ? 'word' : 'words'}`,
  picture: 'image:',
  done: 'done',
  toDo: 'to do',
  loadingOlder: 'Loading earlier messages…',
  loadOlder: 'Load earlier messages',
  toEnd: 'Jump to latest',
  noSuchMessage: 'That message is not in this chat.',

  messageKept: 'Your message is queued.',
  denyAll: 'Deny all and continue',
  newerMessage: 'a newer message was sent',

  editAgent: 'Edit agent',
  pleaseTryAgain: (agent: string) => `@${agent} Please try again.`,

  search: 'Search',
  searchLabel: "Words in this world's chats",
  searchAllLabel: 'Words in the chats of all worlds',
  allWorlds: 'All worlds',
  noHits: 'No messages found.',
  noHitsHint: 'Try fewer or different words.',
  in: 'in',
  showMore: 'Show more',

  lastTurn: 'Last turn',
  theTurns: 'the turns',
  decidedBy: 'Decided by',
  anyone: 'anyone',
  noTurns: 'No agent has taken a turn yet.',
  bars: { model: 'model', rehearsal: 'rehearsal', tool: 'tool', waiting: 'waiting' },
} as const;
