import { createFakeClock } from '@countersign/core/testing';
import type { Confirmable, PasskeyConfirmation } from '@countersign/protocol';
import { openSqlite } from '@countersign/storage';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { By } from '../people/by.js';
import { ensureOwner } from '../people/ensure-owner.js';
import { createSoftPasskey, insertPasskey, type SoftPasskey } from '../testing/soft-passkey.js';
import { confirmIn } from './confirm-in.js';
import { createChallenge } from './create-challenge.js';

const origin = 'http://localhost:4300';
const action: Confirmable = { kind: 'remove-passkey', passkey: '0123456789abcdef' };

async function setUp() {
  const clock = createFakeClock();
  const store = await openSqlite(':memory:', { clock });
  onTestFinished(() => store.close());
  const person = await ensureOwner(store, 'Ada');
  const soft = createSoftPasskey();
  const id = await insertPasskey(store, person.id, soft);
  const signer = { who: { kind: 'person', id: person.id, name: person.name }, via: 'test' } as const;
  const by: By = { access: { holder: 'x', kind: 'session', person }, signer };
  const confirm = async (
    confirmation: PasskeyConfirmation | undefined,
    given: Partial<{ action: Confirmable; by: By }> = {},
  ) =>
    (await store.transact('', (tx) => confirmIn(tx, given.by ?? by, { action, origin, ...given, confirmation }))).value;
  const challenge = () => createChallenge(store, by, { action, origin });
  const sign = async (with_: SoftPasskey = soft, parts: Parameters<SoftPasskey['sign']>[1] = {}) => {
    const { challenge: made, options } = await challenge();
    return { challenge: made, ...with_.sign(options.challenge, parts) };
  };
  return { clock, store, person, soft, id, by, confirm, challenge, sign };
}

describe('[SIGN2.2] [HTTP3.4] a confirmation', () => {
  it('is accepted once', async () => {
    const t = await setUp();
    const { options } = await t.challenge();
    expect(options).toMatchObject({
      rpId: 'localhost',
      userVerification: 'required',
      allowCredentials: [{ id: t.soft.credentialId, type: 'public-key' }],
    });
    const confirmation = await t.sign();
    expect(await t.confirm(confirmation)).toMatchObject({ credential: { id: t.id } });
    await expect(t.confirm(confirmation)).rejects.toThrow('This challenge is unknown, used or older than five minutes');
  });

  it('is refused if it is missing, late, or signed for another action', async () => {
    const t = await setUp();
    await expect(t.confirm(undefined)).rejects.toThrow('Confirm this with a passkey');
    const other: Confirmable = { kind: 'trust-passkey', passkey: '0123456789abcdef' };
    await expect(t.confirm(await t.sign(), { action: other })).rejects.toThrow('The passkey signed something else');
    const late = await t.sign();
    t.clock.advance(5 * 60_000);
    await expect(t.confirm(late)).rejects.toThrow('older than five minutes');
  });

  it("is refused for another challenge's signature, another page, and without user verification", async () => {
    const t = await setUp();
    const [one, two] = [await t.sign(), await t.sign()];
    await expect(t.confirm({ ...one, challenge: two.challenge })).rejects.toThrow('(other-challenge)');
    const elsewhere = await t.sign(t.soft, { origin: 'http://localhost:9999' });
    await expect(t.confirm(elsewhere)).rejects.toThrow('(other-site)');
    await expect(t.confirm(await t.sign(t.soft, { flags: 1 }))).rejects.toThrow('(not-verified)');
  });

  it('is refused with an untrusted, a removed, a stranger’s or a copied passkey', async () => {
    const t = await setUp();
    const untrusted = createSoftPasskey();
    await insertPasskey(t.store, t.person.id, untrusted, { trusted: false });
    await expect(t.confirm(await t.sign(untrusted))).rejects.toThrow('not one of your trusted passkeys');
    const stranger = { ...createSoftPasskey(), credentialId: t.soft.credentialId };
    const forged = { ...(await t.sign(stranger)), credentialId: t.soft.credentialId };
    await expect(t.confirm(forged)).rejects.toThrow('(wrong-signature)');
    await t.confirm(await t.sign(t.soft, { counter: 7 }));
    await expect(t.confirm(await t.sign(t.soft, { counter: 7 }))).rejects.toThrow('may have been copied');
    await expect(t.confirm(await t.sign(t.soft))).rejects.toThrow('may have been copied');
    const before = await t.sign(t.soft, { counter: 8 });
    await t.store.transact('', (tx) => tx.endCredential(t.id));
    await expect(t.confirm(before)).rejects.toThrow('not one of your trusted passkeys');
    await expect(t.challenge()).rejects.toThrow('You have no trusted passkey');
  });

  it('is refused for another person and for a shared token', async () => {
    const t = await setUp();
    const confirmation = await t.sign();
    const person = { ...t.person, id: 'bob', name: 'Bob' };
    const bob: By = { ...t.by, access: { ...t.by.access, person } };
    await expect(t.confirm(confirmation, { by: bob })).rejects.toThrow('This challenge is unknown');
    const shared: By = { ...t.by, access: { holder: 'x', kind: 'server-token' } };
    await expect(t.confirm(confirmation, { by: shared })).rejects.toThrow('belongs to nobody in particular');
    const at = { action, origin: 'http://127.0.0.1:4300' };
    await expect(createChallenge(t.store, t.by, at)).rejects.toThrow(`Your passkeys belong to ${origin}`);
  });
});
