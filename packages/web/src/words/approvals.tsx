import type { ReactElement, ReactNode } from 'react';
import { commonWords } from './common.js';

/** Cards, the inbox and the column of waiting calls. Texts about a call that all screens share are in `client/show`. */
export const approvalWords = {
  ...commonWords,
  wantsTo: 'wants to',
  use: 'use',
  approveOnce: 'Approve once',
  preview: 'Preview',
  approveForChat: 'Approve for this chat',
  approveAlways: 'Approve always',
  always: 'Always…',
  deny: 'Deny',
  openReason: 'Reason…',
  back: 'Back',
  asked: 'asked',
  showNext: 'Show next',
  notNow: 'Not now',
  moreChoices: 'More choices',
  details: 'Details',
  moreLines: (count: number) => `${count} more ${count === 1 ? 'line' : 'lines'}`,

  list: {
    name: 'Waiting calls',
    allWorlds: 'All worlds',
    allAgents: 'All agents',
    allTools: 'All tools',
    filterBy: { world: 'World', agent: 'Agent', tool: 'Tool' },
    noMatch: 'No waiting call matches the filter.',
    clearFilter: 'Show all',
    select: (what: string) => `Select ${what}`,
    selectAlike: (count: number) => `Select ${count} alike calls`,
    alike: (count: number) => `${count} alike calls`,
    signatures: (signed: number, needed: number) => `${signed} of ${needed} signatures`,
    in: (folder: string) => `in ${folder}`,
    gone: 'No longer waiting',
    back: (count: string) => (count === '' ? 'All waiting calls' : `All waiting calls (${count})`),
  },

  several: {
    most: (count: number) => `Choose at most ${count} calls.`,
    hint: 'Select calls to decide them together.',
    onlyAlone: 'Questions and calls that need a passkey are decided one by one.',
    selectAll: 'Select all',
    selectFirst: (count: number) => `Select the first ${count}`,
    selected: (count: number) => `${count} selected`,
    approve: (count: number) => `Approve ${count}…`,
    deny: (count: number) => `Deny ${count}…`,
    denyRest: (count: number) => `Deny the rest (${count})…`,
    confirm: {
      approve: (count: number) => (count === 1 ? 'Approve this call once' : `Approve these ${count} calls once`),
      deny: (count: number) => (count === 1 ? 'Deny this call' : `Deny these ${count} calls`),
    },
    readFirst: 'First read the list to its end, and expand what is folded.',
    deciding: (done: number, total: number) => `${done} of ${total} sent…`,
    done: (done: number, total: number) => `${done} of ${total} decided.`,
    results: 'Results',
    leftOut: (count: number) => (count === 1 ? 'Left out, decide it on its own:' : 'Left out, decide them one by one:'),
    needsPasskey: 'needs a passkey',
    isQuestion: 'a question',
    approved: 'Approved once',
    denied: 'Denied',
    signed: 'Signed. It needs more signatures',
    before: 'Was decided before',
    failed: (why: string) => `Not decided: ${why}`,
    pending: 'Waits',
    unknown: 'Unknown. If it still waits, it was not decided',
    notSent: 'Not sent, nothing was decided',
  },

  together: {
    open: (count: number) => `Review ${count} calls together…`,
    title: 'Review together',
    rehearsing: (count: number) => `Rehearsing ${count} calls one after another. This can take half a minute.`,
    each: 'What each call did, after the calls before it',
    total: 'What all of them change together',
    meaning: 'Approving applies exactly this, or nothing. Undoing one of the calls undoes all of them.',
    between: 'Written by one call and gone or unchanged at the end:',
    last: (why: string) =>
      `This call can’t be rehearsed. ${why} It runs after the others were applied, and is neither undone with them nor part of all or nothing.`,
    approveLast: 'Approve this call too',
    approve: (count: number) => `Approve all ${count}`,
    deny: 'Deny all',
    signed: 'Signed. The calls need more signatures.',
  },

  network: 'Network',
  allowOnce: (hosts: string) => `Allow ${hosts} for this call`,
  allowOnceHint: 'The call is shown again with the host. It then runs without a rehearsal, once you approve it.',
  hostsInWorld: {
    open: 'Allow in this world…',
    means: 'All commands in this world can then reach the host, and those that use it can’t be rehearsed. Rule:',
    added: 'The rule was added. When you approve the call, it is shown again with the host.',
  },
  hostInNextRuns: (host: string) => ({
    open: `Allow ${host} for the next run…`,
    means: 'All later runs and commands in this world can then reach the host. Nothing changes for this run. Rule:',
    added: 'The rule was added. The next run can reach the host.',
  }),
  addHostRule: 'Add the rule',
  askChanges: {
    open: 'Ask for changes…',
    title: 'Ask for changes',
    message: 'What should the program do differently?',
    hint: 'Nothing is applied, and the draft is kept. The message reaches the agent when the person who started the run continues it. Its new change then waits for approval, and counts you as a requester too.',
    comments: (count: number) => `${count} ${count === 1 ? 'comment is' : 'comments are'} sent too`,
    send: 'Send',
    sent: 'Changes were asked for. Nothing was applied.',
  },
  tooEarly: 'Too early: nothing was decided. Press the key again.',
  previewFirst: 'Nothing runs yet. You see the edited call first.',
  needsPasskey: 'To sign this call, you need a trusted passkey.',
  openAccount: 'Open your account',
  addPasskey: 'Add or confirm a passkey',
  expandFirst: 'To approve this call, expand it and scroll to its end.',
  summaryFirst: 'To approve this call, read its summary to the end.',
  scrollFirst: 'To approve this call, scroll to its end.',

  askedOften: (count: number): string => `This was asked ${count} times in 30 days.`,
  seeRule: 'See the rule that would answer it',
  ruleTitle: 'Write a rule',
  ruleLabel: 'Rule for this world',
  ruleHint: 'Matching calls run without approval in every chat of this world. You can remove the rule under Policy.',
  ruleEnd: 'Ends',
  ruleEnds: { never: 'never', hour: 'in one hour', today: 'today', date: 'on a date' },
  ruleLastDay: 'Last day',
  findingMatches: 'Looking for other calls that match the rule…',
  noMatches: 'The rule matches no other call in this chat.',
  matches: (count: number, more: boolean) =>
    `The rule would also have allowed these calls in this chat (${count}${more ? ' or more' : ''}):`,

  chatScope: '“For this chat” allows',
  by: 'by',
  chatScopeEnds:
    'It covers only this chat, and ends with it, when you revoke it, or after 12 hours without use. ./** stands for files in the working folder.',
  anyCall: (toolName: string): ReactElement => (
    <>
      Instead, allow every call to <code>{toolName}</code> in this chat
    </>
  ),
  alsoRuns: 'Waiting calls that also run',
  listedAbove: (what: string): string => `Also runs ${what}, listed above.`,
  findingWaiting: 'Looking for waiting calls that this also covers…',

  toolAsks: 'The tool asks:',
  in: 'in',
  inUnknownFolder: 'in an unknown folder',
  reveal: 'Reveal (recorded in the audit log)',
  expires: (until: ReactNode): ReactElement => <>Expires in {until}. An expired call doesn't run.</>,

  decided: (toolName: string) => `Decided: ${toolName}`,
  decidedElsewhere: 'Decided elsewhere.',
  alreadyDecided: 'Someone else already made the same decision.',
  maybeNotDecided:
    'The server did not answer, so your decision may not have arrived. When the connection is back, the card shows whether it did.',
  next: 'Next',
  nextOf: (waiting: string) => `Next (${waiting} waiting)`,

  editUnchecked: 'The edited call is checked against the rules when you preview it.',
  editHint: 'The agent will see what actually ran.',
  editMaskHint: '‹masked …› stands for a secret. Leave it in place to keep the secret.',
  reason: 'Reason',
  reasonHint: 'Why not? The agent will see this.',
  requestChanges: 'Request changes',

  asks: 'asks',
  answer: 'Answer',
  optional: (label: string) => `${label} (optional)`,
  noChoice: 'none',
  yourAnswer: 'Your answer',
  formNote: "Your answers go to the program that asks. They don't approve any calls.",
  comment: 'Comment',
  planNote: 'Approving lets the agent leave its plan mode. Its calls still need approval.',
  answerNote: "Your answer is sent as text. It doesn't approve any call.",

  proposed: 'about to run',
  approved: 'approved',
  running: 'running',
  done: 'done',
  stopped: 'stopped',
  interrupted: 'interrupted',
  notReported: 'allowed, result not reported',
  notClaimed: 'not claimed, nothing ran',
  failed: 'failed',
  denied: (reason: string) => (reason === '' ? 'denied' : `denied: ${reason}`),

  inbox: 'Inbox',
  inboxLead: 'Calls waiting for you in all worlds, oldest first, alike calls together.',
  youAre: (name: string, roles: string) => `You are signed in as ${name}, ${roles}.`,
  inboxEmpty: 'Nothing is waiting for you.',
  inboxEmptyHint:
    'Calls that need your approval appear here, and the page title shows how many there are. Turn on notifications to hear about new ones.',
  notify: 'Turn on notifications',
  lastMessages: 'Last messages',
  noMessages: 'No messages.',
  theMessages: 'the messages',
  openChat: 'Open chat',

  waitingTitle: 'Waiting for you',
  othersTitle: 'Waiting for others',
  waitingStatus: (count: number | string) =>
    count === '' || count === 0 ? '' : `${count} waiting for you. Press Alt+N to review.`,
  waitingCount: (count: number) => `${count} waiting for you`,
  othersCount: (count: number) => `${count} waiting for others`,
  review: 'Review',
  reviewFiles: 'Review by file',
  inThisChat: 'in this chat',
  inOtherChats: (count: string) => `${count} in other chats`,
  showMore: 'Show more',
  alsoWaiting: 'Also waiting',
  inboxOthers: 'Nothing is waiting for you. These calls are waiting for other people.',
  chatEmpty: 'Nothing in this chat is waiting for you.',
  /** As in the terminal. */
  keys: (may: { once: boolean; chat: boolean; always: boolean; edit: boolean }): ReactElement => (
    <>
      <kbd>Alt</kbd>+<kbd>N</kbd> goes to the card. There,{' '}
      {may.once ? (
        <>
          <kbd>o</kbd> approves once,{' '}
        </>
      ) : null}
      {may.chat ? (
        <>
          <kbd>c</kbd> for this chat,{' '}
        </>
      ) : null}
      {may.always ? (
        <>
          <kbd>a</kbd> always,{' '}
        </>
      ) : null}
      <kbd>d</kbd> denies
      {may.edit ? (
        <>
          , <kbd>e</kbd> edits
        </>
      ) : null}{' '}
      and <kbd>n</kbd> shows the next one.
    </>
  ),
} as const;
