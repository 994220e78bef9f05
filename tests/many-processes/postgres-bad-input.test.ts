import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { serve } from '@countersign/server';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startCommand } from '../../packages/server/src/testing/start-process.js';
import { createPostgresDatabase } from '../support/postgres-database.js';

const PASSWORD = 'hunter2hunter2';

/** Changes a database of this test with `sql`. Returns the wrong URL. */
type Wrong = (url: string, run: (sql: string) => Promise<unknown>, name: string) => Promise<string> | string;

const changed = (url: string, change: Partial<Record<'username' | 'password' | 'pathname' | 'port', string>>): string =>
  Object.assign(new URL(url), change).href;

/** A role without privileges unless granted by `more`, in this database. */
async function as(url: string, run: (sql: string) => Promise<unknown>, name: string, more = ''): Promise<string> {
  await run(`create role ${name} login password '${PASSWORD}' ${more}`);
  return changed(url, { username: name, password: PASSWORD });
}

/** Forwards everything, and reports another server version. */
async function disguised(url: string, from: RegExp, to: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    near.on('data', (data) => far.write(data));
    far.on('data', (data) => near.write(Buffer.from(data.toString('latin1').replace(from, to), 'latin1')));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return changed(url, { port: String(typeof address === 'object' && address !== null ? address.port : 0) });
}

/** Opens that many connections until the test is over. */
async function occupy(url: string, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += 1) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
  }
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const bad: [what: string, wrong: Wrong, words: string][] = [
  ['another kind of URL', () => 'mysql://127.0.0.1/x', 'DATABASE_URL must begin with postgres://.'],
  ['no address', () => 'postgres://%zz@127.0.0.1:1/x', 'DATABASE_URL is correct.'],
  ['nobody there', () => `postgres://nobody:${PASSWORD}@127.0.0.1:1/nothing`, 'Check that it is running'],
  ['no such database', (url) => changed(url, { pathname: '/no_such_database' }), 'does not exist'],
  ['a wrong password', (url) => changed(url, { password: PASSWORD }), 'password authentication failed'],
  ['no right to create', async (url, run, name) => await as(url, run, name), 'Grant it CREATE'],
  ...['SQL_ASCII', 'LATIN1'].map((encoding): [string, Wrong, string] => [
    `text as ${encoding}`,
    async (url, run, name) => {
      await run(`create database ${name} encoding '${encoding}' template template0 locale 'C'`);
      return changed(url, { pathname: `/${name}` });
    },
    `uses the encoding ${encoding}`,
  ]),
  [
    'a schema of another program',
    async (url, run) => {
      await run('create schema countersign; create table countersign.letters (a int)');
      return url;
    },
    'belongs to another program',
  ],
  [
    'a newer schema',
    async (url, run) => {
      await run(
        `create schema countersign; create table countersign.meta (key text primary key, value text);
         insert into countersign.meta values ('schema-version', '999')`,
      );
      return url;
    },
    'Update Countersign',
  ],
  [
    'a limit that is too low',
    async (url, run, name) => await as(url, run, name, 'connection limit 5'),
    'allows only 5 connections, but one process needs 16',
  ],
  [
    'connections used by others',
    async (url, run, name) => {
      const address = await as(url, run, name, 'connection limit 16');
      await occupy(address, 12);
      return address;
    },
    'Only 4 of the 16 connections that this PostgreSQL server allows are free',
  ],
  [
    'no connection left at all',
    async (url, run, name) => {
      const address = await as(url, run, name, 'connection limit 2');
      await occupy(address, 2);
      return address;
    },
    'no free connection',
  ],
  [
    'a user who may only read',
    async (url, run, name) => {
      const address = await as(url, run, name);
      await run(`grant all on database ${new URL(url).pathname.slice(1)} to ${name}`);
      await run(`alter role ${name} set default_transaction_read_only = on`);
      return address;
    },
    'read-only',
  ],
  ['a version that is too old', async (url) => await disguised(url, /\b18\d{4}\b/, '130021'), 'PostgreSQL 13'],
];

let unchanged: Promise<string> | undefined;
let guests = 0;

/** The wrong URL of a database, and a home folder for the server. */
async function prepare(
  wrong: Wrong,
  isChanged = false,
): Promise<{ env: { DATABASE_URL: string }; folder: string; home: string }> {
  const url = isChanged ? await createPostgresDatabase() : await (unchanged ??= createPostgresDatabase());
  guests += 1;
  const name = `test_${new URL(url).pathname.slice(6)}_guest_${guests}`;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const address = await wrong(url, (sql) => query(url, sql), name);
  return { env: { DATABASE_URL: address }, folder, home: join(folder, 'home') };
}

/** One line that names the problem and contains no password. */
function expectSentence(said: string, words: string): void {
  expect(said.split('\n')).toEqual([said]);
  expect(said).toContain(words);
  for (const secret of [PASSWORD, new URL(inject('postgresUrl')).password]) expect(said).not.toContain(secret);
}

it.each(bad)(
  '[STORE7] a server explains a database problem in one sentence and exits before it listens: %s',
  async (what, wrong, words) => {
    const { env, home } = await prepare(wrong, what.includes('schema'));
    const logged: string[] = [];
    const note = (...all: unknown[]): void => void logged.push(JSON.stringify(all));
    const log = { info: note, warn: note, error: note };
    const sandbox = { kind: 'none', reason: 'no command runs here' } as const;
    const failed: unknown = await serve({ home, env, log, port: 0, version: 'test', sandbox }).then(
      async (serving) => await serving.close(),
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(CountersignError);
    expectSentence((failed as CountersignError).message, words);
    expect(logged).toEqual([]);
  },
);

it.each(bad.filter(([what]) => what === 'a wrong password'))(
  '[STORE7] serve prints that sentence and nothing else, and exits with 1: %s',
  async (_, wrong, words) => {
    const { env, folder, home } = await prepare(wrong);
    const run = startCommand(['serve', '--json', '--port', '0', '--home', home], { HOME: folder, ...env });
    expect((await run.exited).code).toBe(1);
    expect(run.stdout()).toBe('');
    const said = run.stderr().trim();
    expect(said).toMatch(/^countersign: /);
    expectSentence(said, words);
  },
);
