import {
  describeNeed,
  describeSigners,
  type NeededSignatures,
  type Principal,
  type SignedDecision,
  type Signer,
  type Who,
} from '@countersign/protocol';
import { agentMayAskFor, type SigningRule } from '../policy/index.js';
import type { ApprovalRecord, CallRecord, TurnRecord } from '../ports/index.js';
import { retry } from '../step/commit.js';
import type { Step } from '../step/runtime.js';
import {
  counts,
  hasSigned,
  isSigned,
  judgeSignatures,
  maySign,
  mustUsePasskey,
  principalOf,
  requestersOf,
  showNeed,
  signaturesOf,
  type SigningInput,
} from '../requirements/needed-signatures.js';
import { reviewersFor } from '../call/gate.js';
import { findProblem, findReceiptProblem, type VerifiedReceipt } from '../requirements/check-receipt.js';

/**
 * What a person's approval means for a call under rules that say who must sign. `needs` includes this signature; `principal` is the person whose
 * right to sign it uses (SIGN4).
 */
export type JudgedSignature =
  | { kind: 'last' | 'more-needed'; needs: readonly NeededSignatures[]; principal: Principal | undefined }
  /** This person has signed already. */
  | { kind: 'repeated' }
  | { kind: 'refused'; detail: string };

/** Judges a signature in the step that writes it, with the people and groups of that step (SIGN1). */
export function judgeSignature(
  step: Step,
  asked: {
    approval: ApprovalRecord;
    invocation: CallRecord;
    turn: Pick<TurnRecord, 'requester'>;
    rules: readonly SigningRule[];
    signer: Signer;
    receipt: VerifiedReceipt | undefined;
  },
): JudgedSignature {
  const { approval, invocation, turn, rules, signer, receipt } = asked;
  // A rule was added since the call was read.
  const people = step.tx.signers() ?? retry();
  const { who, via } = signer;
  const problem =
    receipt === undefined ? undefined : findReceiptProblem(receipt, { approval, invocation, signer, people });
  if (problem !== undefined) return { kind: 'refused', detail: problem };
  const signed = approval.signing === null ? [] : signaturesOf(approval.signing);
  const reviewers = reviewersFor(step, approval, rules);
  const { toolName } = approval;
  const about = { rules, requesters: requestersOf(turn, invocation), people, toolName, reviewers, signed };
  return judgeAnother(about, { who, via, passkey: receipt?.passkeyId });
}

/** Judges a signature of several calls together: it must meet the rules of all of them, and no requester of one of them counts (CHANGE11). */
export function judgeBatchSignature(
  step: Step,
  asked: Omit<SigningInput, 'people' | 'toolName' | 'reviewers'> & { toolNames: readonly string[] },
  {
    signer,
    receipt,
    expected,
  }: {
    signer: Signer;
    receipt: VerifiedReceipt | undefined;
    expected: (salt: string) => Omit<SignedDecision, 'nonce'>;
  },
): JudgedSignature {
  const people = step.tx.signers() ?? retry();
  const problem = receipt === undefined ? undefined : findProblem(receipt, expected, { signer, people });
  if (problem !== undefined) return { kind: 'refused', detail: problem };
  const { toolNames, ...about } = asked;
  const [toolName = ''] = toolNames;
  // A delegation must be for every call.
  const delegations = people.delegations.filter(({ tools }) => toolNames.every((name) => agentMayAskFor(tools, name)));
  const { who, via } = signer;
  return judgeAnother(
    { ...about, toolName, people: { ...people, delegations } },
    { who, via, passkey: receipt?.passkeyId },
  );
}

/** `passkey`: the id of one whose receipt was verified. */
function judgeAnother(
  { signed, ...about }: SigningInput,
  { who, via, passkey: passkeyId }: { who: Who; via: string; passkey: string | undefined },
): JudgedSignature {
  const { rules } = about;
  const before = judgeSignatures({ ...about, signed });
  // Complete already if someone who had signed may sign again. Anyone whose signature counts can then finish it.
  const isComplete = isSigned(before);
  if (!isComplete && !maySign(before, who) && hasSigned(before, who)) return { kind: 'repeated' };
  const isAccepted = isComplete ? before.some((state) => counts(state, who)) : maySign(before, who);
  if (!isAccepted) return { kind: 'refused', detail: refusal(before.map(showNeed), who) };
  const needsPasskey = isComplete ? rules.some(({ by }) => by.passkey === true) : mustUsePasskey(before, who);
  if (passkeyId === undefined && needsPasskey) return { kind: 'refused', detail: NEEDS_PASSKEY };
  const passkey = passkeyId === undefined ? {} : { passkey: passkeyId };
  const principal = principalOf(before, who);
  const given = { ...who, via, ...passkey, ...(principal === undefined ? {} : { for: principal }) };
  const after = judgeSignatures({ ...about, signed: [...signed, given] });
  if (principal !== undefined && !hasSigned(after, who)) return { kind: 'refused', detail: unconfirmed(principal) };
  return { kind: isSigned(after) ? 'last' : 'more-needed', needs: after.map(showNeed), principal };
}

const NEEDS_PASSKEY = 'a rule requires a signature with a passkey. Open the call in a browser and sign it there';

function unconfirmed({ name }: Principal): string {
  return `the OIDC provider hasn't confirmed within the last hour that ${name} may still sign. Try again later`;
}

/** Says who may sign instead (HTTP14). */
function refusal(needs: readonly NeededSignatures[], { kind, name }: Who): string {
  const who = kind === 'person' ? `${name} can't sign this call` : `a rule says which people must sign this call`;
  const others = describeSigners(needs);
  const open = needs.filter(({ count, signed }) => signed.length < count).map(describeNeed);
  return others === '' ? `${who}. ${open.join('. ')}` : `${who}. ${open.join('. ')}. Ask ${others}`;
}
