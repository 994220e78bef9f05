import { callDigest } from '@countersign/core';
import type { AuditEntry, PinnedPasskey, SignedDecision, StoredReceipt } from '@countersign/protocol';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSoftPasskey, type SoftPasskey } from '../testing/soft-passkey.js';
import { challengeFor } from './challenge-for.js';
import { createReceiptCheck, type ReceiptProblem } from './create-receipt-check.js';

const [ada, bob] = [createSoftPasskey('ed25519'), createSoftPasskey('p-256')];
const pin = ({ credentialId, rpId, publicKey }: SoftPasskey, person: string): PinnedPasskey => ({
  kind: 'countersign-passkey',
  version: 1,
  person,
  name: 'Test key',
  credentialId,
  rpId,
  publicKey,
});
const PINNED = [pin(ada, 'ada'), pin(bob, 'bob')];

const RULE = 'ask pay with passkey';
const CALL = { chatId: 'chat', agentId: 'cashier', invocationId: 'call-1', tool: 'pay', arguments: { amount: 5 } };

type Record = AuditEntry & { receipt?: StoredReceipt };

function record(more: Partial<AuditEntry> = {}): Record {
  return {
    seq: 1,
    hash: '',
    previousHash: '',
    at: '2026-01-01T00:00:00.000Z',
    worldId: 'bank',
    kind: 'decision',
    decision: 'approve',
    scope: 'once',
    who: { kind: 'person', id: 'ada', name: 'Ada' },
    rule: RULE,
    ...CALL,
    ...more,
  };
}

function receiptOf(soft: SoftPasskey, change: Partial<SignedDecision> = {}): StoredReceipt {
  const salt = randomBytes(32).toString('hex');
  const signed: SignedDecision = {
    call: callDigest(salt, { ...CALL, callHash: 'keyed' }),
    salt,
    decision: 'approve',
    scope: 'once',
    approvalId: 'approval-1',
    nonce: randomBytes(32).toString('base64url'),
    ...change,
  };
  const assertion = soft.sign(challengeFor(signed).toString('base64url'));
  const { publicKey, rpId } = soft;
  return { version: 1, signed, ...assertion, callHash: 'keyed', publicKey, rpId };
}

/** The problems of the records, in order. */
function check(records: readonly Record[], pinned: readonly PinnedPasskey[] | undefined = PINNED) {
  return records.map(createReceiptCheck(pinned));
}

const signed = (more: Partial<AuditEntry> = {}): Record => record({ receipt: receiptOf(ada), ...more });
const BOB = { who: { kind: 'person', id: 'bob', name: 'Bob' } } as const;

describe('[SIGN2.10] the receipts of a log', () => {
  it('are valid with pinned keys, and with the keys in the log', () => {
    expect(check([signed()])).toEqual([undefined]);
    expect(createReceiptCheck(undefined)(signed())).toBeUndefined();
  });

  it.each<[string, Partial<AuditEntry>, ReceiptProblem]>([
    ['other arguments', { arguments: { amount: 500 } }, 'other-call'],
    ['another tool', { tool: 'refund' }, 'other-call'],
    ['another agent', { agentId: 'clerk' }, 'other-call'],
    ['another chat', { chatId: 'other' }, 'other-call'],
    ['another call', { invocationId: 'call-2' }, 'other-call'],
    ['another decision', { decision: 'deny' }, 'other-decision'],
    ['another scope', { scope: 'always' }, 'other-decision'],
    ['another signer', BOB, 'other-signer'],
    ['a token as its signer', { who: { kind: 'token', id: 'ada', name: 'Ada' } }, 'other-signer'],
    ['an agent as its signer', { who: { kind: 'agent', id: 'ada', name: 'Ada' } }, 'other-signer'],
  ])('are refused in a record with %s', (_change, change, problem) => {
    expect(check([signed(change)])).toEqual([problem]);
    // Without pinned keys, the first receipt says whose passkey it is.
    expect([signed(), signed(change)].map(createReceiptCheck(undefined))).toEqual([undefined, problem]);
  });

  it.each<[string, (receipt: StoredReceipt) => StoredReceipt, ReceiptProblem]>([
    ['another keyed hash', (r) => ({ ...r, callHash: 'other' }), 'other-call'],
    ['another approval', (r) => ({ ...r, signed: { ...r.signed, approvalId: 'approval-2' } }), 'other-challenge'],
    ['another nonce', (r) => ({ ...r, signed: { ...r.signed, nonce: 'A'.repeat(43) } }), 'other-challenge'],
    ['another signature', (r) => ({ ...r, signature: receiptOf(ada).signature }), 'wrong-signature'],
    ["another passkey's id", (r) => ({ ...r, credentialId: bob.credentialId }), 'wrong-signature'],
    ['an unknown passkey', () => receiptOf(createSoftPasskey()), 'unknown-passkey'],
    [
      'a key that the forger made, under the id of the passkey',
      () => ({ ...receiptOf(createSoftPasskey()), credentialId: ada.credentialId }),
      'wrong-signature',
    ],
    ['a signature for another call', () => receiptOf(ada, { call: 'a'.repeat(64) }), 'other-call'],
    ['a signature for another decision', () => receiptOf(ada, { decision: 'deny' }), 'other-decision'],
  ])('are refused with %s', (_change, change, problem) => {
    expect(check([record({ receipt: change(receiptOf(ada)) })])).toEqual([problem]);
  });

  it('are refused if they were used before', () => {
    const first = signed();
    expect(check([first, first])).toEqual([undefined, 'used-before']);
  });

  it('are required for approvals under a rule with a passkey, and for nothing else', () => {
    expect(check([record()])).toEqual(['not-signed']);
    expect(check([record({ rule: 'ask pay by @ada with passkey' })])).toEqual(['not-signed']);
    expect(check([record({ rule: 'ask pay' })])).toEqual([undefined]);
    expect(check([record({ decision: 'deny' }), record({ decision: 'expired' })])).toEqual([undefined, undefined]);
    const { receipt: _, ...later } = signed({ invocationId: 'call-2' });
    expect(check([signed(), later])).toEqual([undefined, 'not-signed']);
  });

  it('must come from as many people as the rule says, for one approval', () => {
    const rule = 'ask pay by 2 of @finance with passkey';
    const first = signed({ kind: 'sign', rule });
    const last = (approvalId: string): Record => record({ ...BOB, rule, receipt: receiptOf(bob, { approvalId }) });
    expect(check([first, last('approval-1')])).toEqual([undefined, undefined]);
    expect(check([last('approval-1')])).toEqual(['not-signed']);
    expect(check([first, last('approval-2')])).toEqual([undefined, 'not-signed']);
    expect(check([first, signed({ rule })])).toEqual([undefined, 'not-signed']);
  });

  it('may be missing if another rule needed the last signature, or the rule was removed', () => {
    const { receipt: _, ...last } = record(BOB);
    expect(check([signed({ kind: 'sign' }), last])).toEqual([undefined, undefined]);
    const changed = (decision: string): Record => record({ kind: 'policy', decision });
    expect(check([changed('removed'), record()])).toEqual([undefined, undefined]);
    expect(check([changed('removed'), changed('added'), record()])).toEqual([undefined, undefined, 'not-signed']);
  });
});
