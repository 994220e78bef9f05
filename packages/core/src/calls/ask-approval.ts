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

/** Asks people to approve a call or, with `question`, to answer it. */
export function askApproval(
  step: Step,
  approvalId: string,
  invocation: InvocationRecord,
  asked: { tool: Tool | undefined; gate: Ask; signed: SignedCall | undefined; question?: Question | undefined },
): void {
  const { tool, signed } = asked;
  if (tool === undefined || signed === undefined) throw new Error("a call that can't be signed can't be approved");
  const { callHash, workingDirectory, sandbox, preview } = signed;
  const { value: shown, secrets } = maskArguments(invocation.arguments);
  const { reason, options, rule, proposedRule } = withoutSecrets(asked.gate, secrets);
  // Untrusted tools don't get to write text on the approval card (A1).
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

/** Asks again if the call, its folder, the files it would overwrite or the rules changed since it was shown or approved. */
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

/** Shows an approval card to people, with the world's deadline. */
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
 * Masks the reason, which may quote the call, a rule or a tool's error. A proposed rule that contains a secret is dropped (A15);
 * a person can still write one.
 */
function withoutSecrets(gate: Ask, secrets: readonly string[]): Ask {
  const reason = mapReason(gate.reason, (text) => maskText(text, { alreadyKnown: secrets }).value);
  const { proposedRule, ...rest } = { ...gate, reason };
  if (proposedRule === undefined) return rest;
  const tells = secrets.some((secret) => proposedRule.includes(secret)) || maskSecrets(proposedRule) !== proposedRule;
  if (!tells) return { ...rest, proposedRule };
  return { ...rest, options: gate.options.filter((option) => option !== 'approve_always') };
}

/** Limits for text on a card. */
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
