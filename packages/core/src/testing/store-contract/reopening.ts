import { expect, it } from 'vitest';
import { recordThree, say, W } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

/** The state of a store after closing and reopening, and after tampering in between. */
export function describeReopening(open: OpenStore, isShort: boolean): void {
  const { store, reopen } = freshStore(open);

  const later = 'update audit set seq = seq + 100 where seq > 1';
  const swap = 'update audit set seq = case seq when 102 then 3 else 2 end where seq > 100';
  const tampered = [
    ['edited', 2, `update audit set record = replace(record, 'second', 'nobody') where seq = 2`],
    ['edited', 2, `update audit set record = 'not JSON' where seq = 2`],
    ['edited', 3, `update audit set hash = 'x' where seq = 3`],
    ['removed', 1, 'delete from audit where seq = 1'],
    ['removed', 2, 'delete from audit where seq = 2'],
    ['removed', 2, 'delete from audit where seq = 2; update audit set seq = 2 where seq = 3'],
    ['reordered', 2, `${later}; ${swap}`],
    ['cut-off', 3, 'delete from audit where seq = 3'],
    ['cut-off', 1, 'delete from audit'],
    [
      'cut-off',
      3,
      `delete from audit where seq = 3;
       update worlds set audit_seq = 2, audit_hash = (select hash from audit where seq = 2)`,
    ],
    ['cut-off', 1, `delete from audit; update worlds set audit_seq = 0, audit_hash = ''`],
  ] as const;
  // The short form has each problem once.
  it.each(tampered.filter((_, at) => !isShort || at % 3 === 0))(
    '[LOG1.2] detects a record that was %s at %i: %s',
    async (problem, at, tampering) => {
      await recordThree(store());
      expect(await (await reopen(tampering)).verifyAudit(W)).toMatchObject({ ok: false, problem, at });
    },
  );

  it('[LOG1.2] detects a truncated tail even after new records and another restart', async () => {
    await recordThree(store());
    const tampered = await reopen(
      `delete from audit where seq > 1;
       update worlds set audit_seq = 1, audit_hash = (select hash from audit where seq = 1)`,
    );
    await recordThree(tampered);
    expect(await tampered.verifyAudit(W)).toMatchObject({ ok: false, problem: 'cut-off', at: 3 });
    await recordThree(await reopen());
    expect(await (await reopen()).verifyAudit(W)).toMatchObject({ ok: false, problem: 'cut-off', at: 3 });
  });

  it('[CALL9] all data survives closing and reopening, including the signing key', async () => {
    const said = await say(store(), 'msg_1');
    await recordThree(store());
    const before = Buffer.from(store().hashKey).toString('hex');
    const again = await reopen();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.from(again.hashKey).toString('hex')).toBe(before);
    expect(await again.read((r) => r.message('msg_1'))).toStrictEqual(said);
    expect(await again.verifyAudit(W)).toEqual({ ok: true, records: 3 });
    expect((await say(again, 'msg_2')).seq).toBe(2);
  });
}
