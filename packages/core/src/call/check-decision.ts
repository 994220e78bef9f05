import {
  type ToolDecision,
  describeReason,
  type ApprovalOption,
  type Scope,
  settleEnd,
  type Signer,
  SYSTEM,
  whoText,
} from '@countersign/protocol';
import type { ApprovalRecord, CallRecord, StepNeeds, CallKeys } from '../ports/index.js';
import { isOutside, type Gate } from '../policy/check-tool-approval.js';
import type { WorldSnapshot } from '../memory/world-snapshot.js';
import { maskArguments, reveal, maskSecrets } from '../masking/index.js';
import { takesEdits } from '../facts/approvals.js';
import { gateNeeds, gateCall, gateProposal, signingRulesOf } from './gate.js';
import { askApproval, askAgain } from './ask.js';
import type { PreparedCall } from '../evidence/prepared-call.js';
import { placeOfCall } from '../step/place.js';
import { parseCall, refreshTool } from './parse.js';
import { prepareCall } from './prepare.js';
import { inspectCall, withRehearsal } from '../evidence/inspect-call.js';
import { readSnapshot } from '../step/commit.js';
import type { Runtime, Step } from '../step/runtime.js';
import { errorMessage } from '../ports/error-message.js';
import {
  compilePolicy,
  endedText,
  isNarrow,
  keyOfPattern,
  parseRule,
  patternCovers,
  type PolicyCall,
  toMatchable,
  type SigningRule,
  rulesCover,
  sessionPattern,
  splitRules,
} from '../policy/index.js';
import { newId } from '../turn/ids.js';

/** A call as an approval would apply to it now (CALL7), or why it can't be approved. */
export type DecidableCall =
  | {
      ok: true;
      /** The call as it would run: as shown, or with edited arguments. */
      call: PreparedCall;
      /** The call as shown. If its hash differs from the approval's, the call has changed since. */
      shown: PreparedCall;
      /** The world's `rev` when the call was prepared. */
      rev: number;
      /** The stored arguments at that time. If they differ now, the decision is for another version. */
      against: string;
    }
  | { ok: false; detail: string };

/**
 * Prepares the call before the step, because that may read files and rehearse the call. Undefined if there is nothing to approve, such as
 * after the decision.
 */
export async function prepareDecision(
  runtime: Runtime,
  worldId: string,
  found: { invocation: CallRecord; approval: ApprovalRecord | undefined; snapshot?: WorldSnapshot },
  sent: ToolDecision,
): Promise<DecidableCall | undefined> {
  const { invocation: record, approval } = found;
  if (sent.decision !== 'approve' || record.worldId !== worldId || approval?.status !== 'pending') return undefined;
  const snapshot = found.snapshot ?? (await readSnapshot(runtime, worldId));
  if (snapshot === undefined) return undefined;
  const missing = await refreshTool(runtime, worldId, record.toolName);
  if (missing !== undefined) return { ok: false, detail: missing };
  const tool = runtime.tools(worldId).get(record.toolName);
  try {
    const place = await placeOfCall(runtime, snapshot, record);
    let text = record.arguments;
    if (sent.arguments !== undefined) {
      const revealed = reveal(sent.arguments, maskArguments(record.arguments).secrets);
      if (!revealed.ok)
        return { ok: false, detail: `The edited call contains an unknown placeholder: ${revealed.unknown}` };
      text = JSON.stringify(revealed.value);
    }
    const parsed = parseCall(tool, record.toolName, text);
    if (sent.arguments !== undefined && !parsed.arguments.ok)
      return { ok: false, detail: `The edited call is not valid: ${parsed.arguments.error}` };
    const setting = { ...record, place };
    if (parsed.argumentsText !== record.arguments) {
      if (!takesEdits(approval)) return { ok: false, detail: TAKES_NO_EDIT };
      // Before the edit is rehearsed: it would be refused afterwards.
      const isSigned =
        approval.signing !== null || signingRulesOf(snapshot, await inspectCall(runtime, parsed, setting)).length > 0;
      if (isSigned) return { ok: false, detail: NOT_EDITABLE };
    }
    const { signal } = new AbortController();
    const call = await prepareCall(runtime, parsed, { ...setting, wasAsked: true, signal });
    let shown = call;
    if (text !== record.arguments) {
      // Only the edited call is rehearsed: a tool keeps one rehearsal for each call.
      const before = await inspectCall(runtime, parseCall(tool, record.toolName, record.arguments), setting);
      shown = withRehearsal(runtime, before, approval);
    }
    return { ok: true, call, shown, rev: snapshot.world.rev, against: record.arguments };
  } catch (error) {
    return { ok: false, detail: `could not prepare the call for approval: ${errorMessage(error)}` };
  }
}

/** Whether the call's folder, its tool or the file it would overwrite has changed since the approval was requested. */
function hasChanged({ shown }: Extract<DecidableCall, { ok: true }>, approval: ApprovalRecord): boolean {
  return shown.signed?.callHash !== approval.callHash;
}

/** Whether the approval was requested under the same rules about who must sign. */
export function isAskedUnder({ signing }: ApprovalRecord, rules: readonly SigningRule[]): boolean {
  const before = new Set(signing?.rules.map(({ rule }) => rule));
  return before.size === rules.length && rules.every(({ rule }) => before.has(rule));
}

/** The data that a step must load to decide the call. */
export function needsToDecide(decidable: DecidableCall | undefined): Partial<StepNeeds> {
  if (decidable?.ok !== true) return {};
  const { call, shown } = decidable;
  return gateNeeds(call === shown ? [call] : [call, shown]);
}

/**
 * Voids the approval and requests a new one if the call has changed since it was shown (CALL7); no grant is created. Returns false if the call is
 * unchanged, or if a rule now covers it, in which case starting the call decides.
 */
export function supersedeApproval(
  runtime: Runtime,
  step: Step,
  asked: {
    approval: ApprovalRecord;
    invocation: CallRecord;
    decidable: DecidableCall | undefined;
    rules: readonly SigningRule[];
  },
): boolean {
  const { approval, invocation, decidable, rules } = asked;
  if (decidable?.ok !== true || decidable.against !== invocation.arguments) return false;
  if (invocation.status !== 'asked') return false;
  if (!hasChanged(decidable, approval) && isAskedUnder(approval, rules)) return false;
  const { shown } = decidable;
  const gate = gateProposal(step, shown);
  if (gate.kind !== 'ask') return false;
  // Don't defer this until the call starts: a grant from the same decision would let an unseen call run.
  askAgain(runtime, step, invocation, shown, gate);
  const { chatId, id: callId } = invocation;
  const about = { chatId, callId, approvalId: approval.id };
  step.tx.write({ kind: 'approval-decided', ...about, how: 'supersede', reason: 'changed', by: SYSTEM });
  return true;
}

/** Replaces the approval of a call that a person edited: nobody has seen the edited call, so it must be shown before it can be signed (CALL7.4). */
export function askAboutEdit(
  runtime: Runtime,
  step: Step,
  asked: {
    approval: ApprovalRecord;
    invocation: CallRecord;
    edit: Extract<CheckedDecision, { kind: 'edit' }>;
    by: Signer;
  },
): void {
  const { approval, invocation, edit, by } = asked;
  const { gate, call: prepared } = edit;
  const { chatId, id: callId } = invocation;
  const { argumentsText } = prepared.call;
  step.tx.write({ kind: 'call-edited', chatId, callId, arguments: argumentsText, by });
  const edited = step.tx.invocation(callId) ?? invocation;
  askApproval(runtime, step, newId('approval'), edited, prepared, gate);
  const about = { chatId, callId, approvalId: approval.id };
  const replaced = { ...about, how: 'supersede', reason: 'edited', by: by.who, via: by.via } as const;
  step.tx.write({ kind: 'approval-decided', ...replaced, details: { arguments: argumentsText } });
}

const OPTION: Record<Scope, ApprovalOption> = {
  once: 'approve_once',
  session: 'approve_session',
  always: 'approve_always',
};

/** A valid decision with everything that must be written for it. */
export type CheckedDecision =
  | { kind: 'deny' }
  /** The edited call, which needs its own approval. */
  | { kind: 'edit'; call: PreparedCall; gate: Extract<Gate, { kind: 'ask' }> }
  | {
      kind: 'approve';
      scope: Scope;
      /** Keys to look up an unknown outcome of the same call. */
      keys: CallKeys;
      /** Fields of the decision message besides decision, scope and reason. */
      record: { grantId?: string; pattern?: string; rule?: string };
      /** Writes the grant or rule if the scope outlives this call (CALL5). */
      writeGrantOrRule(step: Step, signer: Signer): void;
    };

type Check = { ok: true; decision: CheckedDecision } | { ok: false; detail: string };

/** Accepts only options that were offered, and writes only what takes effect (CALL2, CALL5). */
export function checkDecision(
  step: Step,
  asked: { sent: ToolDecision; approval: ApprovalRecord; invocation: CallRecord; decidable: DecidableCall | undefined },
): Check {
  const { sent, approval, invocation, decidable } = asked;
  if (sent.decision === 'deny') return checkDenial(sent);
  const scope = sent.scope ?? 'once';
  if (!approval.options.includes(OPTION[scope])) return invalid(`scope: ${OPTION[scope]} is not offered for this call`);
  if (sent.pattern !== undefined && scope !== 'session') return invalid('pattern: only valid with scope session');
  if (sent.rule !== undefined && scope !== 'always') return invalid('rule: only valid with scope always');
  if (decidable === undefined) return invalid('the call no longer exists');
  if (!decidable.ok) return invalid(decidable.detail);
  if (decidable.against !== invocation.arguments) return invalid('The call changed. Review it again');
  if (sent.arguments !== undefined) return checkEdit(step, scope, approval, decidable);

  const base = { kind: 'approve' as const, scope, keys: decidable.call.keys };
  switch (scope) {
    case 'once':
      return { ok: true, decision: { ...base, record: {}, writeGrantOrRule: () => undefined } };
    case 'session':
      return checkGrant(sent, approval, decidable.call, base);
    case 'always':
      return checkRule(step, sent, approval, decidable.call.policyCall, base);
  }
}

/** A decision with arguments never runs anything, also if they are the ones that were shown (CALL7.4). */
function checkEdit(
  step: Step,
  scope: Scope,
  approval: ApprovalRecord,
  { call, against }: Extract<DecidableCall, { ok: true }>,
): Check {
  if (scope !== 'once')
    return invalid('scope: only once is valid with arguments. The edited call is shown again first');
  if (call.call.argumentsText === against)
    return invalid('Nothing was changed. To approve the call, send the decision without arguments');
  if (approval.signing !== null || signingRulesOf(step.snapshot, call).length > 0) return invalid(NOT_EDITABLE);
  const gate = gateCall(step.tx, step.snapshot, call, { decision: 'edited' });
  switch (gate.kind) {
    case 'ask':
      return { ok: true, decision: { kind: 'edit', call, gate } };
    case 'refuse':
      return invalid(`The edited call is not allowed: ${describeReason(gate.reason)}`);
    case 'run':
      throw new Error('the gate must ask about an edited call');
  }
}

const TAKES_NO_EDIT = "This call takes only a yes or no, so it can't be edited. Deny it, and say what to change";

const NOT_EDITABLE = "A rule says who must sign this call, so it can't be edited. Deny it, and say what to change";

type Approval = Omit<Extract<CheckedDecision, { kind: 'approve' }>, 'record' | 'writeGrantOrRule'>;

function checkDenial(sent: ToolDecision): Check {
  const extra = (['scope', 'arguments', 'pattern', 'rule'] as const).find((field) => sent[field] !== undefined);
  // A denial may include the redundant `scope: once`. Any other field was meant for an approval.
  if (extra !== undefined && !(extra === 'scope' && sent.scope === 'once'))
    return invalid(`${extra}: only valid with an approval`);
  return { ok: true, decision: { kind: 'deny' } };
}

/** The pattern of a grant for every call of the tool. */
const ANY = '*';

function checkGrant(
  sent: ToolDecision,
  approval: ApprovalRecord,
  { call: { tool }, policyCall }: PreparedCall,
  base: Approval,
): Check {
  const narrow = sessionPattern(policyCall);
  const given = sent.pattern ?? (narrow === undefined || maskSecrets(narrow) !== narrow ? undefined : narrow);
  if (given === undefined)
    return invalid(
      `pattern: nothing narrower than every call of ${approval.toolName} covers this call. Send "*" for that`,
    );
  if (isOutside(tool) && !isNarrow(given)) {
    return invalid(
      'pattern: this call runs outside the sandbox, so it must name the program and its options. Only ./** may have stars',
    );
  }
  const pattern = given === ANY ? null : given;
  if (pattern !== null && !patternCovers(pattern, toMatchable(policyCall)))
    return invalid('pattern: does not match this call');
  if (pattern !== null && maskSecrets(pattern) !== pattern) return invalid('pattern: must not contain a secret');
  const grantId = newId('grant');
  return {
    ok: true,
    decision: {
      ...base,
      record: { grantId, ...(pattern === null ? {} : { pattern }) },
      writeGrantOrRule: ({ tx }, { who }) => {
        const { worldId, chatId, agentId, toolName, rule: answeredRule } = approval;
        const times = { grantedAt: tx.now(), lastUsedAt: tx.now(), revokedAt: null };
        const { folder } = policyCall;
        const about = { worldId, chatId, agentId, toolName, folder, pattern, answeredRule, grantedBy: whoText(who) };
        tx.write({ kind: 'grant-given', grant: { id: grantId, ...about, ...times }, key: keyOfPattern(pattern) });
      },
    },
  };
}

function checkRule(step: Step, sent: ToolDecision, approval: ApprovalRecord, call: PolicyCall, base: Approval): Check {
  const rule = sent.rule ?? approval.proposedRule ?? undefined;
  if (rule === undefined) return invalid('rule: no rule can be proposed for this call. Write one');
  const now = step.tx.now();
  const rules = splitRules(rule).map((line) => settleEnd(line, now));
  const parseError = parseErrorIn(rules);
  if (parseError !== undefined) return invalid(`rule: ${parseError}`);
  const ended = rules.map((text) => endedIn(text, now)).find((problem) => problem !== undefined);
  if (ended !== undefined) return invalid(`rule: ${ended}`);
  const { policy, adminPolicy } = step.snapshot;
  if (!rulesCover(rules, [policy, adminPolicy], call)) return invalid('rule: does not match this call');
  if (maskSecrets(rule) !== rule) return invalid('rule: must not contain a secret');
  return {
    ok: true,
    decision: {
      ...base,
      record: { rule: rules.join('\n') },
      writeGrantOrRule: (step, signer) => {
        const { policy } = step.snapshot.world;
        const added = [...new Set(rules)].filter((each) => !policy.includes(each));
        if (added.length === 0) return;
        const { worldId, chatId, invocationId: callId } = approval;
        step.tx.write({
          kind: 'rules-added',
          worldId,
          chatId,
          callId,
          policy: [...policy, ...added],
          added,
          by: signer,
        });
      },
    },
  };
}

function endedIn(text: string, now: number): string | undefined {
  const parsed = parseRule(text);
  return parsed.ok ? endedText(parsed.rule, now) : undefined;
}

function parseErrorIn(rules: readonly string[]): string | undefined {
  const compiled = compilePolicy(rules);
  if (compiled.ok) return undefined;
  const line = rules.length === 1 ? '' : `line ${compiled.index + 1}, `;
  return `${compiled.error} (at ${line}character ${compiled.position + 1})`;
}

function invalid(detail: string): Check {
  return { ok: false, detail };
}
