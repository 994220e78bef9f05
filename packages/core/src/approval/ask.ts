import {
  type ApprovalOption,
  type Cause,
  type AskReason,
  type Scope,
  toCause,
  type ToolApproval,
} from '@countersign/protocol';
import { findMissedByStar, proposeRule, groupsFor, type Weighing } from '../policy/index.js';
import type { Gate, GateInput } from './gate.js';

/** Why the gate asks for approval. `alone`: no other ask rule would need approval after this one. */
export type Question =
  | { readonly kind: 'outcome-unknown' }
  /** Every such call needs its own approval (A20). */
  | { readonly kind: 'each'; readonly cause: Cause }
  | { readonly kind: 'closed'; readonly reason: string }
  /** The tool differs from what a person accepted (A1). */
  | { readonly kind: 'changed'; readonly difference: string }
  /** Nothing would keep the call away from a path that this rule protects (A21). */
  | { readonly kind: 'unenforced'; readonly rule: string }
  | { readonly kind: 'rule'; readonly rule: string; readonly alone: boolean }
  | { readonly kind: 'default' };

const SCOPES: readonly { readonly option: ApprovalOption; readonly scope: Scope }[] = [
  { option: 'approve_once', scope: 'once' },
  { option: 'approve_session', scope: 'session' },
  { option: 'approve_always', scope: 'always' },
];

/** Asks for approval, and offers only options that would take effect (A2). */
export function ask(input: GateInput, weighing: Weighing, question: Question): Gate {
  const { call, tool, world, admin } = input;
  const limits = tool?.trusted === true ? tool.definition.approval : undefined;
  const effective = new Set<ApprovalOption>(['approve_once']);
  if (sessionTakesEffect(weighing, question)) effective.add('approve_session');
  // With an ask rule or an unknown outcome, an allow rule would change nothing, so none is proposed.
  const proposed =
    question.kind === 'default' && isOffered('approve_always', 'always', limits)
      ? proposeRule(call, [world.policy, ...(admin === undefined ? [] : [admin])])
      : undefined;
  if (proposed !== undefined) effective.add('approve_always');

  const approvals = SCOPES.filter(({ option, scope }) => effective.has(option) && isOffered(option, scope, limits));
  return {
    kind: 'ask',
    reason: reasonOf(input, weighing, question),
    // `deny` is always offered, and always first: no default approves (A17).
    options: ['deny', ...approvals.map(({ option }) => option)],
    ...(question.kind === 'rule' ? { rule: question.rule } : {}),
    ...(proposed === undefined ? {} : { proposedRule: proposed }),
  };
}

/** Whether a session grant would let the same call run next time. */
function sessionTakesEffect({ unclear }: Weighing, question: Question): boolean {
  switch (question.kind) {
    case 'outcome-unknown':
    case 'each':
    case 'closed':
    case 'changed':
    case 'unenforced':
      return false;
    case 'rule':
      return question.alone && unclear === undefined;
    case 'default':
      return unclear === undefined;
  }
}

function isOffered(option: ApprovalOption, scope: Scope, limits: ToolApproval | undefined): boolean {
  const rank = (scope: Scope): number => SCOPES.findIndex((entry) => entry.scope === scope);
  if (limits?.options && !limits.options.includes(option)) return false;
  return limits?.scope === undefined || rank(scope) <= rank(limits.scope);
}

function reasonOf(input: GateInput, { prepared }: Weighing, question: Question): AskReason {
  const { call, tool, world, admin, contained } = input;
  switch (question.kind) {
    case 'outcome-unknown':
      return { code: 'outcome-unknown' };
    case 'each':
      return { code: 'every-call', cause: question.cause };
    case 'closed':
      return { code: 'policy-unreadable', problem: question.reason };
    case 'changed':
      return { code: 'tool-changed', tool: call.tool, difference: question.difference };
    case 'unenforced':
      return { code: 'rule-without-sandbox', rule: question.rule };
    case 'rule':
      return { code: 'ask-rule', rule: question.rule };
    case 'default': {
      const dynamic = call.subjects.find((subject) => subject.kind === 'dynamic');
      if (dynamic !== undefined) {
        return { code: dynamic.told === true ? 'not-coverable' : 'unpredictable', cause: toCause(dynamic.why) };
      }
      if (tool?.trusted !== true) return { code: 'untrusted-tool', tool: call.tool };
      const allowing = [...groupsFor(admin?.allow, call.tool), ...groupsFor(world.policy.allow, call.tool)];
      const missed = findMissedByStar(allowing, prepared);
      if (missed !== undefined) {
        return { code: missed.why === 'no-sandbox' ? 'star-without-sandbox' : 'star', rule: missed.rule };
      }
      return { code: world.mode === 'auto' && !contained ? 'leaves-sandbox' : 'no-rule' };
    }
  }
}
