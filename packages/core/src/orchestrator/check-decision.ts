import type { ApprovalOption, Scope, Signer, ToolDecision } from '@countersign/protocol';
import type { ApprovalRecord, InvocationRecord } from '../ports/index.js';
import { maskSecrets, reveal } from '../masking/index.js';
import { compilePolicy, coversCall, patternCovers, type PolicyCall } from '../policy/index.js';
import { newId } from '../turn/ids.js';
import { gateCall, readCall, signCall, subjectsOf, type ReadCall, type SignedCall } from './gate-call.js';
import type { Place, Runtime, Step } from './runtime.js';
import { maskArguments } from './tool-events.js';
import { wordsOf } from './words-of.js';

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
      callHash: string;
      /** What the decision message tells beyond decision, scope and reason. */
      record: { arguments?: string; callHash?: string; grantId?: string; pattern?: string; rule?: string };
      /** Writes the grant or the rule, if the scope outlives this call (A5). */
      remember(step: Step, signer: Signer): Promise<void>;
    };

/**
 * The call as it would run with edited arguments, signed (A7). `against` is the text it was edited from, and `shown` the call as
 * it was shown, signed here and now: another hash than the question's means that it has become something else.
 */
export type Edit =
  | {
      ok: true;
      call: ReadCall;
      callHash: string;
      place: Place;
      against: string;
      shown: { call: ReadCall; signed: SignedCall };
    }
  | { ok: false; detail: string };

/** Reads and signs edited arguments before the transaction; undefined when there are none or nothing to edit. */
export async function readEdit(runtime: Runtime, worldId: string, sent: ToolDecision): Promise<Edit | undefined> {
  const found = await runtime.store.read(async (reader) => {
    const snapshot = await runtime.snapshots(reader, worldId);
    const approval = await reader.approval(sent.tool_call_id);
    const invocation = await reader.invocation(approval?.invocationId ?? sent.tool_call_id);
    return snapshot === undefined || invocation === undefined ? undefined : { snapshot, invocation };
  });
  if (found === undefined || found.invocation.worldId !== worldId || sent.decision !== 'approve') return undefined;
  const { invocation, snapshot } = found;
  const tool = runtime.tools(worldId).get(invocation.toolName);
  try {
    const place = await runtime.findPlace(snapshot);
    let text = invocation.arguments;
    if (sent.arguments !== undefined) {
      const revealed = reveal(sent.arguments, maskArguments(invocation.arguments).secrets);
      if (!revealed.ok) return { ok: false, detail: `arguments: ${revealed.unknown} stands for nothing in this call` };
      text = JSON.stringify(revealed.value);
    }
    const call = readCall(tool, invocation.toolName, text);
    if (sent.arguments !== undefined && !call.arguments.ok)
      return { ok: false, detail: `arguments: ${call.arguments.error}` };
    const signed = await signCall(runtime, call, { ...invocation, place });
    let shown = { call, signed };
    if (text !== invocation.arguments) {
      const before = readCall(tool, invocation.toolName, invocation.arguments);
      shown = { call: before, signed: await signCall(runtime, before, { ...invocation, place }) };
    }
    return { ok: true, call, callHash: signed.callHash, place, against: invocation.arguments, shown };
  } catch (error) {
    return { ok: false, detail: `the call could not be signed: ${wordsOf(error)}` };
  }
}

type Check = { ok: true; decision: CheckedDecision } | { ok: false; detail: string };

/** Only what was offered can be chosen, and only what would take effect is written (A2, A5). */
export async function checkDecision(
  step: Step,
  asked: { sent: ToolDecision; approval: ApprovalRecord; invocation: InvocationRecord; edit: Edit | undefined },
): Promise<Check> {
  const { sent, approval, invocation, edit } = asked;
  if (sent.decision === 'deny') return checkDenial(sent);
  const scope = sent.scope ?? 'once';
  if (!approval.options.includes(OPTION[scope])) return no(`scope: ${OPTION[scope]} is not offered for this call`);
  if (sent.pattern !== undefined && scope !== 'session') return no('pattern: a pattern goes with scope session');
  if (sent.rule !== undefined && scope !== 'always') return no('rule: a rule goes with scope always');
  if (edit === undefined) return no('the call is no longer there');
  if (!edit.ok) return no(edit.detail);
  if (edit.against !== invocation.arguments) return no('arguments: the call changed meanwhile; look at it again');

  const edited = edit.call.argumentsText !== invocation.arguments;
  const policyCall: PolicyCall = {
    tool: invocation.toolName,
    subjects: subjectsOf(edit.call, edit.place),
    place: edit.place,
  };
  if (edited) {
    const gate = await gateCall(step.tx, step.snapshot, edit.call, {
      ...invocation,
      place: edit.place,
      decision: 'approved',
    });
    if (gate.kind === 'refuse') return no(`arguments: ${gate.reason}`);
  }
  const base = {
    kind: 'approve' as const,
    scope,
    edited,
    argumentsText: edit.call.argumentsText,
    // Signed is what was shown, or an edit of it; if the world changed since, starting it finds out (A7).
    callHash: edited && !hasChanged(edit, approval) ? edit.callHash : approval.callHash,
  };
  const changed = edited ? { arguments: base.argumentsText, callHash: base.callHash } : {};
  switch (scope) {
    case 'once':
      return { ok: true, decision: { ...base, record: changed, remember: async () => undefined } };
    case 'session':
      return checkGrant(sent, approval, policyCall, base, changed);
    case 'always':
      return checkRule(sent, approval, edited, policyCall, base, changed);
  }
}

/** Its folder, its tool or what it would overwrite is not what it was when the question was put. */
export function hasChanged(edit: Extract<Edit, { ok: true }>, approval: ApprovalRecord): boolean {
  return edit.shown.signed.callHash !== approval.callHash;
}

type Approval = Omit<Extract<CheckedDecision, { kind: 'approve' }>, 'record' | 'remember'>;
type Changed = { arguments?: string; callHash?: string };

function checkDenial(sent: ToolDecision): Check {
  const extra = (['scope', 'arguments', 'pattern', 'rule'] as const).find((field) => sent[field] !== undefined);
  // `scope: once` says nothing more than deny does; anything else would have been meant for an approval.
  if (extra !== undefined && !(extra === 'scope' && sent.scope === 'once'))
    return no(`${extra}: goes with an approval, not with a denial`);
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
  if (pattern !== undefined && !patternCovers(pattern, call)) return no('pattern: does not match this call');
  if (pattern !== undefined && maskSecrets(pattern) !== pattern) return no('pattern: must not hold a secret');
  const grantId = newId('grant');
  return {
    ok: true,
    decision: {
      ...base,
      record: { ...changed, grantId, ...(pattern === undefined ? {} : { pattern }) },
      remember: async (step, signer) => {
        await step.tx.insertGrant({
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
        });
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
  sent: ToolDecision,
  approval: ApprovalRecord,
  edited: boolean,
  call: PolicyCall,
  base: Approval,
  changed: Changed,
): Check {
  const rule = sent.rule ?? (edited ? undefined : (approval.proposedRule ?? undefined));
  if (rule === undefined) return no('rule: no rule can be proposed for this call; write one');
  if (!compilePolicy([rule]).ok || !coversCall(rule, call)) return no('rule: does not match this call');
  if (maskSecrets(rule) !== rule) return no('rule: must not hold a secret');
  return {
    ok: true,
    decision: {
      ...base,
      record: { ...changed, rule },
      remember: async (step, signer) => {
        const { policy } = step.snapshot.world;
        if (policy.includes(rule)) return;
        await step.tx.updateWorld(approval.worldId, { policy: [...policy, rule] });
        step.tx.emit({
          event: 'crud',
          chatId: null,
          data: { operation: 'update', entity: 'policy', id: approval.worldId },
        });
        step.tx.record({
          kind: 'policy',
          rule,
          decision: 'added',
          why: 'approved always',
          who: signer.who,
          client: signer.client,
          chatId: approval.chatId,
          invocationId: approval.invocationId,
          agentId: approval.agentId,
          tool: approval.toolName,
        });
      },
    },
  };
}

function no(detail: string): Check {
  return { ok: false, detail };
}
