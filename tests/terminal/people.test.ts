import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHarbourServer, type HarbourServer } from './harbour-server.js';
import { ownToken } from './own-token.js';

let t: HarbourServer;
beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());

describe('countersign people and tokens', () => {
  it('[TERM3.7] adds a person with an invitation, changes, disables and removes them', async () => {
    const added = await t.runHere([
      'people',
      'add',
      'Ada Lovelace',
      '--role',
      'approver',
      '--email',
      'ada@example.com',
    ]);
    expect(added).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http\S+\/#invitation=[\w-]{43}\n$/) as string,
    });
    expect(added.stderr).toContain('Added the person "ada-lovelace".');
    expect(added.stderr).toContain('It only works on this machine.');
    expect(added.stderr).toContain('It signs Ada Lovelace in with all their rights (approver).');
    await ownToken(t, 'Zoe', ['read']);
    expect((await t.runHere(['people', 'invite', 'zoe'])).stderr).toContain('It only lets Zoe read and chat, because');
    expect((await t.runHere(['people'])).stdout).toMatch(
      /ada-lovelace +Ada Lovelace +approver +active +ada@example\.com/,
    );
    const edited = await t.runHere(['people', 'edit', 'ada lovelace', '--no-role', '--world', 'harbour=viewer']);
    expect(edited).toMatchObject({ code: 0, stderr: 'Updated the person "ada-lovelace".\n' });
    expect((await t.runHere(['people'])).stdout).toMatch(/Ada Lovelace +viewer in harbour +active/);
    expect(await t.runHere(['people', 'disable', 'ada-lovelace'])).toMatchObject({ code: 0 });
    expect((await t.runHere(['people', 'invite', 'ada-lovelace'])).stderr).toContain('Ada Lovelace is disabled.');
    expect(await t.runHere(['people', 'remove', 'ada-lovelace', '--yes'])).toMatchObject({ code: 0 });
    expect((await t.runHere(['people'])).stdout).not.toContain('Lovelace');
    const carol = await t.runHere(['people', 'add', 'Carol', '--owner', '--no-invite', '--json']);
    expect(JSON.parse(carol.stdout)).toMatchObject({ id: 'carol', role: 'owner' });
    // A role in one world gives none in the others.
    const fay = await t.runHere(['people', 'add', 'Fay', '--world', 'harbour=admin', '--no-invite', '--json']);
    expect(JSON.parse(fay.stdout)).toMatchObject({ role: null, worldRoles: { harbour: 'admin' } });
  });

  it('[TERM3.8] says that the person was added if only the invitation is refused', async () => {
    const token = await ownToken(t, 'Hanna', ['read', 'chat', 'sign', 'admin']);
    const env = { COUNTERSIGN_TOKEN: token };
    const added = await t.runHere(['people', 'add', 'Ivo', '--role', 'approver'], { env });
    expect(added).toMatchObject({ code: 1, stdout: '' });
    expect(added.stderr).toMatch(/^countersign: Added the person "ivo", but could not create an invitation: .+\n$/);
    expect((await t.runHere(['people', 'invite', 'ivo'])).code).toBe(0);
  });

  it('[TERM3.8] creates a token, prints it once, lists and revokes it', async () => {
    await t.runHere(['people', 'add', 'Bob', '--no-invite']);
    const add = ['tokens', 'add', 'ci', '--scopes', 'read,chat', '--person', 'bob'];
    const made = await t.runHere(add);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^cs_[0-9a-f]{16}_[\w-]{43}\n$/) as string });
    expect(made.stderr).toContain('It is not shown again.');
    const listed = await t.runHere(['tokens', '--person', 'bob']);
    expect(listed.stdout).not.toMatch(/\dT\d/);
    expect(listed.stdout).toMatch(/ci +read, chat +never +20/);
    expect(listed.stdout).not.toContain(made.stdout.trim().slice('cs_0123456789abcdef_'.length));
    const twin = (await t.runHere(add)).stdout.slice('cs_'.length, 'cs_0123456789abcdef'.length);
    const unclear = await t.runHere(['tokens', 'revoke', 'ci', '--person', 'bob']);
    expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining(`Use an id: "`) as string });
    expect(unclear.stderr).toContain(`"${twin}"`);
    expect(await t.runHere(['tokens', 'revoke', twin, '--person', 'bob'])).toMatchObject({ code: 0 });
    const revoked = await t.runHere(['tokens', 'revoke', 'ci', '--person', 'bob']);
    expect(revoked).toMatchObject({ code: 0, stderr: 'Revoked the token "ci".\n' });
    expect((await t.runHere(['tokens', 'list', '--person', 'bob'])).stderr).toContain('There are no tokens.');
  });

  it('[TERM3.7] creates, lists and removes a group', async () => {
    await t.runHere(['people', 'add', 'Dora', '--no-invite']);
    expect(await t.runHere(['groups', 'set', 'finance', 'dora', 'Bob'])).toMatchObject({
      code: 0,
      stderr: 'Saved the group "finance": dora, bob.\n',
    });
    expect((await t.runHere(['groups'])).stdout).toMatch(/finance +dora, bob/);
    expect((await t.runHere(['groups', 'set', 'finance', 'bob', '--oidc-group', 'Finance team'])).stderr).toBe(
      'Saved the group "finance": bob. Members of the OIDC group "Finance team" join it when they sign in.\n',
    );
    // Changing the people keeps the OIDC group.
    await t.runHere(['groups', 'set', 'finance', 'dora']);
    expect((await t.runHere(['groups'])).stdout).toMatch(/finance +dora +Finance team/);
    await t.runHere(['groups', 'set', 'finance', 'dora', '--no-oidc-group']);
    expect((await t.runHere(['groups'])).stdout).not.toContain('Finance team');
    expect((await t.runHere(['groups', 'set', 'finance', 'eve'])).stderr).toContain('no person "eve"');
    expect((await t.runHere(['groups', 'set', 'Finance', 'bob'])).stderr).toContain('lowercase letters');
    expect((await t.runHere(['groups', 'remove', 'finanse', '--yes'])).stderr).toContain('finance');
    expect(await t.runHere(['groups', 'remove', 'finance', '--yes'])).toMatchObject({ code: 0 });
    expect((await t.runHere(['groups'])).stderr).toBe('There are no groups.\n');
  });

  it('[SIGN4.6] delegates to someone, lists who signs for whom, and ends it', async () => {
    // The server's token is nobody's, so it has no right to sign that could be delegated.
    const env = { COUNTERSIGN_TOKEN: await ownToken(t, 'Iris', ['read', 'sign', 'admin']) };
    const run = (...words: string[]) => t.runHere(['people', ...words], { env });
    await t.runHere(['people', 'add', 'Grace Hopper', '--role', 'approver', '--no-invite']);
    await t.runHere(['people', 'add', 'Henry', '--no-invite']);
    const day = new Date(Date.now() + 7 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    const bad: [string[], string][] = [
      [['grace-hopper'], '--until'],
      [['grace-hopper', '--until', 'soon'], '--until: "soon" is not a date.'],
      [['grace-hopper', '--until', '2020-01-01'], 'until: must be in the future'],
      [['grase-hopper', '--until', day], 'grace-hopper'],
      [['henry', '--until', day], "Henry's role can't sign calls"],
      [['grace-hopper', '--until', day, '-w', 'nowhere'], 'There is no world "nowhere"'],
    ];
    for (const [words, text] of bad) {
      const refused = await run('delegate', ...words);
      expect(refused.code).not.toBe(0);
      expect(refused.stderr).toContain(text);
    }
    expect((await run('delegations')).stderr).toBe('There are no delegations.\n');
    const flags = ['--until', day, '--tools', 'shell_*', 'pay', '-w', 'harbour'];
    const made = await run('delegate', 'grace hopper', ...flags);
    expect(made).toMatchObject({ code: 0 });
    expect(made.stderr).toContain('Grace Hopper can sign calls for you until ');
    const listed = await run('delegations', 'grace-hopper');
    expect(listed.stdout).toMatch(/Iris +Grace Hopper +shell_\*, pay +harbour +20/);
    const { items } = JSON.parse((await run('delegations', '--json')).stdout) as {
      items: { id: string }[];
    };
    expect((await run('undelegate', 'none')).stderr).toContain('There is no delegation "none".');
    const ended = await run('undelegate', items[0]?.id ?? '');
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('Grace Hopper can no longer') as string });
    expect((await run('delegations')).stderr).toBe('There are no delegations.\n');
  });

  it('[SCHED6] adds, lists, pauses, resumes and removes schedules of a person', async () => {
    const env = { COUNTERSIGN_TOKEN: await ownToken(t, 'Nia', ['read', 'chat']) };
    const run = (...words: string[]) => t.runHere(['schedules', ...words, '-w', 'docks'], { env });
    const { id: chat } = await t.client.createChat('docks');
    const refused = await t.runHere(['schedules', 'add', 'x', '-w', 'docks', '-c', chat, '--cron', '0 8 * * *']);
    expect(refused.stderr).toContain('A schedule sends in the name of a person.');
    expect((await run('add', 'x', '-c', chat, '--at', 'soon')).stderr).toContain('--at: "soon" is not a time.');
    expect((await run('add', 'x', '-c', chat)).stderr).toContain('send either cron or at');
    const zone = ['--time-zone', 'Europe/Berlin'];
    const made = await run('add', 'Good \u001b[2Jmorning', '-c', chat, '--cron', '0 8 * * 1-5', ...zone, '--json');
    const { id } = JSON.parse(made.stdout) as { id: string };
    const listed = await run('list');
    expect(listed.stdout).toMatch(
      new RegExp(`${id} +active +Nia +0 8 \\* \\* 1-5 \\(Europe/Berlin\\) +20.*Good ‹U\\+001B›`),
    );
    expect(await run('pause', id)).toMatchObject({ code: 0, stderr: `Paused ${id}.\n` });
    expect((await run('list')).stdout).toContain('paused');
    expect(await run('resume', id.slice(0, 16))).toMatchObject({ code: 0, stderr: `Resumed ${id}.\n` });
    expect(await run('remove', id)).toMatchObject({ code: 0, stderr: `Deleted ${id}.\n` });
    expect((await run('list')).stderr).toBe('There are no schedules.\n');
  });

  it('[TERM3.7] lists and ends the browser sessions', async () => {
    await t.runHere(['people', 'add', 'Edna', '--role', 'admin', '--no-invite']);
    const made = await t.runHere(['tokens', 'add', 'laptop', '--scopes', 'read,admin', '--person', 'edna']);
    const env = { COUNTERSIGN_TOKEN: made.stdout.trim() };
    await t.client.openSession({ token: env.COUNTERSIGN_TOKEN });
    const listed = await t.runHere(['sessions', '--json'], { env });
    const { items } = JSON.parse(listed.stdout) as { items: { id: string }[] };
    expect(items).toHaveLength(1);
    expect((await t.runHere(['sessions', 'end'], { env })).stderr).toContain('--all');
    expect((await t.runHere(['sessions', 'end', 'none'], { env })).code).not.toBe(0);
    // [WHO4.6] The server's log has both, and `audit verify` covers it.
    expect((await t.runHere(['audit', '--server', '--find', 'edna'])).stdout).toContain('token created');
    expect((await t.runHere(['audit', 'verify', '--server'])).stdout).toMatch(/^server: intact/);
    expect((await t.runHere(['audit', 'verify'])).stdout).toMatch(/^server: intact/m);
    expect((await t.runHere(['audit', '--server', '-w', 'harbour'])).code).not.toBe(0);
    // Admins can do the same for someone else.
    expect((await t.runHere(['sessions', '--person', 'edna'])).stdout).toContain(items[0]?.id);
    await t.client.openSession({ token: env.COUNTERSIGN_TOKEN });
    const other = await t.client.personSessions('edna');
    const newest = other.items.find(({ id }) => id !== items[0]?.id)?.id ?? '';
    expect(await t.runHere(['sessions', 'end', newest, '--person', 'edna'])).toMatchObject({ code: 0 });
    expect(await t.runHere(['sessions', 'end', items[0]?.id ?? ''], { env })).toMatchObject({
      code: 0,
      stderr: 'Ended 1 session.\n',
    });
    expect((await t.runHere(['sessions'], { env })).stderr).toBe('No browser is signed in.\n');
  });

  it('[TERM3.7] refuses bad input with a clear error', async () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await t.runHere(args);
      expect(code).not.toBe(0);
      return stderr;
    };
    expect(await refused('people', 'add', 'Eve', '--role', 'root')).toContain('Unknown role "root".');
    expect(await refused('people', 'add', 'Eve', '--world', 'harbour')).toContain('Invalid world role "harbour".');
    expect(await refused('people', 'disable', 'nobody')).toContain('"nobody"');
    expect(await refused('people', 'edit', 'owner')).not.toBe('');
    expect(await refused('tokens', 'add', 'x', '--scopes', 'reed')).toContain('Unknown scope "reed".');
    expect(await refused('tokens', 'add', 'x', '--scopes', 'read', '--days', '0')).toContain(
      'Invalid number of days "0".',
    );
  });
});
