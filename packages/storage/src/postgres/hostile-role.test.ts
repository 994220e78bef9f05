import type { Store } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { openPostgres } from './open.js';
import { takeLock } from './take-lock.js';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A role with only the CONNECT privilege. */
async function connectStranger(url: string): Promise<pg.Client> {
  const owner = await connect(url);
  const name = `stranger_${process.pid}_${Date.now()}`;
  await owner.query(`create role ${name} login password 'x'`);
  onTestFinished(async () => {
    const cleaner = new pg.Client({ connectionString: url });
    await cleaner.connect();
    await cleaner.query(`drop role ${name}`);
    await cleaner.end();
  });
  const theirs = new URL(url);
  theirs.username = name;
  theirs.password = 'x';
  return await connect(theirs.href);
}

async function open(url: string): Promise<NonNullable<Store['shared']>> {
  const store = await openPostgres(url);
  onTestFinished(() => store.close());
  if (store.shared === undefined) throw new Error('the store is not shared');
  return store.shared;
}

it('[STORE7.1] a role that may only connect can’t read, forge or replay hints', async () => {
  const url = await createPostgresDatabase();
  const [one, other] = [await open(url), await open(url)];
  const heard: string[] = [];
  onTestFinished(
    await other.hear(
      (hint) => heard.push(hint),
      () => undefined,
    ),
  );
  const stranger = await connectStranger(url);
  const overheard: string[] = [];
  stranger.on('notification', ({ payload }) => overheard.push(payload ?? ''));
  await stranger.query('listen "countersign countersign"');
  await expect(stranger.query('select value from countersign.meta')).rejects.toThrow(/permission denied/);

  const [named] = (
    await (
      await connect(url)
    ).query<{ name: string }>(`select proname as name from pg_proc
    where pronamespace = 'countersign'::regnamespace and proname like 'append_steps%'`)
  ).rows;
  const appending = stranger.query(`select countersign.${named?.name}('w', '{}', '[]', null)`);
  await expect(appending).rejects.toThrow(/permission denied/);

  one.hint('{"said":"the harbour is closed"}');
  await expect.poll(() => heard).toEqual(['{"said":"the harbour is closed"}']);
  await expect.poll(() => overheard.length).toBe(1);
  expect(Buffer.from(overheard[0] ?? '', 'base64').toString('latin1')).not.toContain('harbour');

  const forged = ['', '{', '{"from":"x","hint":{"kind":"events"}}', 'AAAA', 'x'.repeat(7_900), ...overheard];
  for (const text of forged) await stranger.query('select pg_notify($1, $2)', ['countersign countersign', text]);
  one.hint('{"said":"it is open again"}');
  await expect.poll(() => heard.length).toBeGreaterThan(1);
  expect(heard).toEqual(['{"said":"the harbour is closed"}', '{"said":"it is open again"}']);
});

it('[STORE7.1] rejects a schema that another role owns or can create functions in', async () => {
  const url = await createPostgresDatabase();
  const owner = await connect(url);
  const stranger = await connectStranger(url);
  const { rows } = await stranger.query<{ name: string; database: string }>(
    'select current_user as name, current_database() as database',
  );
  const [{ name, database }] = rows as [{ name: string; database: string }];
  await owner.query(`grant create on database ${database} to ${name}`);
  for (const schema of ['countersign', 'countersign_jobs']) {
    await stranger.query(`create schema ${schema}`);
    const message = expect.stringMatching(`${schema} .*${name}`) as string;
    await expect(open(url)).rejects.toMatchObject({ code: 'store-foreign', message });
    await stranger.query(`drop schema ${schema}`);
  }
  await owner.query(`revoke create on database ${database} from ${name}`);
  await (await openPostgres(url)).close();
  await owner.query('grant create on schema countersign to public');
  await expect(open(url)).rejects.toMatchObject({ message: expect.stringContaining('PUBLIC') as string });
});

it('[STORE5] a lock held by another role doesn’t block a start if nothing has to be migrated', async () => {
  const url = await createPostgresDatabase();
  await (await openPostgres(url)).close();
  const stranger = await connectStranger(url);
  await stranger.query('begin');
  for (const lock of [0x436f5369, 0x436f4a62]) await stranger.query('select pg_advisory_xact_lock($1)', [lock]);
  await expect(open(url)).resolves.toBeDefined();
});

it('[STORE5] gives up on a lock with an error that says how to find its holder', async () => {
  const url = await createPostgresDatabase();
  const stranger = await connectStranger(url);
  await stranger.query('select pg_advisory_lock(7)');
  const client = await connect(url);
  await client.query('begin');
  const refused = takeLock(client, 7, 50);
  await expect(refused).rejects.toBeInstanceOf(CountersignError);
  await expect(refused).rejects.toThrow(/select pid from pg_locks where locktype = 'advisory' and objid = 7/);
});
