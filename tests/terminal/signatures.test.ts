import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordText, type AuditEntry, type NewToken } from '@countersign/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../packages/server/src/people/manage-tokens.js';
import { createSoftPasskey, insertPasskey } from '../../packages/server/src/testing/soft-passkey.js';
import { createServerAccess } from '../../packages/terminal/src/main.js';
import { openHarbourServer, runHere, stamp, type HarbourServer } from './harbour-server.js';

let t: HarbourServer;
let token = '';
const file = (name: string): string => join(t.folder, name);
const env = (): Record<string, string> => ({ ...t.env, COUNTERSIGN_TOKEN: token });

/** Runs a command that verifies offline. */
const run = (...words: string[]) => {
  const servers = createServerAccess({ version: 'test' });
  const known = { receiptCheck: servers.receiptCheck.bind(servers), defaultHome: async () => file('home') };
  return runHere(words, { env: env() }, known);
};

beforeAll(async () => {
  t = await openHarbourServer();
});
afterAll(() => t.close());

/** Writes the log of a forger who changed records and computed all hashes again. */
function forge(change: (entry: AuditEntry) => AuditEntry): string {
  let previousHash = '';
  const lines = readFileSync(file('audit.jsonl'), 'utf8').trim().split('\n');
  const forged = lines.map((line) => {
    const { seq, hash: _hash, previousHash: _previous, ...record } = change(JSON.parse(line) as AuditEntry);
    const hash = createHash('sha256')
      .update(previousHash + recordText(record))
      .digest('hex');
    const entry = { ...record, seq, previousHash, hash };
    previousHash = hash;
    return JSON.stringify(entry);
  });
  writeFileSync(file('forged.jsonl'), `${forged.join('\n')}\n`);
  return file('forged.jsonl');
}

describe('countersign audit verify --signatures', () => {
  it('[SIGN2.10] [SIGN2.11] [SIGN2.3] verifies receipts on the server and offline, and names the record of a forged one', async () => {
    const origin = t.env['COUNTERSIGN_URL']?.replace('127.0.0.1', 'localhost') ?? '';
    const soft = createSoftPasskey('p-256', { origin });
    const { store } = t.serving().home.engine.runtime;
    expect((await t.runHere(['people', 'keys'])).stderr).toBe('Nobody has a trusted passkey.\n');
    await insertPasskey(store, 'owner', soft, { origin });
    await insertPasskey(store, 'owner', createSoftPasskey(), { origin, trusted: false });
    const owner = await store.read((reader) => reader.person('owner'));
    if (owner === undefined) throw new Error('there is no owner');
    const signer = { who: { kind: 'person', id: 'owner', name: owner.name }, via: 'test' } as const;
    const by = { access: { holder: 'x', kind: 'session', person: owner }, signer } as const;
    const wanted: NewToken = { name: 'x', scopes: ['read', 'chat', 'sign', 'admin'] };
    ({ token } = await createToken(store, 'owner', wanted, by, { isConfirmed: true }));
    const call = async <T>(path: string, given: object): Promise<T> => {
      const headers = { Authorization: `Bearer ${token}`, Origin: origin, 'Content-Type': 'application/json' };
      const answer = await fetch(`${t.env['COUNTERSIGN_URL']}/api${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(given),
      });
      const body = await answer.text();
      expect({ ok: answer.ok, body }).toEqual({ ok: true, body });
      return JSON.parse(body) as T;
    };
    expect(await run('policy', 'add', 'ask stamp with passkey', '-w', 'docks')).toMatchObject({ code: 0 });
    const chat = await t.client.createChat('docks', {});
    await t.client.send('docks', chat.id, { content: t.asking(stamp('a')) });
    await t.serving().home.engine.quiet();
    const [approval] = (await t.client.approvals('docks')).items;
    const action = { kind: 'sign-call', world: 'docks', approval: approval?.approvalId, decision: 'approve' };
    // The command prints a link, waits for the signature in a browser, and ends with success.
    const waiting = t.terminal(['approvals', 'approve', approval?.approvalId ?? '', '-w', 'docks', '--yes'], {
      env: env(),
    });
    const shown = await waiting.waitFor('Waiting for your signature.');
    expect(shown.replace(/\s+/g, '')).toContain(`${origin}/w/docks/c/${chat.id}`);
    const made = await call<{ challenge: string; options: { challenge: string } }>('/me/challenges', { action });
    const confirmation = { challenge: made.challenge, ...soft.sign(made.options.challenge) };
    await call('/worlds/docks/tool-results', { tool_call_id: approval?.approvalId, decision: 'approve', confirmation });
    await waiting.waitFor('Approved once.');
    expect(await waiting.exitCode).toBe(0);
    expect(t.runs).toEqual(['a']);

    const keys = await run('people', 'keys');
    expect(JSON.parse(keys.stdout)).toMatchObject({ person: 'owner', publicKey: soft.publicKey, rpId: 'localhost' });
    writeFileSync(file('keys.jsonl'), keys.stdout);
    await run('audit', 'export', '-w', 'docks', '--out', file('audit.jsonl'));

    const live = await run('audit', 'verify', '-w', 'docks', '--signatures');
    expect(live).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The signature of one record is valid.') as string,
    });
    expect(live.stdout).toContain('The public keys come from the log itself');
    const pinned = ['--signatures', '--keys', file('keys.jsonl')];
    const offline = await run('audit', 'verify', '--file', file('audit.jsonl'), ...pinned);
    expect(offline).toMatchObject({ code: 0, stdout: expect.stringMatching(/^docks: intact/) as string });
    expect(offline.stdout).toContain(`The public keys come from ${file('keys.jsonl')}.`);

    const decision = (change: Partial<AuditEntry>) => (entry: AuditEntry) =>
      entry.kind === 'decision' ? { ...entry, ...change } : entry;
    const verify = async (change: Partial<AuditEntry>) =>
      await run('audit', 'verify', '--file', forge(decision(change)), ...pinned);
    const other = await verify({ arguments: { letter: 'b' } });
    expect(other).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^docks: invalid signature at record \d+\. The passkey signed another call\.$/m,
      ) as string,
    });
    const who = { kind: 'person', id: 'bob', name: 'Bob' } as const;
    expect(await verify({ who })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("not that of the record's signer") as string,
    });
    const unsigned = forge((entry) => {
      const { receipt: _, ...rest } = entry;
      return rest;
    });
    expect(await run('audit', 'verify', '--file', unsigned, ...pinned)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('The rule requires a passkey') as string,
    });
    // Without new hashes, the chain is broken.
    const edited = readFileSync(file('audit.jsonl'), 'utf8').replace(/"letter":"a"/g, '"letter":"b"');
    writeFileSync(file('forged.jsonl'), edited);
    expect(await run('audit', 'verify', '--file', file('forged.jsonl'), '--json', ...pinned)).toMatchObject({
      code: 1,
    });
    const stranger = JSON.stringify({
      ...(JSON.parse(keys.stdout) as object),
      publicKey: createSoftPasskey().publicKey,
    });
    writeFileSync(file('other-keys.jsonl'), stranger);
    const refused = await run('audit', 'verify', '-w', 'docks', '--signatures', '--keys', file('other-keys.jsonl'));
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('does not match the public key') as string,
    });
  });

  it('[SIGN2.10] refuses bad input', async () => {
    writeFileSync(file('bad.jsonl'), '{"kind":"x"}\n');
    writeFileSync(file('empty.jsonl'), '\n');
    const refusals: [string[], string][] = [
      [['--keys', file('keys.jsonl')], '--keys requires --signatures.'],
      [['--file', file('bad.jsonl'), '-w', 'docks'], 'not both'],
      [['--file', file('bad.jsonl')], 'bad.jsonl, line 1 is not an audit record'],
      [['--file', file('empty.jsonl')], 'contains no audit record'],
      [['--file', file('missing.jsonl')], 'Could not read'],
      [['--signatures', '--keys', file('bad.jsonl')], 'bad.jsonl, line 1 is not a public key'],
      [['--signatures', '--keys', file('empty.jsonl')], 'contains no public key'],
      [['--signatures', '--keys', file('home/keys.jsonl')], 'is inside the home folder'],
    ];
    for (const [words, sentence] of refusals) {
      const { code, stderr } = await run('audit', 'verify', ...words);
      expect(stderr).toContain(sentence);
      expect(code).not.toBe(0);
    }
  });
});
