import { defaultMessage, mapReason, type Question } from '@countersign/protocol';
import type { Gate } from '../approval/index.js';
import type { Card } from '../facts/fact.js';
import { fillMessage, maskArguments, maskSecrets, maskText, maskValue } from '../masking/index.js';
import type { InvocationRecord, Tool } from '../ports/index.js';
import { textOf } from '../ports/words-of.js';
import { capText } from '../results/index.js';
import type { Step } from '../step/runtime.js';
import { newId } from '../turn/ids.js';
import type { ReadCall } from './read-call.js';
import type { SignedCall } from './sign-call.js';

type Ask = Extract<Gate, { kind: 'ask' }>;

/** Asks people whether a call may run or, with `question`, what to answer it. */
export function askApproval(
  step: Step,
  approvalId: string,
  invocation: InvocationRecord,
  asked: { tool: Tool | undefined; gate: Ask; signed: SignedCall | undefined; question?: Question | undefined },
): void {
  const { tool, signed } = asked;
  if (tool === undefined || signed === undefined) throw new Error('a call that can not be signed must not be asked');
  const { callHash, workingDirectory, sandbox, preview } = signed;
  const { value: shown, secrets } = maskArguments(invocation.arguments);
  const { reason, options, rule, proposedRule } = withoutSecrets(asked.gate, secrets);
  // What an untrusted tool says of itself does not count, least of all on the card that people sign (A1).
  const template = tool.trusted ? tool.definition.approval?.message : undefined;
  const words = asked.question === undefined ? undefined : showQuestion(asked.question, secrets);
  requestApproval(step, approvalId, invocation, {
    message: words?.text ?? fillMessage(template ?? defaultMessage(tool.definition.name), shown),
    options,
    callHash,
    workingDirectory,
    sandbox,
    preview,
    question: words === undefined ? null : { ...words, raisedBy: 'call' },
    proposedRule: proposedRule ?? null,
    reason,
    rule: rule ?? null,
  });
}

/** The call, its folder, what it would overwrite or the rules changed since it was shown or approved: a yes was for something else. */
export function askAgain(
  step: Step,
  invocation: InvocationRecord,
  { tool }: ReadCall,
  gate: Ask,
  signed: SignedCall,
): void {
  const changedSince = invocation.status === 'asked' ? 'shown' : 'approved';
  const reason = invocation.callHash === null ? gate.reason : ({ ...gate.reason, changedSince } as const);
  askApproval(step, newId('approval'), invocation, { tool, gate: { ...gate, reason }, signed });
}

/** Puts a card to people, with the deadline of the world. */
export function requestApproval(
  { tx, snapshot }: Step,
  approvalId: string,
  { id: callId, chatId }: InvocationRecord,
  card: Card,
): void {
  const timeout = snapshot.world.settings.approvalTimeoutMs;
  const expiresAt = timeout === undefined ? null : tx.now() + timeout;
  tx.write({ kind: 'approval-requested', chatId, callId, approvalId, card, expiresAt });
}

/**
 * A rule that would show a secret of the call can't be proposed, nor stored (A15); a person can still write one. Why it is
 * asked may quote the call, a rule or the words of a tool that failed.
 */
function withoutSecrets(gate: Ask, secrets: readonly string[]): Ask {
  const reason = mapReason(gate.reason, (text) => maskText(text, { alreadyKnown: secrets }).value);
  const { proposedRule, ...rest } = { ...gate, reason };
  if (proposedRule === undefined) return rest;
  const tells = secrets.some((secret) => proposedRule.includes(secret)) || maskSecrets(proposedRule) !== proposedRule;
  if (!tells) return { ...rest, proposedRule };
  return { ...rest, options: gate.options.filter((option) => option !== 'approve_always') };
}

/** What nobody reads on a card. */
const TEXT_LIMIT_BYTES = 16 * 1024;
const CHOICE_LIMIT_BYTES = 1024;
const MOST_CHOICES = 50;

/** A question as people see it: masked like a call's arguments and truncated. */
export function showQuestion({ text, choices }: Question, secrets: readonly string[]): Question {
  const known = { alreadyKnown: secrets };
  const shown = (part: unknown, limit: number): string => {
    const { value } = maskValue(capText(textOf(part), limit), known);
    return textOf(value);
  };
  return {
    text: shown(text, TEXT_LIMIT_BYTES),
    choices: (choices ?? []).slice(0, MOST_CHOICES).map((choice) => shown(choice, CHOICE_LIMIT_BYTES)),
  };
}
