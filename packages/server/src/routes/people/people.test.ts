import {
  TERMINAL_AGENT,
  type CreatedToken,
  type Me,
  type OpenSession,
  type Person,
  type StuckRule,
} from '@countersign/protocol';
import { SERVER_LOG } from '@countersign/core/ports';
import { afterEach, describe, expect, it } from 'vitest';
import { closeApps, openApp } from '../../testing/app-fixture.js';
import { openStream } from '../../testing/open-stream.js';
import { add, as, audit, ownToken, tokenOf } from '../../testing/people.js';
import { ask, signInAs } from '../../testing/sign-in.js';

afterEach(closeApps);

const ada = { name: 'Ada', provider: 'scripted', model: 'x' };

it('[LOG1.8] refused requests and failed sign-ins are in the server’s audit log, and a flood of them is counted', async () => {
  const t = await openApp();
  const bob = await tokenOf(t, 'Bob', 'member', ['read', 'chat']);
  const before = (await audit(t)).length;
  const refusals = async () => (await audit(t)).slice(before).map(({ kind, who, why }) => ({ kind, who, why }));
  const add = () => ask(t, 'POST', '/people', bob, { name: 'Eve' });
  expect((await add()).status).toBe(403);
  expect((await ask(t, 'GET', '/worlds', as('wrong'))).status).toBe(401);
  expect((await t.api('POST', '/session', { token: 'cs_x_y' }, { Authorization: '' })).status).toBe(401);
  expect((await ask(t, 'GET', '/worlds/none', bob)).status).toBe(404);
  // Nobody may write another line into the log, or hide a part of one.
  expect((await fetch(`${t.url}/api/worlds/a%0Ab%1B%E2%80%AE`)).status).toBe(401);
  const why = (text: string) => expect.stringContaining(text) as string;
  const first = [
    { kind: 'refusal', who: { kind: 'person', id: 'bob', name: 'Bob' }, why: why('403: POST /api/people from') },
    { kind: 'refusal', who: undefined, why: why('401: GET /api/worlds from') },
    { kind: 'refusal', who: undefined, why: why('401: POST /api/session from') },
    { kind: 'refusal', who: undefined, why: why('401: GET /api/worlds/a%0Ab%1B%E2%80%AE from') },
  ];
  expect(await refusals()).toEqual(first);
  for (let each = 0; each < 50; each += 1) await add();
  for (let each = 0; each < 50; each += 1)
    await ask(t, 'POST', `/people/${each}/tokens`, bob, { name: 'x', scopes: ['read'] });
  // Ten of Bob, and the three without a credential.
  expect(await refusals()).toHaveLength(13);
  // His flood doesn't hide the refusals of others.
  const eve = await tokenOf(t, 'Eve', 'member', ['read', 'chat']);
  const known = (await audit(t)).length;
  expect((await ask(t, 'DELETE', '/people/bob', eve)).status).toBe(403);
  expect((await audit(t)).slice(known)).toMatchObject([
    { who: { id: 'eve' }, why: why('403: DELETE /api/people/bob from') },
  ]);
  t.clock.advance(60_000);
  await add();
  const left = '91 more requests were refused: 91 from 127.0.0.1 (Bob)';
  expect((await audit(t)).slice(known + 1)).toMatchObject([{ why: left }, first[0]]);
});

describe('people', () => {
  it('[WHO4] [WHO4.6] [HTTP3.2] are added, listed, changed and removed, and the log names who did it', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Lab' });
    const bob = await t.api<Person>('POST', '/people', {
      name: 'Bob',
      email: 'bob@example.com',
      worldRoles: { lab: 'approver' },
    });
    expect(bob).toMatchObject({ status: 201, body: { id: 'bob', role: 'member', status: 'active' } });
    expect((await add(t, 'Bob!', 'viewer')).id).toBe('bob-2');
    const changed = await t.api('PATCH', '/people/bob', { role: 'admin', email: null, worldRoles: {} });
    expect(changed).toMatchObject({ status: 200, body: { role: 'admin', worldRoles: {} } });
    expect(changed.body).not.toHaveProperty('email');
    expect((await t.api('DELETE', '/people/bob-2')).status).toBe(204);
    expect((await t.api('DELETE', '/people/bob-2')).status).toBe(404);
    expect((await t.api('GET', '/people/bob-2')).body).toMatchObject({ status: 'removed' });
    expect((await add(t, 'Bob!', 'viewer')).id).toBe('bob-3');
    const { items } = (await t.api<{ items: Person[] }>('GET', '/people')).body;
    expect(items.map(({ id }) => id)).toEqual(['owner', 'bob', 'bob-3']);
    const log = (await t.api<{ items: { decision: string; why: string }[] }>('GET', '/audit')).body.items;
    expect(log.map(({ decision, why }) => `${decision} ${why}`)).toEqual([
      'person added owner: owner, created by the first start',
      'person added bob: member, approver in lab',
      'person added bob-2: viewer',
      'person changed bob: role from "member" to "admin"; roles from "member, approver in lab" to "admin"; email address changed',
      'person removed bob-2: Bob!',
      'person added bob-3: viewer',
    ]);
    expect(log[1]).toMatchObject({ who: { kind: 'token', name: 'token' }, via: 'http' });
    expect((await t.api('GET', '/audit/verify')).body).toMatchObject({ ok: true, records: 6 });
  });

  it('[WHO4] [HTTP1] bad input is refused with a clear error, and nothing is saved', async () => {
    const t = await openApp();
    await add(t, 'Ada', 'owner');
    expect((await t.api('DELETE', '/people/owner')).status).toBe(204);
    await t.api('PATCH', '/people/ada', { email: 'ada@example.com' });
    const before = (await t.api('GET', '/people')).text;
    const records = (await audit(t)).length;
    for (const [method, path, body, status, field] of [
      ['POST', '/people', { name: 'ada' }, 409, 'name'],
      ['POST', '/people', { name: 'Bob', email: 'ADA@example.com' }, 409, 'email'],
      ['POST', '/people', { name: 'Bob', role: 'root' }, 422, 'role'],
      ['POST', '/people', { name: 'system' }, 422, 'name'],
      ['POST', '/people', { name: 'Bob', worldRoles: { nowhere: 'viewer' } }, 422, 'worldRoles.nowhere'],
      ['POST', '/people', { name: 'Bob', worldRoles: { nowhere: 'owner' } }, 422, 'worldRoles.nowhere'],
      ['POST', '/people', { name: 'Bob', status: 'removed' }, 422, 'status'],
      ['PATCH', '/people/ada', { id: 'eve' }, 422, 'id'],
      ['PATCH', '/people/ada', { status: 'removed' }, 422, 'status'],
      ['PATCH', '/people/ada', { role: 'viewer' }, 409, undefined],
      ['PATCH', '/people/ada', { status: 'disabled' }, 409, undefined],
      ['DELETE', '/people/ada', undefined, 409, undefined],
      ['PATCH', '/people/nobody', { role: 'viewer' }, 404, undefined],
      ['POST', '/people/nobody/invitations', undefined, 404, undefined],
      ['POST', '/people/ada/tokens', { name: 'x', scopes: ['root'] }, 422, 'scopes.0'],
      ['POST', '/people/ada/tokens', { name: 'x', scopes: [] }, 422, 'scopes'],
      [
        'POST',
        '/people/ada/tokens',
        { name: 'x', scopes: ['read'], expiresAt: '2001-01-01T00:00:00Z' },
        422,
        'expiresAt',
      ],
      ['PUT', '/groups/Finance', { people: [] }, 422, 'group'],
      ['PUT', '/groups/finance', { people: ['nobody'] }, 422, 'people'],
      ['PUT', '/groups/ada', { people: [] }, 409, 'name'],
      ['GET', '/groups/finance', undefined, 404, undefined],
    ] as const) {
      const answer = await t.api<{ field?: string }>(method, path, body);
      expect({ path, body, status: answer.status, field: answer.body.field }).toEqual({ path, body, status, field });
    }
    expect((await t.api('DELETE', '/people/ada')).body).toMatchObject({
      detail: 'Ada is the last active owner. Make someone else an owner first.',
    });
    expect((await t.api('GET', '/people')).text).toBe(before);
    expect(await audit(t)).toHaveLength(records);
  });

  it('[WHO4.1] an admin can’t disable or remove their own account', async () => {
    const t = await openApp();
    const eve = await tokenOf(t, 'Eve', 'admin', ['read', 'chat', 'sign', 'admin']);
    expect((await ask(t, 'PATCH', '/people/eve', eve, { status: 'disabled' })).status).toBe(409);
    expect((await ask(t, 'DELETE', '/people/eve', eve)).status).toBe(409);
  });
});

describe('signing as someone else', () => {
  it('[WHO5.1] isn’t possible with a token, or with an invitation for someone who is signed in', async () => {
    const t = await openApp();
    await add(t, 'Ada', 'approver');
    const refused = await t.api('POST', '/people/ada/tokens', { name: 'x', scopes: ['read', 'sign'] });
    expect(refused).toMatchObject({ status: 403, body: { field: 'scopes' } });
    const actions = async (headers: Record<string, string>) => (await ask(t, 'GET', '/me', headers)).body['actions'];
    // A token that someone else created is not a sign-in of her own.
    await t.api('POST', '/people/ada/tokens', { name: 'x', scopes: ['read'] });
    const first = await signInAs(t, 'ada');
    expect(await actions(first)).toEqual(['read', 'chat', 'sign', 'propose']);
    const second = await signInAs(t, 'ada');
    expect(await actions(second)).toEqual(['read', 'chat']);
    // Nor can it get the right back.
    expect((await ask(t, 'POST', '/people/ada/tokens', second, { name: 'x', scopes: ['sign'] })).status).toBe(403);
    // She sees it, and the log does.
    const { items } = (await ask(t, 'GET', '/me/sessions', first)).body as { items: OpenSession[] };
    expect(items.map(({ device }) => device).join()).toContain('invited by ');
    expect((await audit(t)).filter(({ decision }) => decision === 'session opened')).toMatchObject([
      { why: expect.stringMatching(/^ada: with an invitation by \S+$/) as string },
      { why: expect.stringContaining('although signed in elsewhere; may only read and chat') as string },
    ]);
  });

  it('[WHO5.2] a credential that may not sign can’t give others that right', async () => {
    const t = await openApp();
    await add(t, 'Mia', 'member');
    for (const name of ['Lab', 'Bank']) await t.api('POST', '/worlds', { name });
    await t.api('POST', '/people', { name: 'Art', role: null, worldRoles: { lab: 'approver' } });
    const eve = await tokenOf(t, 'Eve', 'admin', ['read', 'chat', 'admin']);
    for (const [method, path, body] of [
      ['POST', '/people', { name: 'Mallory', role: 'approver' }],
      ['PATCH', '/people/mia', { role: 'approver' }],
      // Art may already sign calls, but only in the lab.
      ['PATCH', '/people/art', { worldRoles: { lab: 'approver', bank: 'approver' } }],
      ['PATCH', '/people/art', { role: 'admin' }],
    ] as const) {
      expect(await ask(t, method, path, eve, body)).toMatchObject({
        status: 403,
        body: { field: 'role' },
      });
    }
    expect((await ask(t, 'PATCH', '/people/mia', eve, { name: 'Mia M' })).status).toBe(200);
    expect((await ask(t, 'PATCH', '/people/art', eve, { worldRoles: { lab: 'admin', bank: 'viewer' } })).status).toBe(
      200,
    );
  });

  it('[WHO5.2] [LOG1.3] the log names a token and its creator, whichever client sends it', async () => {
    const t = await openApp();
    await add(t, 'Adam', 'admin');
    const made = await t.api<CreatedToken>('POST', '/people/adam/tokens', { name: 'ci', scopes: ['read', 'admin'] });
    const headers = { ...as(made.body.token), 'User-Agent': TERMINAL_AGENT };
    await ask(t, 'POST', '/people', headers, { name: 'Vic', role: 'viewer' });
    expect((await audit(t)).at(-1)).toMatchObject({
      who: { id: 'adam' },
      via: expect.stringMatching(/^terminal, token ci \(created by .+\)$/) as string,
    });
  });

  it('[WHO4.3] people don’t see in which hidden worlds others have a role', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Lab' });
    await t.api('POST', '/worlds', { name: 'Secret plan' });
    await add(t, 'Ada', null, { lab: 'member', 'secret-plan': 'admin' });
    const bob = await tokenOf(t, 'Bob', null, ['read'], { lab: 'viewer' });
    for (const path of ['/people', '/people/ada']) {
      const seen = JSON.stringify((await ask(t, 'GET', path, bob)).body);
      expect(seen).toContain('"lab":"member"');
      expect(seen).not.toContain('secret-plan');
    }
    expect((await t.api('GET', '/people/ada')).text).toContain('secret-plan');
  });

  it('[WHO4.7] someone without a role sees only their own account, and can sign out', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Lab' });
    const { id } = await add(t, 'Nora', null);
    const nora = await signInAs(t, id);
    expect((await ask(t, 'GET', '/me', nora)).body).toMatchObject({ id: 'nora', role: null, actions: [] });
    expect(await ask(t, 'GET', '/worlds', nora)).toMatchObject({ status: 200, body: { items: [] } });
    const [session] = (await ask(t, 'GET', '/me/sessions', nora)).body['items'] as OpenSession[];
    expect((await ask(t, 'DELETE', `/me/sessions/${session?.id ?? ''}`, nora)).status).toBe(204);
    // A token needs `read` for it.
    const proposer = await tokenOf(t, 'Proposer', 'approver', ['propose']);
    for (const path of ['/me', '/worlds', '/people/proposer/tokens'])
      expect([path, (await ask(t, 'GET', path, proposer)).status]).toEqual([path, 403]);
  });

  it('[WHO4.9] only admins see email addresses, status and disabled people; everyone sees their own', async () => {
    const t = await openApp();
    await t.api('POST', '/people', { name: 'Ada', role: 'admin', email: 'ada@example.com' });
    await t.api('POST', '/people', { name: 'Gone', role: 'member', email: 'gone@example.com' });
    const bob = await tokenOf(t, 'Bob', 'viewer', ['read']);
    await t.api('PATCH', '/people/bob', { email: 'bob@example.com' });
    await t.api('PATCH', '/people/gone', { status: 'disabled' });
    const { items } = (await ask(t, 'GET', '/people', bob)).body as { items: Person[] };
    expect(items.map(({ id, email, status }) => [id, email, status])).toEqual([
      ['owner', undefined, undefined],
      ['ada', undefined, undefined],
      ['bob', 'bob@example.com', 'active'],
    ]);
    // Names stay readable: the audit log and the cards refer to them.
    const gone = (await ask(t, 'GET', '/people/gone', bob)).body;
    expect(gone).toMatchObject({ name: 'Gone' });
    expect(gone).not.toHaveProperty('status');
    expect(gone).not.toHaveProperty('email');
    const all = (await t.api<{ items: Person[] }>('GET', '/people')).body.items;
    expect(all.find(({ id }) => id === 'gone')).toMatchObject({ email: 'gone@example.com', status: 'disabled' });
  });
});

describe('roles', () => {
  it('[WHO4.2] [WHO4.4] each action needs its role, and the refusal says who may', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Lab' });
    await t.api('POST', '/worlds/lab/agents', ada);
    await t.api('POST', '/worlds/lab/chats', {});
    await add(t, 'Ada Lovelace', 'approver');
    await add(t, 'Boss', 'admin');
    const viewer = await tokenOf(t, 'Vic', 'viewer', ['read']);
    const member = await tokenOf(t, 'Max', 'member', ['read', 'chat']);
    const decision = { agentId: 'ada', tool_call_id: 'x', decision: 'approve' };
    const refused = async (method: string, path: string, who: Record<string, string>, body?: unknown) => {
      const { status, body: problem } = await ask(t, method, path, who, body);
      expect(status).toBe(403);
      return problem['detail'];
    };
    expect(await refused('POST', '/worlds/lab/chats', viewer, {})).toBe(
      'Only members can send messages in this world. Ask Olga Owner or Boss.',
    );
    expect(await refused('POST', '/worlds/lab/tool-results', member, decision)).toBe(
      'Only approvers can sign calls in this world. Ask Olga Owner, Ada Lovelace or Boss.',
    );
    // A rehearsal runs a command and shows its output.
    const check = { tool: 'shell_cmd', arguments: { command: 'cat notes' } };
    expect(await refused('POST', '/worlds/lab/policy/check', member, { ...check, rehearse: true })).toContain(
      'Only approvers can sign calls in this world.',
    );
    expect((await ask(t, 'POST', '/worlds/lab/policy/check', viewer, check)).status).toBe(200);
    expect(await refused('PATCH', '/worlds/lab', member, { name: 'Mine' })).toBe(
      'Only admins can change settings in this world. Ask Olga Owner or Boss.',
    );
    expect(await refused('POST', '/people', member, { name: 'Eve' })).toBe(
      'Only admins can change settings on this server. Ask Olga Owner or Boss.',
    );
    expect(await refused('GET', '/audit', member)).toContain('Only admins');
    // The log of the server is stored like the log of a world, but it is not a world.
    for (const path of ['/audit', '/audit?format=csv', '/audit/verify', '']) {
      expect((await ask(t, 'GET', `/worlds/${SERVER_LOG}${path}`, viewer)).status).toBe(404);
    }
    expect((await ask(t, 'POST', `/worlds/${SERVER_LOG}/audit/x/original`, member)).status).toBe(404);
    const asAda = await ownToken(t, 'ada-lovelace', ['read', 'sign']);
    expect((await ask(t, 'POST', '/worlds/lab/tool-results', asAda, decision)).status).toBe(404);
    // Adding a rule changes the policy.
    expect(await refused('POST', '/worlds/lab/tool-results', asAda, { ...decision, scope: 'always' })).toContain(
      'Only admins',
    );
    const admin = await tokenOf(t, 'Adam', 'admin', ['read', 'admin']);
    expect(await refused('POST', '/worlds/lab/tool-results', admin, { ...decision, scope: 'always' })).toBe(
      'This token has only these scopes: read, admin. Use one with the scope sign.',
    );
    expect(await refused('POST', '/worlds/lab/chats', asAda, {})).toBe(
      'This token has only these scopes: read, sign. Use one with the scope chat.',
    );
  });

  it('[WHO4.3] worlds that a person may not read don’t exist for them', async () => {
    const t = await openApp();
    await t.api('POST', '/worlds', { name: 'Lab' });
    await t.api('POST', '/worlds', { name: 'Vault' });
    const who = await tokenOf(t, 'Bob', null, ['read', 'chat'], {
      lab: 'member',
    });
    const { body } = await ask(t, 'GET', '/worlds', who);
    expect((body['items'] as { id: string }[]).map(({ id }) => id)).toEqual(['lab']);
    const me = (await ask(t, 'GET', '/me', who)).body as unknown as Me;
    expect(me).toMatchObject({ role: null, worldRoles: { lab: 'member' }, actions: [] });
    const stream = await openStream(`${t.url}/api/worlds/lab/events`, { headers: who });
    await t.api('PATCH', '/people/bob', { worldRoles: {} });
    expect(await stream.over).toBe(true);
    expect((await ask(t, 'GET', '/worlds', who)).status).toBe(403);
  });
});

it('[SIGN1.9] lists rules that nobody can satisfy, before and after a person leaves', async () => {
  const t = await openApp();
  await t.api('POST', '/worlds', { name: 'Lab' });
  await add(t, 'Ada', 'approver');
  await add(t, 'Bob', 'approver');
  await t.api('PUT', '/groups/finance', { people: ['ada', 'bob'] });
  const etag = (await t.api('GET', '/worlds/lab/policy')).headers.get('etag') ?? '';
  const rules = ['ask shell_cmd by 2 of @finance', 'ask read_file by @ada', 'ask write_file by @finance'];
  const put = await t.api('PUT', '/worlds/lab/policy', { rules }, { 'If-Match': etag });
  expect(put.status).toBe(200);
  const stuck = async (query = ''): Promise<string[]> => {
    const { items } = (await t.api<{ items: StuckRule[] }>('GET', `/stuck-rules${query}`)).body;
    return items.map(({ worldName, rule, why }) => `${worldName}: ${rule}: ${why}`);
  };
  expect(await stuck()).toEqual([]);
  const withoutBob =
    'Lab: ask shell_cmd by 2 of @finance: it needs 2 signatures, but only one person in @finance may sign calls in this world';
  expect(await stuck('?without=bob')).toEqual([withoutBob]);
  expect(await stuck('?without=ada')).toHaveLength(2);
  expect(await stuck('?without=owner')).toEqual([]);
  expect((await t.api('GET', '/stuck-rules?without=nobody')).status).toBe(404);
  await t.api('PATCH', '/people/bob', { status: 'disabled' });
  expect(await stuck()).toEqual([withoutBob]);
  // Ada's leaving would not break that rule: it is broken already.
  expect(await stuck('?without=ada')).toHaveLength(2);
});

it('[WHO7] groups are named lists of people, and a removed person leaves them', async () => {
  const t = await openApp();
  await add(t, 'Ada', 'owner');
  await add(t, 'Bob', 'member');
  const put = await t.api('PUT', '/groups/finance', { people: ['ada', 'bob', 'ada'] });
  expect(put).toMatchObject({ status: 200, body: { name: 'finance', people: ['ada', 'bob'] } });
  expect((await add(t, 'Finance', 'member')).id).toBe('finance-2');
  await t.api('DELETE', '/people/bob');
  expect((await t.api('GET', '/groups/finance')).body).toEqual({ name: 'finance', people: ['ada'] });
  expect((await t.api('GET', '/groups')).body).toEqual({ items: [{ name: 'finance', people: ['ada'] }] });
  expect((await t.api('DELETE', '/groups/finance')).status).toBe(204);
  expect((await t.api('DELETE', '/groups/finance')).status).toBe(404);
});
