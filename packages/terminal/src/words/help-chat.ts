import { WORLD, type Help } from './help.js';

/** `--no-alerts` of `chat` and `tui`. */
export const NO_ALERTS = "don't ring, set the title or send a desktop notice when a call waits for you";

export const chatHelp = {
  about: 'Talk to the agents of a world: interactively, with one message, or from a pipe',
  message: 'message to send; use - to read it (or the rest of it) from standard input',
  world: WORLD,
  chat: 'chat to continue (id, or "last")',
  new: 'start a new chat even if the last one is unfinished',
  unattended: 'what to do with calls that need approval when there is no terminal: deny or wait',
  attach: 'attach a picture or text file to the message; repeatable',
  timeout: 'give up after this time, such as 90s or 5m',
  notes: [
    'Nothing is approved by default. When a call needs approval, Enter denies it; Ctrl-D and Ctrl-C quit without deciding.',
  ],
  exitCodes: '0 answered, 1 failed, 2 usage error, 3 a call was denied, 4 timed out',
  examples: [
    'countersign chat -w harbour',
    'countersign chat -w ops "summarize the log"',
    'git diff | countersign chat -w ops "review this" -',
    'countersign chat -w ops --attach screenshot.png -- "what is wrong here?"',
  ],
} satisfies Help;

export const tuiHelp = {
  about: 'Open the full-screen UI: agents, transcript and waiting calls side by side',
  world: WORLD,
  chat: 'chat to open (id, or "last")',
  examples: ['countersign tui -w harbour'],
} satisfies Help;

/** Slash commands, where a message is typed: what follows the name, and what the command does. */
export const SLASH_COMMANDS = {
  help: ['', 'list the commands and keys'],
  stop: ['', 'stop this chat and deny its waiting calls'],
  new: ['', 'start a new chat'],
  chats: ['', 'list the chats of this world'],
  chat: ['ID', 'continue another chat; the start of its id is enough'],
  agents: ['', 'list the agents'],
  branch: ['TEXT', 'start a branch: with TEXT in place of your last message, else after the last answer'],
  export: ['FILE', 'save this chat to a new file: JSON if its name ends in .json, else Markdown'],
  cost: ['', 'show the tokens of this chat, and what they cost if the price is known'],
  thinking: ['', "show the model's thinking before its last answer"],
  approvals: ['', 'show the calls waiting for you'],
  quit: ['', 'quit; waiting calls stay in the queue'],
} as const;

/** Keys of `countersign chat`. */
export const CHAT_NOTES = [
  'Ctrl-C stops the agents, Ctrl-D quits. Alt-Enter starts a new line.',
  'A line that starts with a space is a message, even if it looks like a command.',
  'Press Enter on an empty line to see what is waiting for you.',
  'Start a paragraph with @name to address an agent. Tab completes a name, or corrects a mention that nobody would answer.',
] as const;

/** Keys of `countersign approvals watch`. */
export const WATCH_NOTES = ['Ctrl-C and Ctrl-D quit. Waiting calls are shown one after another.'] as const;

/** Keys in the full-screen UI: a heading, or keys and what they do. */
export const KEYS: readonly (readonly [string, string] | string)[] = [
  'Everywhere',
  ['Tab, Shift-Tab', 'next pane, previous pane'],
  ['PgUp, PgDn', 'scroll'],
  ['Ctrl-G', 'go to the waiting calls'],
  ['Ctrl-N, Ctrl-P', 'new chat; chats and agents'],
  ['Ctrl-X', 'stop this chat'],
  ['Ctrl-C, q', 'quit; waiting calls stay in the queue'],
  'Message',
  ['Enter', 'send; Alt-Enter or Ctrl-J starts a new line'],
  ['/', 'a command, such as /help; with a space before it, a message'],
  ['@', 'at the start of a paragraph: Tab completes a name'],
  ['Tab', 'if nobody would answer: corrects the mention'],
  'Transcript and chats',
  ['j, k, g, G', 'down, up, to the start, to the end'],
  ['x', 'show thinking and the full output of calls, or only the end'],
  ['u', 'in the transcript: undo a call; shows what that will do, y undoes it'],
];

export const SLASH_TITLE = 'Commands in a message';

export const CARD_TITLE = 'Waiting calls (Enter alone approves nothing)';

/** What the keys of a card do; `more` follows the key. */
export const CARD_HELP = [
  ['deny', '', 'deny, with an optional reason'],
  ['once', ', then Enter', 'approve once'],
  ['session', ', then Enter', 'approve for this chat; l: every call'],
  ['always', '', 'always: shows the rule, Enter adds it'],
  ['edit', '', 'edit the call, in $EDITOR if it is set; shows the edited call'],
  ['hosts', '', 'allow the host that it tried to reach; shows the call again'],
  ['reveal', '', 'show masked secrets; recorded in the audit log'],
  ['answer', ', 1 to 9', 'answer a question; in a form, Space selects'],
  ['next', ', N', 'next call, previous call'],
] as const;

export const FILES_HELP = ['f', 'show the files of the change, one by one'] as const;

export const schedulesHelp = {
  about: 'Manage messages that are sent later, once or repeatedly',
  list: { about: 'List the schedules of a world', examples: ['countersign schedules list -w harbour'] },
  add: {
    about: 'Send a message later, in your name',
    notes: [
      'Use --cron or --at. A running server sends it; after downtime, at most once.',
      'It stops when you may no longer send messages to the chat, or when a limited token with which you made it ends.',
    ],
    examples: [
      'countersign schedules add -w harbour -c last --cron "0 8 * * 1-5" "Summarize what changed since yesterday"',
      'countersign schedules add -w harbour -c last --at 2030-08-31T22:00 "Start the release"',
    ],
  },
  pause: { about: 'Pause a schedule', examples: ['countersign schedules pause schedule_… -w harbour'] },
  resume: { about: 'Resume a schedule of yours', examples: ['countersign schedules resume schedule_… -w harbour'] },
  remove: { about: 'Delete a schedule', examples: ['countersign schedules remove schedule_… -w harbour'] },
  message: 'message to send',
  cron: 'minute, hour, day of the month, month and day of the week, such as "0 8 * * 1-5"',
  at: 'time, such as 2030-08-31T22:00 on this machine, or 2030-08-31T22:00Z',
  timeZone: 'time zone of --cron, such as Europe/Berlin (default: that of this machine)',
  schedule: 'id of the schedule',
} satisfies Record<string, string | Help>;
