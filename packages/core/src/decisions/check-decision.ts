import { describeReason, type ApprovalOption, type Scope, type Signer, type ToolDecision } from '@countersign/protocol';
import type { ApprovalRecord, CallKeys, InvocationRecord } from '../ports/index.js';
import { maskSecrets } from '../masking/index.js';
import {
  compilePolicy,
  keyOfPattern,
  patternCovers,
  type PolicyCall,
  prepareCall,
  rulesCover,
  splitRules,
} from '../policy/index.js';
import { newId } from '../turn/ids.js';
import { hasChanged, type CallToSign } from '../calls/call-to-sign.js';
import { gateCall } from '../calls/gate-call.js';
import type { Step } from '../step/runtime.js';

const OPTION: Record<Scope, ApprovalOption> = {
  once: 'approve_once',
  session: 'approve_session',
  always: 'approve_always',
};

/** A decision that fits its call, with everything that has to be written for it. */
export type CheckedDecision =
  | { kind: 'deny' }
  | {
      kind: 'approve';
      scope: Scope;
      edited: boolean;
      argumentsText: string;
      /** What an unknown outcome of such a call is found by. */
      keys: CallKeys;
      callHash: string;
      /** What the decision message tells beyond decision, scope and reason. */
      record: { arguments?: string; callHash?: string; grantId?: string; pattern?: string; rule?: string };
      /** Writes the grant or the rule, if the scope outlives this call (A5). */
      remember(step: Step, signer: Signer): void;
    };

type Check = { ok: true; decision: CheckedDecision } | { ok: false; detail: string };

/** Only what was offered can be chosen, and only what would take effect is written (A2, A5). */
export function checkDecision(
  step: Step,
  asked: { sent: ToolDecision; approval: ApprovalRecord; invocation: InvocationRecord; toSign: CallToSign | undefined },
): Check {
  const { sent, approval, invocation, toSign } = asked;
  if (sent.decision === 'deny') return checkDenial(sent);
  const scope = sent.scope ?? 'once';
  if (!approval.options.includes(OPTION[scope])) return no(`scope: ${OPTION[scope]} is not offered for this call`);
  if (sent.pattern !== undefined && scope !== 'session') return no('pattern: only valid with scope session');
  if (sent.rule !== undefined && scope !== 'always') return no('rule: only valid with scope always');
  if (toSign === undefined) return no('the call no longer exists');
  if (!toSign.ok) return no(toSign.detail);
  if (toSign.against !== invocation.arguments) return no('arguments: the call changed; review it again');

  const edited = toSign.call.argumentsText !== invocation.arguments;
  const { policyCall } = toSign.judged;
  if (edited) {
    const gate = gateCall(step.tx, step.snapshot, toSign.judged, { decision: 'approved' });
    if (gate.kind === 'refuse') return no(`arguments: ${describeReason(gate.reason)}`);
  }
  const base = {
    kind: 'approve' as const,
    scope,
    edited,
    argumentsText: toSign.call.argumentsText,
    keys: toSign.judged.keys,
    // Signed is what was shown, or an edit of it; if the world changed since, starting it finds out (A7).
    callHash: edited && !hasChanged(toSign, approval) ? toSign.signed.callHash : approval.callHash,
  };
  const changed = edited ? { arguments: base.argumentsText, callHash: base.callHash } : {};
  switch (scope) {
    case 'once':
      return { ok: true, decision: { ...base, record: changed, remember: () => undefined } };
    case 'session':
      return checkGrant(sent, approval, policyCall, base, changed);
    case 'always':
      return checkRule(step, sent, approval, edited, policyCall, base, changed);
  }
}

type Approval = Omit<Extract<CheckedDecision, { kind: 'approve' }>, 'record' | 'remember'>;
type Changed = { arguments?: string; callHash?: string };

function checkDenial(sent: ToolDecision): Check {
  const extra = (['scope', 'arguments', 'pattern', 'rule'] as const).find((field) => sent[field] !== undefined);
  // `scope: once` says nothing more than deny does; anything else would have been meant for an approval.
  if (extra !== undefined && !(extra === 'scope' && sent.scope === 'once'))
    return no(`${extra}: only valid with an approval`);
  return { ok: true, decision: { kind: 'deny' } };
}

function checkGrant(
  sent: ToolDecision,
  approval: ApprovalRecord,
  call: PolicyCall,
  base: Approval,
  changed: Changed,
): Check {
  const { pattern } = sent;
  if (pattern !== undefined && !patternCovers(pattern, prepareCall(call)))
    return no('pattern: does not match this call');
  if (pattern !== undefined && maskSecrets(pattern) !== pattern) return no('pattern: must not contain a secret');
  const grantId = newId('grant');
  return {
    ok: true,
    decision: {
      ...base,
      record: { ...changed, grantId, ...(pattern === undefined ? {} : { pattern }) },
      remember: (step, signer) => {
        step.tx.giveGrant(
          {
            id: grantId,
            worldId: approval.worldId,
            chatId: approval.chatId,
            agentId: approval.agentId,
            toolName: approval.toolName,
            pattern: pattern ?? null,
            answeredRule: approval.rule,
            grantedBy: signer.who,
            grantedAt: step.tx.now(),
            lastUsedAt: step.tx.now(),
            revokedAt: null,
          },
          keyOfPattern(pattern ?? null),
        );
        step.tx.emit({
          event: 'crud',
          chatId: approval.chatId,
          data: { operation: 'create', entity: 'grant', id: grantId },
        });
      },
    },
  };
}

function checkRule(
  step: Step,
  sent: ToolDecision,
  approval: ApprovalRecord,
  edited: boolean,
  call: PolicyCall,
  base: Approval,
  changed: Changed,
): Check {
  const rule = sent.rule ?? (edited ? undefined : (approval.proposedRule ?? undefined));
  if (rule === undefined) return no('rule: no rule can be proposed for this call; write one');
  const rules = splitRules(rule);
  const unreadable = whyUnreadable(rules);
  if (unreadable !== undefined) return no(`rule: ${unreadable}`);
  const { policy, adminPolicy } = step.snapshot;
  if (!rulesCover(rules, [policy, adminPolicy], call)) return no('rule: does not match this call');
  if (maskSecrets(rule) !== rule) return no('rule: must not contain a secret');
  return {
    ok: true,
    decision: {
      ...base,
      record: { ...changed, rule },
      remember: (step, signer) => {
        const { policy } = step.snapshot.world;
        const added = [...new Set(rules)].filter((each) => !policy.includes(each));
        if (added.length === 0) return;
        step.tx.setPolicy([...policy, ...added]);
        step.tx.emit({
          event: 'crud',
          chatId: null,
          data: { operation: 'update', entity: 'policy', id: approval.worldId },
        });
        for (const each of added) {
          step.tx.record({
            kind: 'policy',
            rule: each,
            decision: 'added',
            why: 'approved always',
            who: signer.who,
            client: signer.client,
            chatId: approval.chatId,
            invocationId: approval.invocationId,
            agentId: approval.agentId,
            tool: approval.toolName,
          });
        }
      },
    },
  };
}

function whyUnreadable(rules: readonly string[]): string | undefined {
  const compiled = compilePolicy(rules);
  if (compiled.ok) return undefined;
  const line = rules.length === 1 ? '' : `line ${compiled.index + 1}, `;
  return `${compiled.error} (at ${line}character ${compiled.position + 1})`;
}

function no(detail: string): Check {
  return { ok: false, detail };
}
