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
