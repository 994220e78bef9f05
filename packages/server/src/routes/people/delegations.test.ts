import { SERVER_LOG } from '@countersign/core/ports';
import type { Challenge, Confirmable, Delegation, NewToken, PersonRole } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp } from '../../testing/app-fixture.js';
import { ask as send, pageOf, signInAs } from '../../testing/sign-in.js';
import { createSoftPasskey, insertPasskey } from '../../testing/soft-passkey.js';

afterEach(closeApps);

const DAY = 24 * 60 * 60 * 1000;

/** Ada and Bob may sign everywhere, Carol only in the world Lab, Dan nowhere. */
async function setUp() {
  const t = await openApp();
  await t.api('POST', '/worlds', { name: 'Lab' });
  await t.api('POST', '/worlds', { name: 'Vault' });
  const add = async (name: string, role: PersonRole | null, worldRoles = {}): Promise<void> => {
    expect((await t.api('POST', '/people', { name, role, worldRoles })).status).toBe(201);
  };
  await add('Ada Lovelace', 'approver');
  await add('Bob', 'approver');
  await add('Carol', 'member', { lab: 'approver' });
  await add('Dan', 'member');
  const now = t.engine.runtime.clock.now();
  const at = (days: number): string => new Date(now + days * DAY).toISOString();
  return { t, at, ada: await signInAs(t, 'ada-lovelace') };
}

const MINE = '/me/delegations';

describe('[SIGN4.6] [HTTP3.5] delegations', () => {
  it('are created, listed for both people, ended and recorded', async () => {
    const { t, at, ada } = await setUp();
    const given = { to: 'bob', tools: ['pay', 'shell_*'], worlds: ['lab'], from: at(1), until: at(8) };
    const made = await send<Delegation>(t, 'POST', MINE, ada, given);
    expect(made).toMatchObject({
      status: 201,
      body: { ...given, by: { id: 'ada-lovelace', name: 'Ada Lovelace' }, to: { id: 'bob', name: 'Bob' } },
    });
    const bob = await signInAs(t, 'bob');
    for (const who of [ada, bob]) {
      expect((await send(t, 'GET', MINE, who)).body['items']).toEqual([made.body]);
    }
    expect((await t.api('GET', '/people/ada-lovelace/delegations')).body).toEqual({ items: [made.body] });
    expect((await send(t, 'DELETE', `${MINE}/${made.body.id}`, bob)).status).toBe(404);
    expect((await send(t, 'DELETE', `${MINE}/${made.body.id}`, ada)).status).toBe(204);
    expect((await send(t, 'DELETE', `${MINE}/${made.body.id}`, ada)).status).toBe(404);
    expect((await send(t, 'GET', MINE, bob)).body['items']).toEqual([]);
    const other = await send<Delegation>(t, 'POST', MINE, ada, { to: 'carol', until: at(90) });
    expect((await t.api('DELETE', `/people/ada-lovelace/delegations/${other.body.id}`)).status).toBe(204);
    const log = await t.engine.runtime.store.read((r) => r.audit(SERVER_LOG, { after: 0, limit: 99 }));
    const records = log.filter(({ decision }) => decision?.startsWith('delegation') === true);
    expect(records).toMatchObject([
      { decision: 'delegation created', who: { id: 'ada-lovelace' } },
      { decision: 'delegation ended', who: { id: 'ada-lovelace' } },
      { decision: 'delegation created' },
      { decision: 'delegation ended' },
    ]);
    expect(records[0]?.why).toContain('ada-lovelace to bob');
    expect(records[0]?.why).toContain('tools: pay, shell_*, worlds: lab');
  });

  it('[SIGN4.2] end when the person is disabled or removed', async () => {
    const { t, at, ada } = await setUp();
    await send(t, 'POST', MINE, ada, { to: 'bob', until: at(7) });
    const bob = await signInAs(t, 'bob');
    expect((await send<{ items: unknown[] }>(t, 'GET', MINE, bob)).body.items).toHaveLength(1);
    await t.api('PATCH', '/people/ada-lovelace', { status: 'disabled' });
    expect((await send(t, 'GET', MINE, bob)).body['items']).toEqual([]);
    await t.api('PATCH', '/people/ada-lovelace', { status: 'active' });
    expect((await send(t, 'GET', MINE, bob)).body['items']).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    ['an unknown person', { to: 'nobody' }, 'to', 'there is no active person "nobody"'],
    ['yourself', { to: 'ada-lovelace' }, 'to', "you can't delegate to yourself"],
    ['a person who may not sign', { to: 'dan' }, 'to', "Dan's role can't sign calls. An admin can give Dan the role"],
    ['a person who may not sign there', { to: 'carol', worlds: ['lab', 'vault'] }, 'to', "can't sign calls in vault"],
    ['a past date', { until: '2020-01-01T00:00:00Z' }, 'until', 'must be in the future'],
    ['an end before the start', { from: 9, until: 8 }, 'until', 'must be after from'],
    ['too long a time', { until: 91 }, 'until', 'can be at most 90 days from now'],
    ['no end', { until: undefined }, 'until', 'is missing'],
    ['not a date', { until: 'tomorrow' }, 'until', 'ISO datetime'],
    ['an unknown world', { worlds: ['nowhere'] }, 'worlds', 'there is no world "nowhere" in which you can sign calls'],
    ['no world', { worlds: [] }, 'worlds', 'name at least one world'],
    ['no tool', { tools: [] }, 'tools', 'name at least one tool'],
    ['a rule instead of a tool', { tools: ['shell_cmd(git push *)'] }, 'tools', 'must be the name of a tool'],
    ['an unknown field', { role: 'admin' }, 'role', 'role'],
  ])('[HTTP1] refuse %s, and save nothing', async (_, change, field, text) => {
    const { t, at, ada } = await setUp();
    const body = Object.fromEntries(
      Object.entries({ to: 'bob', until: 7, ...change }).map(([key, value]) => [
        key,
        typeof value === 'number' ? at(value) : (value as unknown),
      ]),
    );
    const refused = await send(t, 'POST', MINE, ada, body);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ field: expect.stringMatching(new RegExp(`^${field}`)) as string });
    expect(String(refused.body['detail']).toLowerCase()).toContain(text.toLowerCase());
    expect((await send(t, 'GET', MINE, ada)).body['items']).toEqual([]);
  });

  it('[WHO5] need a person who may sign, and a credential that isn’t limited', async () => {
    const { t, at, ada } = await setUp();
    const body = { to: 'bob', until: at(7) };
    expect((await send(t, 'POST', MINE, await signInAs(t, 'dan'), body)).body['detail']).toContain(
      "You can't sign calls",
    );
    const scopes: NewToken['scopes'] = ['read', 'sign'];
    const made = await send(t, 'POST', '/people/ada-lovelace/tokens', ada, { name: 'ci', scopes });
    const limited = { authorization: `Bearer ${String(made.body['token'])}` };
    expect((await send(t, 'POST', MINE, limited, body)).status).toBe(403);
    for (let count = 0; count < 20; count += 1) await send(t, 'POST', MINE, ada, body);
    expect((await send(t, 'POST', MINE, ada, body)).status).toBe(409);
  });

  it('[SIGN4.4] need a confirmation by a trusted passkey of the person who has one', async () => {
    const { t, at, ada: session } = await setUp();
    const origin = pageOf(t);
    const ada = { ...session, Origin: origin };
    const soft = createSoftPasskey('ed25519', { origin });
    await insertPasskey(t.engine.runtime.store, 'ada-lovelace', soft, { origin });
    const asked = { to: 'bob', tools: ['pay'], until: at(7) };
    expect(await send(t, 'POST', MINE, ada, asked)).toMatchObject({ status: 409, body: { field: 'confirmation' } });
    const confirm = async (given: Record<string, unknown>) => {
      const action: Confirmable = { kind: 'change-world', method: 'POST', path: MINE, body: given };
      const { body } = await send<Challenge>(t, 'POST', '/me/challenges', ada, { action });
      return { challenge: body.challenge, ...soft.sign(body.options.challenge) };
    };
    const other = await confirm({ ...asked, to: 'carol' });
    expect((await send(t, 'POST', MINE, ada, { ...asked, confirmation: other })).status).toBe(403);
    const wider = await confirm({ to: 'bob', until: at(7) });
    expect((await send(t, 'POST', MINE, ada, { ...asked, confirmation: wider })).status).toBe(403);
    expect((await send(t, 'GET', MINE, ada)).body['items']).toEqual([]);
    const confirmation = await confirm(asked);
    expect((await send(t, 'POST', MINE, ada, { ...asked, confirmation })).status).toBe(201);
    expect((await send(t, 'POST', MINE, ada, { ...asked, confirmation })).status).toBe(403);
  });
});
