import { recipientsText } from '@countersign/client';
import type { ReactElement } from 'react';
import { commonWords } from './common.js';

/** Chats: transcript, composer, search and timelines. */
export const chatWords = {
  ...commonWords,
  chat: 'Chat',
  theChat: 'the chat',
  theWorld: 'the world',
  deletedChat: 'This chat was deleted. Choose another one or start a new one.',
  stop: 'Stop',
  menu: 'Chat menu',
  changes: 'Changes',
  timeline: 'Timeline',
  branchAt: (position: number, count: number) => `Branch ${position} of ${count}`,
  messageMenu: 'More actions',
  copyText: 'Copy text',
  openEdit: 'Edit and send again…',
  tryAgain: 'Try again',
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

  message: 'Message',
  send: 'Send',
  attach: 'Attach files',
  attached: 'Attached files',
  removeFile: (name: string) => `Remove ${name}`,
  tooLarge: (name: string) => `${name} is larger than 3 MB. Attach a smaller file.`,
  tooManyFiles: (most: number) => `A message can have at most ${most} files. Send the others in another message.`,
  unreadable: (name: string) => `${name} could not be read. Attach it again.`,
  attachment: 'attachment',
  suggestions: 'Suggestions',
  agents: 'Agents',
  placeholder: (world: string) => `Message ${world}…`,
  widePlaceholder: (world: string) => `Message ${world}…  @ mentions an agent`,
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
  recipients: recipientsText,
  fixMention: 'Fix mention',
  insertFromServer: 'Insert…',
  insertFromServerHint: 'Insert a prompt or resource from an MCP server',
  sending: 'Sending…',
  retrying: 'Not sent yet, retrying…',
  notSent: 'Not sent:',

  transcript: 'Transcript',
  answers: 'in reply to',
  thinking: 'is thinking',
  thinkingNow: 'Thinking…',
  thoughts: (words: number) => `Thinking, ${words} ${words === 1 ? 'word' : 'words'}`,
  picture: 'image:',
  done: 'done',
  toDo: 'to do',
  tokens: (input: string, output: string) => `${input} in · ${output} out`,
  tokensTitle: (input: number, output: number) => `${input} tokens in, ${output} tokens out`,
  loadingOlder: 'Loading earlier messages…',
  loadOlder: 'Load earlier messages',
  toEnd: 'Jump to latest',
  noSuchMessage: 'That message is not in this chat.',

  messageKept: 'Your message is queued.',
  denyAll: 'Deny all and continue',
  newerMessage: 'a newer message was sent',

  motto: 'Agents propose. You countersign: calls that need approval wait here until you approve them.',
  noAgents: (realModel: ReactElement, addAgent: ReactElement): ReactElement => (
    <>
      This world has no agents yet. {realModel} with a ready-made agent, or {addAgent} yourself.
    </>
  ),
  addAgent: 'add an agent',
  noTools: 'no tools',
  demo: (realModel: ReactElement): ReactElement => (
    <>The agents of this demo follow a script and need no API key. {realModel}</>
  ),
  realModel: 'Use a real model',
  otherModel: (realModel: ReactElement): ReactElement => <>For another model or agent: {realModel}</>,
  editAgent: 'Edit agent',
  pleaseTryAgain: (agent: string) => `@${agent} Please try again.`,
  mayCall: (tools: string) => `may call ${tools}`,
  mainBadge: 'main agent',
  modes: {
    read: 'Only read-only tools can run in this world.',
    auto: 'Calls that stay inside the sandbox and the working folder run without approval. All others need approval unless a rule allows them.',
    ask: 'Read-only tools of this world run without approval. All other calls, and each call of an external agent such as Claude Code, need approval unless a rule allows them.',
  },

  search: 'Search',
  searchLabel: "Words in this world's chats",
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
