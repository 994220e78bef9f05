import { createHash, randomBytes } from 'node:crypto';
import type { Receipt, SignedDecision } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { createSoftPasskey } from '../testing/soft-passkey.js';
import { challengeFor } from './challenge-for.js';
import { verifyReceipt } from './verify-receipt.js';
import type { AssertionProblem, VerifyingKey } from './verify-assertion.js';

const ORIGIN = 'http://localhost:4300';
const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const SIGNED: SignedDecision = {
  call: hexOf('["rm","notes/scratch.tmp"]'),
  salt: hexOf('salt'),
  effect: hexOf('effect'),
  decision: 'approve',
  scope: 'once',
  approvalId: 'approval-1',
  nonce: randomBytes(24).toString('base64url'),
};

describe.each(['ed25519', 'p-256'] as const)('[SIGN2] [SIGN2.1] a receipt signed with %s', (kind) => {
  const soft = createSoftPasskey(kind);
  const { credentialId, publicKey, rpId } = soft;
  const passkey: VerifyingKey = { credentialId, publicKey, rpId, origins: [ORIGIN] };
  const signReceipt = (parts: Parameters<typeof soft.sign>[1] = {}): Receipt => ({
    version: 1,
    signed: SIGNED,
    ...soft.sign(challengeFor(SIGNED).toString('base64url'), parts),
  });
  const receipt = signReceipt();
  const problemOf = (changed: unknown, passkeys = [passkey]): AssertionProblem | 'none' => {
    const verdict = verifyReceipt(changed, passkeys);
    return verdict.ok ? 'none' : verdict.problem;
  };

  it('is accepted', () => {
    expect(verifyReceipt(receipt, [passkey])).toEqual({ ok: true, passkey });
  });

  const other = hexOf('other');
  const { effect: _effect, ...withoutEffect } = SIGNED;
  const signedChanges: readonly [string, SignedDecision][] = [
    ['another call', { ...SIGNED, call: hexOf('["rm","-rf","/"]') }],
    ['another salt', { ...SIGNED, salt: other }],
    ['another effect', { ...SIGNED, effect: other }],
    ['no effect', withoutEffect],
    ['another decision', { ...SIGNED, decision: 'deny' }],
    ['another approval', { ...SIGNED, approvalId: 'approval-2' }],
    ['another nonce', { ...SIGNED, nonce: randomBytes(24).toString('base64url') }],
  ];
  it.each(signedChanges)('is refused for %s', (_change, signed) => {
    expect(problemOf({ ...receipt, signed })).toBe('other-challenge');
  });

  it.each<[string, Parameters<typeof soft.sign>[1], AssertionProblem]>([
    ['a registration', { client: { type: 'webauthn.create' } }, 'not-an-assertion'],
    ['another challenge', { client: { challenge: 'AAAA' } }, 'other-challenge'],
    ['another origin', { client: { origin: 'https://evil.example' } }, 'other-site'],
    ['another port', { client: { origin: 'http://localhost:4301' } }, 'other-site'],
    ['a page embedded in another site', { client: { crossOrigin: true } }, 'embedded'],
    ['another site', { rpId: 'evil.example' }, 'other-site'],
    ['nobody present', { flags: 4 }, 'no-person'],
    ['no user verification', { flags: 1 }, 'not-verified'],
  ])('is refused with %s, although the signature matches', (_change, change, problem) => {
    expect(problemOf(signReceipt(change))).toBe(problem);
  });

  it.each<[string, (receipt: Receipt) => unknown, AssertionProblem]>([
    ['a flipped bit in the signature', (r) => ({ ...r, signature: flip(r.signature) }), 'wrong-signature'],
    ['a changed counter', (r) => ({ ...r, authenticatorData: flip(r.authenticatorData) }), 'wrong-signature'],
    ['extra client data', (r) => ({ ...r, clientData: withField(r.clientData) }), 'wrong-signature'],
    ['an empty signature', (r) => ({ ...r, signature: '' }), 'malformed'],
    ['short authenticator data', (r) => ({ ...r, authenticatorData: 'AAAA' }), 'malformed'],
    ['client data that is not JSON', (r) => ({ ...r, clientData: 'AAAA' }), 'malformed'],
    [
      'a second base64 form of its bytes',
      (r) => ({ ...r, authenticatorData: secondForm(r.authenticatorData) }),
      'malformed',
    ],
    ['an unknown field', (r) => ({ ...r, note: 'x' }), 'malformed'],
    ['an unknown version', (r) => ({ ...r, version: 2 }), 'malformed'],
    ['another scope', (r) => ({ ...r, signed: { ...r.signed, scope: 'always' } }), 'malformed'],
    ['another passkey', (r) => ({ ...r, credentialId: 'b3RoZXI' }), 'unknown-passkey'],
  ])('is refused with %s', (_change, change, problem) => {
    expect(problemOf(change(receipt))).toBe(problem);
  });

  it("is refused with another person's key", () => {
    const { publicKey: stranger } = createSoftPasskey(kind);
    expect(problemOf(receipt, [{ ...passkey, publicKey: stranger }])).toBe('wrong-signature');
  });

  it('is accepted from any port of its host if the origins are not known, and from no other host', () => {
    const anyPort = [{ credentialId, publicKey, rpId }];
    expect(problemOf(signReceipt({ origin: 'http://localhost:4301' }), anyPort)).toBe('none');
    expect(problemOf(signReceipt({ origin: 'http://localhost.evil.example' }), anyPort)).toBe('other-site');
  });
});

/** Flips a bit of the last byte. */
function flip(text: string): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes.toString('base64url');
}

function withField(clientData: string): string {
  const text = Buffer.from(clientData, 'base64url').toString('utf8');
  return Buffer.from(text.replace('{', '{"extra":1,')).toString('base64url');
}

/** Sets a bit that decoding ignores. */
function secondForm(text: string): string {
  const other = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    .split('')
    .map((last) => text.slice(0, -1) + last)
    .find((each) => each !== text && Buffer.from(each, 'base64url').equals(Buffer.from(text, 'base64url')));
  if (other === undefined) throw new Error('No other form.');
  return other;
}
