import { hostRule } from '@countersign/client';
import { quote } from '../text/quote.js';
import { thenRun } from './then-run.js';
/** Approvals in line mode. Texts that all screens share are in `@countersign/client`. */
export const cardWords = {
  claims: (lead: string, quote: string): string => `${lead} “${quote}”`,
  toolAsks: (said: string): string => `The tool asks: “${said}”`,
  place: (position: number, total: string): string => `${position} of ${total}`,
  in: (where: string | undefined): string => (where === undefined ? 'in an unknown folder' : `in ${where}`),
  asksYou: (agent: string): string => `${agent} asks you`,
  /** Never 1: a single line is shown instead. */
  moreLines: (count: number): string => `  … ${count} more lines. Type s to read them before you approve.`,
  effect: 'What it will do:',
  prediction: 'Prediction:',
  moreLinesHere: (count: number): string => `… ${count} more lines`,
  printed: 'What it printed:',
  rehearsed: 'Rehearsed: approving applies exactly this.',
  allowHosts: (hosts: readonly string[]): string =>
    `To allow ${hosts.join(', ')} in this world, add the rule: ${hosts.map(hostRule).join('; ')}`,
  allowNextRun: (host: string): string => `For the next run: countersign policy add ${quote(hostRule(host))}`,
  path: 'path:',
  word: 'word:',
  noArguments: '(no arguments)',
  expires: (at: string, left: string): string => `Expires at ${at}, in ${left}. An expired call doesn't run.`,

  // Choices; deny comes first.
  deny: 'deny, with an optional reason (Enter denies)',
  answer: 'answer',
  once: 'approve once',
  onceAfterMore: 'o: approve once, after s',
  session: (what: string, agent: string): string => `approve for this chat (${what} by ${agent})`,
  always: (rule: string): string => `always… ${rule}`.trimEnd(),
  edit: 'edit',
  hosts: (hosts: readonly string[]): string =>
    `allow ${hosts.join(', ')} for this call, and see it again before you approve it`,
  more: 'show more',
  reveal: 'reveal masked secrets (recorded in the audit log)',
  next: 'skip to the next one',
  unseen: '  Type s to see the rest first. Nothing was decided.',
  unknown: '  Unknown choice. Nothing was decided. Ctrl-D quits.',
  /** The reason that an agent gets if the person gives none. */
  noReason: 'no reason given',
  notAnswered: 'not answered',
  before: '\n  Earlier messages:',
  answerPrompt: (hasChoices: boolean): string =>
    `  Type your answer${hasChoices ? ' or the number of a choice' : ''}. Enter leaves the question unanswered.`,
  formPrompt:
    '  Answer each field. Enter takes the default or skips an optional field; at a required field, it leaves the question unanswered.',
  fieldHint: (kind: string | undefined, usual: string | undefined, isRequired: boolean): string => {
    const how = kind === 'boolean' ? 'yes or no' : kind === 'choices' ? 'numbers, separated by commas' : undefined;
    const parts = [how, usual === undefined ? undefined : `default ${usual}`, isRequired ? 'required' : 'optional'];
    return ` (${parts.filter((part) => part !== undefined).join(', ')})`;
  },
  argumentsPrompt: '  arguments ',

  // Rules and grants
  ruleIntro: (world: string): string => `  This rule will be added to the policy of ${world}:`,
  ruleChoices: '  w: add it and approve   e: edit it (end it with: for 1h, today or until 2027-01-31)   Enter: deny',
  rulePrompt: '  rule ',
  matchesNothing: '  It matches no other call in this chat.',
  alsoMatches: '  It also matches these calls in this chat:',
  andMore: '  … and more.',
  covers: (what: string): string => `  Covers ${what} in this chat. ./** stands for files in the working folder.`,
  coveredChoices: '  y: approve for this chat and run these too   Enter: back to the call',

  // `countersign approvals`
  othersSign: (id: string): string => `  Others must sign this call. You can deny it: countersign approvals deny ${id}`,
  forYou: 'you',
  youSigned: 'others (you signed)',
  waitsForOthers: 'others',
  forOthers: 'waiting for others',
  noneWaiting: 'Nothing is waiting for you.',
  watchIdle: '· Nothing is waiting for you. Ctrl-C quits.',
  rule: (rule: string | undefined): string => `  Rule: ${rule ?? 'none'}`,
  scope: { once: 'once', session: 'for the whole chat', always: 'permanently, by adding a rule' },
  approving: (scope: string): string => `This approves the call ${scope}.`,
  approvingSeveral: (count: number): string =>
    `This approves ${count === 1 ? 'the call' : `these ${count} calls`} once, as shown.`,
  leftOut: (id: string, why: string): string => `Left out: ${id}, ${why}`,
  isQuestion: 'a question. Answer it with countersign approvals answer',
  needsPasskey: 'a rule requires a passkey. Approve it on its own',
  notDecided: (why: string): string => `Not decided: ${why}`,
  approvedBefore: 'Already approved.',
  approved: (scope: string): string => `Approved ${scope}.`,
  signAt: '  A rule requires a passkey for this call. Sign it in a browser:',
  signWaits: '  Waiting for your signature. Enter goes back ',
  signWaiting: 'Waiting for your signature. Ctrl-C stops waiting; the call keeps waiting for you.',
  signedElsewhere: 'Signed. This call needs more signatures.',
  notApproved: 'The call was not approved.',
  signLink: (link: string): string => `Sign this call with your passkey in a browser: ${link}`,
  answered: 'Answered.',
  denied: 'Denied.',
  chatWaits: thenRun('The chat is waiting for a decision. Run:', 'countersign approvals list'),
  editShown: (id: string): string =>
    thenRun('Nothing ran. To approve the edited call, run:', `countersign approvals approve ${id}`),
  callStopped: 'The approved call was stopped.',
  agentRuns: 'The agent may run the call now. This command does not wait for its result.',
  runsWhenResumed: 'The agent runs the call when you resume its session. It can do so for seven days.',
  callNotClaimed:
    'Nothing ran: the agent no longer waited for this call. If it is still needed, let the agent try again.',
  callFailed: (error: string): string => `The approved call failed: ${error}`,
  callDidNotRun: (reason: string): string => `The approved call did not run: ${reason}`,
  callChanged: 'The call changed after you approved it and needs approval again.',
} as const;

/** `countersign approvals batch` */
export const batchWords = {
  inBatch: (place: number, total: number): string =>
    `  Call ${place} of ${total}: what it did after the calls before it`,
  total: '\n  What all of them change together',
  meaning: 'Approving applies exactly this, or nothing. Undoing one of the calls undoes all of them.',
  between: (paths: string): string => `  Written by one call and gone or unchanged at the end: ${paths}`,
  last: (why: string, isApproved: boolean): string =>
    `  This call can't be rehearsed. ${why} ${
      isApproved
        ? 'It runs after the others were applied, and is not undone with them.'
        : 'It keeps waiting. With --approve-last, it runs after the others were applied.'
    }`,
  approving: (count: number): string => `This approves these ${count} calls as shown, as one.`,
  approved: (count: number): string => `Approved ${count} calls as one.`,
};
