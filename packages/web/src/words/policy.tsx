import type { ReactElement } from 'react';
import { commonWords } from './common.js';

/** Rules, grants, and the policy tester. */
export const policyWords = {
  ...commonWords,
  title: 'Policy',
  thePolicy: 'the policy',
  lead: (
    <>
      One rule per line: <code>allow</code>, <code>ask</code> or <code>deny</code>, a tool, and a pattern for its
      arguments. Deny beats ask, and ask beats allow, regardless of order. Calls that match no allow rule need approval
      unless their tool doesn't require it.
    </>
  ),
  rules: 'Rules',
  rulesHint: (count: number) =>
    `${count} ${count === 1 ? 'rule' : 'rules'}. Lines that start with # are comments. Example: allow shell_cmd(git status)`,
  warnings: 'Warnings',
  errors: 'More errors',
  asText: 'Edit as text',
  unsavedText: 'You have changed the text and not saved it. Choose “Edit as text” to see your changes.',
  addRule: 'Add rule',
  newRule: 'New rule',
  newRuleHint: 'Add “until 2027-01-31” or “for 1h” to let an allow rule end.',
  saveRule: 'Save rule',
  saveRuleAndRun: 'Save rule and run these calls',
  cancel: 'Cancel',
  noRules: 'No rules yet.',
  noRulesHint: 'Every call that could do harm needs approval.',
  ended: 'ended',
  addedBy: 'Added by',
  decidedCalls: (count: number): string =>
    count === 0 ? 'not used yet' : `decided ${count} ${count === 1 ? 'call' : 'calls'}`,
  lastAt: ', last',
  remove: 'Remove',
  removeRuleNamed: (rule: string): string => `Remove ${rule}`,
  removeRule: 'Remove rule',
  keepRule: 'Keep rule',
  verbs: [
    ['allow', 'runs without approval'],
    ['ask', 'always needs approval'],
    ['deny', 'never runs'],
  ],
  ruleExamples: [
    ['allow shell_cmd(git status)', 'exactly this command'],
    ['allow shell_cmd(git diff *)', 'with options that are known to be harmless'],
    ['allow shell_cmd(npm run build) writing dist/** removing nothing', 'if it changes nothing else'],
    ['allow shell_cmd(npm test) for 1h', 'and then no longer'],
    ['ask shell_cmd removing *', 'if it removes files'],
    ['deny write_file(.github/**)', 'a folder and everything in it'],
  ],
  untilMidnight: 'until tonight',

  replaying: (calls: number): string =>
    calls === 0 ? 'Trying it on the calls of the last 30 days…' : `Trying it: ${calls} calls so far…`,
  questions: (then: number, now: number, calls: number): string =>
    `Of ${calls} ${calls === 1 ? 'call' : 'calls'} in the last 30 days, ${then} needed approval. With this change: ${now}.`,
  wouldRunAlthoughDenied: (count: number): string =>
    `${count} ${count === 1 ? 'call' : 'calls'} would have run although denied:`,
  wouldBeDenied: (count: number): string =>
    `${count} ${count === 1 ? 'call' : 'calls'} would have been denied although approved:`,
  notJudged: (count: number): string => `${count} ${count === 1 ? 'call' : 'calls'} can’t be judged again.`,
  moreCalls: 'There were more calls than are judged or listed here.',
  replayLimits: 'Another decision could have changed what came after.',

  suggested: 'Suggested rules',
  suggestedLead:
    'Made from calls that a person approved one by one. None would have allowed a call that was denied, and none is in effect until you save it.',
  saves: (count: number, later: number): string =>
    `Would have saved ${count} questions in 30 days, ${later} of them after the calls that it was made from.`,
  proof: (covered: number, nearest: number): string =>
    nearest === 0
      ? `Show what it would have allowed (${covered})`
      : `Show what it would have allowed (${covered}) and what not`,
  allowed: (count: number): string =>
    count > 20 ? `Would have allowed ${count} calls. The first 20:` : 'Would have allowed:',
  stillAsks: 'Would still ask, for example:',
  useRule: 'Add…',
  stale: 'Someone else changed the policy. Discard your changes to see theirs, then make yours again.',
  saveRules: 'Save policy',
  saveAndRun: 'Save policy and run these calls',
  savedRules: 'Policy saved.',
  discard: 'Discard changes',
  proposed: 'Proposed by an import, not in effect',
  acceptRule: 'Add to rules',

  testerTitle: 'Test a call',
  tool: 'Tool',
  theTools: 'the tools',
  agent: 'Agent',
  anyAgent: 'any agent',
  rehearse: 'Rehearse it first',
  rehearseHint: 'Runs it in a draft, which is deleted, and judges what it did.',
  rehearsed: 'Rehearsed in a draft, which was deleted. Nothing was changed.',
  test: 'Test',
  testedWithEdits: 'Tested with the rules in the editor, which are not saved yet.',
  wouldRun: 'It would run without approval',
  wouldAsk: 'It would need approval',
  wouldRefuse: 'It would be refused',
  rule: 'Rule:',
  didNotApply: 'Did not apply:',

  grants: 'Grants',
  theGrants: 'the grants',
  grantsLead: (policy: ReactElement): ReactElement => (
    <>
      Calls you approved “for this chat”. A grant ends with its chat, when you revoke it, or after 12 hours without use.
      Calls you approved “always” are rules; see {policy}.
    </>
  ),
  noGrants: 'No grants.',
  noGrantsHint: 'Grants you give with “Approve for this chat” are listed here.',
  mayUse: 'may use',
  forCallsLike: 'for calls like',
  in: 'in',
  aChat: 'a chat',
  approvedBy: '· approved by',
  used: '· used',
  revoke: 'Revoke',
  revoked: 'Grant revoked. The next call needs approval again.',
} as const;
