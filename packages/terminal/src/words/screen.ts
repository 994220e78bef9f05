import type { FormField } from '@countersign/protocol';

/** Texts for the full-screen UI. Its keys are in help-chat.ts. */
export const screenWords = {
  tooSmall: (columns: number, rows: number, smallest: { columns: number; rows: number }): string =>
    `This terminal is too small: ${columns}×${rows}. It needs ${smallest.columns}×${smallest.rows}. Ctrl-C quits.`,
  loading: ' Loading…',
  noAgents: ' This world has no agents yet. Add one with: countersign agents add',
  empty: ' No messages yet. Agents propose; calls that need approval wait for you.',
  suggestions: ' Try one of these (↓ fills it in):',
  position: (message: number, count: number, hasEarlier: boolean): string =>
    ` message ${message} of ${count}${hasEarlier ? ', more above' : ''} · End jumps to the latest `,
  transcript: ' Transcript ',
  newChat: 'New chat',
  fixHint: ' · Tab fixes it',
  speaking: '  responding…',
  thoughts: (words: number, isWide: boolean): string =>
    `${isWide ? '▾' : '▸'} Thinking, ${words} ${words === 1 ? 'word' : 'words'}`,
  truncated: '… truncated: read the rest in the browser',
  held: (why: string): string => `⏳ On hold. ${why}`,
  heldHint: ' Ctrl-G shows the call.',
  moreLines: (count: number, hint: string): string => ` ↓ ${count} more ${count === 1 ? 'line' : 'lines'}${hint}`,

  // States
  working: '● working',
  stopHint: ' · Ctrl-X stops',
  waiting: '⏳ waiting for you',
  waitingForOthers: '⏳ waiting for others',
  elsewhere: (count: string): string => `  ⏳ ${count} in other chats`,
  deleted: ' This world was deleted.',
  reconnecting: (unsent: number): string =>
    ` ⟳ Waiting for the server to come back… ${unsent === 0 ? 'nothing is lost' : `${unsent} ${unsent === 1 ? 'message is' : 'messages are'} not sent yet`}`,
  notSent: 'not sent yet',
  takesNoMessages: (name: string): string =>
    ` ${name} runs in its own program; countersign chats tell reaches it. Ctrl-N starts a chat.`,
  call: {
    proposed: 'about to run',
    asked: 'waiting for you',
    askedOthers: 'waiting for others',
    approved: 'approved',
    running: 'running',
    answered: (by: string): string => `answered${by}`,
    succeeded: 'done',
    notReported: 'allowed, result not reported',
    notClaimed: 'approved, but not claimed; nothing ran',
    stopped: 'stopped',
    failed: 'failed',
    denied: (by: string): string => `denied${by}`,
    undone: 'undone',
  },

  // Cards
  card: (count: string): string => ` ⏳ Waiting for you${count} `,
  cardForOthers: ' ⏳ Waiting for others ',
  inChat: (title: string): string => `in “${title}” · `,
  anotherChat: 'another chat',
  expires: (left: string): string => `· expires in ${left} `,
  look: ' Ctrl-G to review ',
  notAllShown: (lines: number): string =>
    `… ${lines} more ${lines === 1 ? 'line is' : 'lines are'} not shown here. Use the browser or countersign chat to read all of it, or deny it.`,
  sending: ' Sending your answer…',
  cover: (kind: 'always' | 'session', title: string): string =>
    `${kind === 'always' ? 'Add the rule' : 'Approve for this chat'}. ${title}`,
  coverChoices: (isLast: boolean): string =>
    `Enter ${isLast ? 'approves all of them' : 'shows the rest'} · Esc cancels`,
  options: {
    deny: 'Deny…',
    answer: 'Answer…',
    once: 'Approve once',
    session: 'Approve for this chat',
    always: 'Always…',
    edit: 'Edit',
    hosts: 'Allow the host',
    more: 'Show more',
    reveal: 'Show secrets',
    next: 'Next',
    files: 'Files',
  },
  unfocused: (waits: string): string => `${waits} Press Tab or Ctrl-G to focus it.`,
  seeEnd: 'There is more below. You can approve it once you have seen the end.',
  scrollFirst: 'There is more below. Press PgDn to see the end, then approve.',
  notArmed: 'Wait a moment: keys pressed before the call appeared are ignored.',
  tooLong: 'Too long to approve here: part of it is not shown.',
  questionIdle: 'The agent is waiting for your answer.',
  once: 'Approve exactly this call, once. Enter approves · Esc cancels',
  session: (what: string, agent: string, narrow: string): string =>
    `Allows ${what} by ${agent} in this chat. The grant ends with the chat, when you revoke it, or after 12 hours without use. Enter approves${narrow} · Esc cancels`,
  anyUse: 'every call',
  onlyLike: 'only calls like this',
  narrow: (other: string): string => ` · l: ${other}`,
  denyLabel: 'Why not?',
  denyHint: 'Enter denies, with or without a reason · Esc goes back',
  ruleLabel: 'Rule',
  ruleHint:
    'Matching calls run without approval in every chat of this world. Enter approves and adds the rule · Esc goes back',
  commandLabel: 'Command',
  argumentsLabel: 'Arguments',
  editHint: 'Enter shows the edited call before you approve it · Esc goes back',
  answerLabel: 'Answer',
  answerHint: 'Enter sends · Esc goes back',
  formPlace: (position: number, total: number, kind: string): string => ` · ${kind} · ${position} of ${total}`,
  formKind: (kind: FormField['kind'], isRequired: boolean): string => {
    const names = { text: 'text', number: 'number', integer: 'whole number', boolean: '', choice: '', choices: '' };
    return [names[kind], isRequired ? 'required' : 'optional'].filter((word) => word !== '').join(', ');
  },
  formYes: 'yes',
  formNo: 'no',
  formRow: (position: number, total: number): string => `${position}/${total}`,
  formTextHint: 'Enter continues · Esc goes back',
  formOptionHint: '↑↓ move · Space selects · Enter continues · Esc goes back',
  formDone: 'All fields are filled in. Enter sends the form · Esc goes back',
  nothingChosen: 'Nothing is selected, so nothing was approved.',
  decidedElsewhere: ' Decided elsewhere ',
  decidedElsewhereFoot: 'This call was decided elsewhere.',
  needsApprovalAgain: ' Needs approval again ',
  allowed: ' Allowed ',
  continue: ' Enter continues.',
  continueHere: ' Press Tab or Ctrl-G to focus it, then Enter to continue.',
  noLongerWaits: 'This call is no longer waiting.',
  decision: (story: string): string => `✍ ${story}.`,

  undo: {
    title: ' Undo a call of this chat',
    loading: ' Loading…',
    none: ' No call of this chat can be undone. A call can be undone for 7 days if it changed files.',
    effect: ' Undoing this call will do this:',
    listHint: 'j k choose · Enter shows what undoing it will do · Esc goes back',
    previewHint: 'j k PgUp PgDn scroll · y undoes the call · Esc goes back',
    noneHint: 'Esc goes back',
    seeEnd: 'There is more below. Press PgDn to see the end, then y.',
    done: 'The call was undone.',
  },

  // The composer and the last line
  placeholder: (world: string): string => `Message ${world}…  @ mentions an agent`,
  leave: ' Quit? Your message has not been sent and would be lost. y quits · n stays',
  helpHint: ' j k PgUp PgDn scroll · any other key closes this',
  helpClose: 'Any key closes this',
  help: '? help ',
  hints: {
    composer: 'Enter sends · Tab next pane · Ctrl-P chats · Ctrl-N new · Ctrl-C quits',
    field: 'Esc goes back',
    card: 'j k scroll · Tab next pane · Esc back to the message · q quits',
    transcript: 'j k scroll · g G top, bottom · x full output · u undo · Esc back to the message · q quits',
    chats: 'j k choose · Enter opens · Esc back to the message · q quits',
  },
} as const;
