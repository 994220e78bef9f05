import { defaultMessage, describeReason, mapReason, type Question } from '@countersign/protocol';
import type { Gate } from '../approval/index.js';
import { fillMessage, maskArguments, maskSecrets, maskText } from '../masking/index.js';
import type { InvocationRecord, Tool } from '../ports/index.js';
import type { SignedCall } from './gate-call.js';
import { showQuestion } from './show-question.js';
import type { Runtime, Step } from '../step/runtime.js';
import { auditOf, emitToolEvent } from '../step/tool-events.js';
import { writeApproval } from './write-approval.js';

/**
 * Puts the question to people, as a standard tool call that is saved before it is published (A3).
 * The invocation must already stand as `asked` with this approval's id.
 */
export function askApproval(
  runtime: Runtime,
  step: Step,
  question: {
    approvalId: string;
    invocation: InvocationRecord;
    tool: Tool;
    gate: Extract<Gate, { kind: 'ask' }>;
    signed: SignedCall;
    /** The call is this question, and waits for words. */
    words?: Question;
  },
): void {
  const { approvalId, invocation, tool } = question;
  const { callHash, workingDirectory, sandbox, preview } = question.signed;
  const { value: shown, secrets } = maskArguments(invocation.arguments);
  const gate = withoutSecrets(question.gate, secrets);
  const rule = gate.rule === undefined ? null : { asWritten: gate.rule, shown: maskSecrets(gate.rule) };
  // What an untrusted tool says of itself does not count, least of all on the card that people sign (A1).
  const template = tool.trusted ? tool.definition.approval?.message : undefined;
  const words = question.words === undefined ? undefined : showQuestion(question.words, secrets);
  const card = {
    message: words?.text ?? fillMessage(template ?? defaultMessage(tool.definition.name), shown),
    options: gate.options,
    callHash,
    workingDirectory,
    sandbox,
    preview,
    question: words === undefined ? null : { ...words, raisedBy: 'call' as const },
    reason: gate.reason,
    rule,
    proposedRule: gate.proposedRule ?? null,
  };
  writeApproval(runtime, step, approvalId, { invocation, shown, card });
  emitToolEvent(step, invocation, {
    type: 'TOOL_APPROVAL_REQUESTED',
    arguments: shown,
    approval_id: approvalId,
    ...(words === undefined ? {} : { question: words }),
  });
  step.tx.record({
    kind: 'request',
    ...auditOf(invocation),
    why: describeReason(gate.reason),
    ...(rule === null ? {} : { rule: rule.shown }),
  });
}

/**
 * A rule that would show a secret of the call can't be proposed, nor stored (A15); a person can still write one. Why it is
 * asked may quote the call, a rule or the words of a tool that failed.
 */
function withoutSecrets(
  gate: Extract<Gate, { kind: 'ask' }>,
  secrets: readonly string[],
): Extract<Gate, { kind: 'ask' }> {
  const reason = mapReason(gate.reason, (text) => maskText(text, { alreadyKnown: secrets }).value);
  const { proposedRule, ...rest } = { ...gate, reason };
  if (proposedRule === undefined) return rest;
  const tells = secrets.some((secret) => proposedRule.includes(secret)) || maskSecrets(proposedRule) !== proposedRule;
  if (!tells) return { ...rest, proposedRule };
  return { ...rest, options: gate.options.filter((option) => option !== 'approve_always') };
}
