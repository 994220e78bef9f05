import { callDigest, parseRule } from '@countersign/core';
import type { AuditEntry, PinnedPasskey, StoredReceipt } from '@countersign/protocol';
import type { AssertionProblem, VerifyingKey } from './verify-assertion.js';
import { verifyReceipt } from './verify-receipt.js';

/** Why the signatures of an audit record can't be accepted. */
export type ReceiptProblem =
  | AssertionProblem
  | 'other-call'
  | 'other-decision'
  | 'other-signer'
  | 'used-before'
  /** Approved under a rule `with passkey`, without enough signatures. */
  | 'not-signed';

type Key = VerifyingKey & { person: string };

/**
 * Verifies the receipts of a log, record by record in order (SIGN2.10). Without pinned keys, the first receipt of a passkey says which key it has and
 * whose it is: then a log that was rewritten with other keys looks valid.
 */
export function createReceiptCheck(
  pinned: readonly PinnedPasskey[] | undefined,
): (entry: AuditEntry) => ReceiptProblem | undefined {
  const keys = new Map<string, Key>(pinned?.map((key) => [key.credentialId, key]));
  const nonces = new Set<string>();
  /** The people who signed each approval of a call. */
  const signers = new Map<string, Map<string, Set<string>>>();
  const removedRules = new Set<string>();

  const findProblem = (entry: AuditEntry, receipt: StoredReceipt): ReceiptProblem | undefined => {
    const { callHash: _, publicKey, rpId, ...signature } = receipt;
    const { signed, credentialId } = signature;
    const person = typeof entry.who === 'object' && entry.who.kind === 'person' ? entry.who.id : undefined;
    if (person === undefined) return 'other-signer';
    if (pinned === undefined && !keys.has(credentialId))
      keys.set(credentialId, { credentialId, publicKey, rpId, person });
    const verdict = verifyReceipt(signature, [...keys.values()]);
    if (!verdict.ok) return verdict.problem;
    if (verdict.passkey.person !== person) return 'other-signer';
    if (entry.decision !== signed.decision || entry.scope !== signed.scope) return 'other-decision';
    const { call, calls, nonce } = signed;
    if (!(calls ?? [call]).includes(digestOf(entry, receipt) ?? '')) return 'other-call';
    // One signature approves all calls of a batch, each of them once.
    const use = calls === undefined ? nonce : `${nonce} ${entry.invocationId}`;
    if (nonces.has(use)) return 'used-before';
    nonces.add(use);
    const approvals = signers.get(entry.invocationId ?? '') ?? new Map<string, Set<string>>();
    signers.set(entry.invocationId ?? '', approvals);
    approvals.set(signed.approvalId, (approvals.get(signed.approvalId) ?? new Set()).add(person));
    return undefined;
  };

  return (entry) => {
    const { kind, decision, rule, receipt, invocationId = '' } = entry;
    if (kind === 'policy' && rule !== undefined) {
      if (decision === 'removed') removedRules.add(rule);
      else removedRules.delete(rule);
    }
    const problem = receipt === undefined ? undefined : findProblem(entry, receipt);
    if (problem !== undefined) return problem;
    // A call that was requested under a rule can be approved after the rule was removed.
    if (kind !== 'decision' || decision !== 'approve' || rule === undefined || removedRules.has(rule)) return undefined;
    const counts = [...(signers.get(invocationId)?.values() ?? [])].map(({ size }) => size);
    return Math.max(0, ...counts) < passkeysFor(rule) ? 'not-signed' : undefined;
  };
}

function digestOf(entry: AuditEntry, { callHash, signed: { salt } }: StoredReceipt): string | undefined {
  const { chatId, agentId, invocationId, tool } = entry;
  if (chatId === undefined || agentId === undefined || invocationId === undefined || tool === undefined)
    return undefined;
  return callDigest(salt, { callHash, chatId, agentId, invocationId, tool, arguments: entry.arguments });
}

/** How many people must sign with a passkey under a rule. */
function passkeysFor(rule: string): number {
  const parsed = parseRule(rule);
  if (parsed.ok) return parsed.rule.by?.passkey === true ? parsed.rule.by.count : 0;
  // Masking can make a rule unreadable.
  return /\swith\s+passkey\s*$/.test(rule) ? 1 : 0;
}
