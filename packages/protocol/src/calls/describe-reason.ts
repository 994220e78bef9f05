import { describeCause } from './causes.js';
import type { Reason, WhatChanged } from './reasons.js';

/** The text for a reason, the same on every screen. It follows a colon, as in `Why you're asked: no rule allows this call`. */
export function describeReason(reason: Reason): string {
  const since = 'changedSince' in reason ? reason.changedSince : undefined;
  if (since === undefined) return textOf(reason);
  const changed = 'changed' in reason ? (reason.changed ?? []) : [];
  const what =
    changed.length === 0
      ? `the call changed after it was ${since}`
      : `${changed.map((each) => CHANGED[each]).join(', and ')} after the call was ${since}`;
  return `${since === 'signed' ? UNSIGNED : what}; ${textOf(reason)}`;
}

const CHANGED: Readonly<Record<WhatChanged, string>> = {
  folder: 'the working folder was replaced with another one',
  sandbox: 'its sandbox changed',
  effect: 'files in the working folder changed, and so did the effect,',
  content: 'the file that it writes changed',
  tool: 'the definition of the tool changed',
  rules: 'the rules changed',
};

const UNSIGNED = 'a signature no longer counts, because its author may no longer sign';

function textOf(reason: Reason): string {
  switch (reason.code) {
    case 'decision':
      return 'a person approved this call';
    case 'grant':
      return 'a grant covers this call';
    case 'allow-rule':
      return 'a rule allows this call';
    case 'pattern':
      return 'the tool needs no approval for calls like this one';
    case 'no-approval-needed':
      return 'the tool needs no approval';
    case 'contained':
      return 'the world is in auto mode, and the call stays inside the sandbox and the working folder';
    case 'no-rule':
      return 'no rule allows this call';
    case 'outcome-unknown':
      return 'the same call was interrupted earlier in this chat, and its outcome is unknown';
    case 'leaves-sandbox':
      return 'the call may have effects outside the sandbox or the working folder';
    case 'edited':
      return 'a person edited this call';
    case 'question':
      return 'the agent is asking you a question';
    case 'tool-question':
      return `${reason.tool} is asking a question while it runs`;
    case 'untrusted-tool':
      return `${reason.tool} ${originOf(reason.tool)}isn't trusted`;
    case 'ask-rule':
      return `a rule requires approval: ${reason.rule}`;
    case 'star':
      return `this call has an option or argument that the * in this rule doesn't match: ${reason.rule}`;
    case 'star-without-sandbox':
      return `the command runs without a sandbox, so only a rule for the exact command applies, not ${reason.rule}`;
    case 'rule-without-sandbox':
      return `the call runs without a sandbox that could enforce this rule: ${reason.rule}`;
    case 'effect-unknown':
      return `a rule is about what this call does, and it wasn't rehearsed: ${reason.rule}`;
    case 'effect-exceeds':
      return `this call does more than a rule allows: ${reason.rule}`;
    case 'unpredictable':
      return `${describeCause(reason.cause)}, so no rule can judge it in advance`;
    case 'not-coverable':
      return `${describeCause(reason.cause)}, so no rule can allow it`;
    case 'every-call':
      return `${describeCause(reason.cause)}, so every such call needs approval`;
    case 'tool-changed':
      return `the definition of ${reason.tool} isn't the one you accepted, so grants and allow rules don't apply: ${reason.difference}`;
    case 'policy-unreadable':
      return `the policy can't be parsed, so every call needs approval: ${reason.problem}`;
    case 'deny-rule':
      return `a rule denies this call: ${reason.rule}`;
    case 'read-mode':
      return `this world is in read mode, and ${reason.tool} may change something`;
    case 'unattended':
      return 'nobody is connected to approve it, and this world denies such calls';
    case 'cannot-run':
      return reason.problem;
  }
}

/** Tools of MCP servers and clients are recognized by their prefix; other tools belong to the program itself. */
function originOf(tool: string): string {
  if (tool.startsWith('mcp__')) return 'comes from an MCP server that ';
  return tool.startsWith('app__') ? 'comes from a client that ' : '';
}
