import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@countersign/core/ports';
import { openPostgres, openSqlite } from '@countersign/storage';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeApps, openApp, TOKEN } from '../../packages/server/src/testing/app-fixture.js';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { isFullSize } from '../support/scaled.js';
import { runHere, type Ran } from '../terminal/harbour-server.js';

let folder: string;
let home: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-rewritten-'));
  home = join(folder, 'home');
  mkdirSync(home);
});
afterEach(async () => {
  await closeApps();
  rmSync(folder, { recursive: true, force: true });
});

/** A store with its home folder, and what someone with write access to both can change. */
interface Place {
  open: () => Promise<Store>;
  sql: (text: string) => Promise<Record<string, unknown>[]>;
  headFile: string;
}

const places: Record<string, () => Promise<Place>> = {
  SQLite: async () => {
    const file = join(home, 'countersign.db');
    return {
      open: () => openSqlite(file, { synchronous: 'NORMAL' }),
      headFile: `${file}.audit-head`,
      async sql(text) {
        const db = new DatabaseSync(file);
        try {
          return db.prepare(text).all() as Record<string, unknown>[];
        } finally {
          db.close();
        }
      },
    };
  },
  PostgreSQL: async () => {
    const url = await createPostgresDatabase();
    const headFile = join(home, 'audit-heads.json');
    return {
      open: () => openPostgres(url, { headFile }),
      headFile,
      async sql(text) {
        const client = new pg.Client({ connectionString: url, options: '-c search_path=countersign' });
        await client.connect();
        try {
          return (await client.query<Record<string, unknown>>(text)).rows;
        } finally {
          await client.end();
        }
      },
    };
  },
};

const quote = (text: unknown): string => `'${String(text).replaceAll("'", "''")}'`;

/** Removes a record, renumbers and rehashes the rest, and updates both heads: nothing in the home folder shows it. */
async function removeRecord({ sql, headFile }: Place, world: string, gone: number): Promise<void> {
  const rows = await sql(`select record from audit where world_id = ${quote(world)} order by seq`);
  await sql(`delete from audit where world_id = ${quote(world)}`);
  let [seq, hash] = [0, ''];
  for (const { record } of rows.filter((_, index) => index !== gone - 1)) {
    const previous = hash;
    seq += 1;
    hash = createHash('sha256')
      .update(previous + String(record))
      .digest('hex');
    const values = [world, seq, record, previous, hash].map(quote).join(', ');
    await sql(`insert into audit (world_id, seq, record, previous_hash, hash) values (${values})`);
  }
  await sql(`update worlds set audit_seq = ${seq}, audit_hash = '${hash}' where id = ${quote(world)}`);
  const heads = JSON.parse(readFileSync(headFile, 'utf8')) as Record<string, unknown>;
  writeFileSync(headFile, JSON.stringify({ ...heads, [world]: { seq, hash } }));
}

const runAt = (url: string, words: string[], env: Record<string, string> = {}): Promise<Ran> =>
  runHere(
    words,
    { env: { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: TOKEN, ...env } },
    { defaultHome: async () => home },
  );

describe.each(Object.keys(places))('[LOG3] someone who can write to the home folder, on %s', (kind) => {
  /** Runs the command against a server on this store while `work` runs. */
  async function serving(
    place: Place,
    work: (run: (words: string[], env?: Record<string, string>) => Promise<Ran>, url: string) => Promise<void>,
  ): Promise<void> {
    const t = await openApp({ store: await place.open() });
    await work((words, env) => runAt(t.url, words, env), t.url);
    await t.close();
  }

  async function addWorld(url: string, name: string): Promise<void> {
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    await fetch(`${url}/api/worlds`, { method: 'POST', headers, body: JSON.stringify({ name }) });
    for (const mode of ['read', 'auto', 'ask']) {
      await fetch(`${url}/api/worlds/${name}`, { method: 'PATCH', headers, body: JSON.stringify({ mode }) });
    }
  }

  it('can hide a removed record from the head in the home folder, but not from a head stored elsewhere', async () => {
    const place = await places[kind]?.();
    if (place === undefined) throw new Error(`no place ${kind}`);
    const key = join(folder, 'audit.key');
    const heads = join(folder, 'heads.jsonl');
    const unsigned = join(folder, 'unsigned.jsonl');
    const env = { COUNTERSIGN_AUDIT_KEY: key };
    await serving(place, async (run, url) => {
      await addWorld(url, 'docks');
      await addWorld(url, 'quay');
      expect(await run(['audit', 'key', key])).toMatchObject({ code: 0 });
      const signed = await run(['audit', 'head'], env);
      expect(signed).toMatchObject({ code: 0, stderr: '' });
      // Two worlds and the server.
      expect(signed.stdout.trim().split('\n')).toHaveLength(3);
      writeFileSync(heads, signed.stdout);
      const bare = await run(['audit', 'head', '-w', 'docks']);
      expect(bare.stderr).toContain('Not signed: no key is configured.');
      writeFileSync(unsigned, bare.stdout);

      const alone = await run(['audit', 'verify', '-w', 'docks']);
      expect(alone).toMatchObject({ code: 0 });
      expect(alone.stdout).toContain('No head outside the home folder protects this log');
      const checked = await run(['audit', 'verify', '--head', heads], env);
      expect(checked).toMatchObject({ code: 0 });
      expect(checked.stdout).toMatch(/Records 1 to \d+ match a head from .* signed with SHA256:/);
      expect(checked.stdout).not.toContain('No head');
      const elsewhere = await run(['audit', 'verify', '--head', heads, '--key', `${key}.pub`, '--json']);
      const { signature, at } = JSON.parse(signed.stdout.split('\n')[0] ?? '') as Record<string, unknown>;
      expect(JSON.parse(elsewhere.stdout)).toMatchObject({
        ok: true,
        items: [{ anchor: { kind: 'heads', since: at, keys: [(signature as { key: string }).key] } }, {}, {}],
      });
      const trusting = await run(['audit', 'verify', '-w', 'docks', '--head', unsigned]);
      expect(trusting.stdout).toContain('not signed, so it is only as safe as the place where you stored it');

      const refused = await Promise.all([
        run(['audit', 'verify', '--head', heads]),
        run(['audit', 'verify', '--head', unsigned], env),
        run(['audit', 'verify', '--head', key]),
        run(['audit', 'verify', '-w', 'quay', '--head', unsigned]),
        run(['audit', 'key', join(home, 'audit.key')]),
      ]);
      for (const { code, stdout, stderr } of refused) {
        expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 });
      }
    });

    await removeRecord(place, 'docks', 2);
    await serving(place, async (run, url) => {
      // With the same length as before, and longer, so that the head is no longer the last record.
      await addWorld(url, 'docks');
      const alone = await run(['audit', 'verify', '-w', 'docks']);
      expect(alone.stdout).toContain('docks: intact');
      const checked = await run(['audit', 'verify', '--head', heads], env);
      expect(checked.code).toBe(1);
      expect(checked.stdout).toMatch(/^docks: rewritten at record \d+\. .*signed with SHA256:/m);
      expect(checked.stdout).toMatch(/^quay: intact/m);
      expect((await run(['audit', 'verify', '-w', 'docks', '--head', unsigned])).code).toBe(1);
    });
  });

  // The store makes no difference to the rest: only at full size.
  if (!isFullSize && kind !== 'SQLite') return;

  it('can’t hide that a log is shorter than the head, missing or from another store', async () => {
    const place = await places[kind]?.();
    if (place === undefined) throw new Error(`no place ${kind}`);
    const heads = join(folder, 'heads.jsonl');
    await serving(place, async (run, url) => {
      await addWorld(url, 'docks');
      writeFileSync(heads, (await run(['audit', 'head'])).stdout);
    });
    const records = (await place.sql("select seq from audit where world_id = 'docks'")).length;
    await removeRecord(place, 'docks', records);
    await serving(place, async (run) => {
      const checked = await run(['audit', 'verify', '--head', heads]);
      expect(checked).toMatchObject({ code: 1 });
      expect(checked.stdout).toContain(`docks: cut-off at record ${records}.`);
    });
    rmSync(place.headFile);
    await serving(place, async (run) => {
      const { stdout } = await run(['audit', 'verify']);
      expect(stdout).toContain(`The head file in the home folder does not cover the first ${records - 1} records`);
    });
    const t = await openApp();
    const other = (words: string[]): Promise<Ran> => runAt(t.url, words);
    const missing = await other(['audit', 'verify', '--head', heads]);
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.stdout).toContain('docks: cut-off at record 1.');
    await addWorld(t.url, 'docks');
    expect((await other(['audit', 'verify', '--head', heads])).stdout).toContain('docks: another log at record 1.');
  });
});
