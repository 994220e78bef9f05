import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase } from '../support/postgres-database.js';
import { runAlone, runCommand, type Ran } from './harbour-server.js';

let folder: string;
let home: string;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-migrate-'));
  home = join(folder, 'home');
  url = await createPostgresDatabase();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (words: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  runAlone(words, { HOME: folder, COUNTERSIGN_HOME: home, ...env });

interface Report {
  tables: Record<string, number>;
  auditRecords: number;
}

const everything = (): unknown =>
  readdirSync(home)
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path, 'latin1'), statSync(path).mtimeMs]);

describe('countersign migrate', () => {
  it('[TERM3] [STORE4] [LOG1] copies a home to PostgreSQL and back, with counts, progress and an intact chain', async () => {
    expect((await run(['chat', '-w', 'harbour', 'Please tidy the notes folder.'])).code).toBe(3);
    const { items: before } = JSON.parse((await run(['audit', 'list', '-w', 'harbour', '--json'])).stdout) as {
      items: unknown[];
    };
    const env = { HOME: folder, COUNTERSIGN_HOME: home, ELSEWHERE: url };
    const there = await runCommand(['migrate', '--to', 'env:ELSEWHERE', '--json'], { env });
    expect(there.code).toBe(0);
    expect(there.stderr).toMatch(/messages \d+ of \d+/);
    const report = JSON.parse(there.stdout) as Report;
    // A world, and the row of the server's own audit log, which has one record.
    expect(report).toMatchObject({ tables: { worlds: 2, chats: 1, agents: 2 }, auditRecords: before.length + 1 });
    expect(there.stdout + there.stderr).not.toContain(url);

    const verified = await run(['audit', 'verify', '--json'], { DATABASE_URL: url });
    const listed = await run(['audit', 'list', '-w', 'harbour', '--json'], {
      DATABASE_URL: url,
      COUNTERSIGN_HOME: join(folder, 'other'),
    });
    const doctor = await run(['doctor', '--json'], { DATABASE_URL: url });
    expect(JSON.parse(verified.stdout)).toMatchObject({
      ok: true,
      items: [{ records: before.length }, { world: '_server', records: 1 }],
    });
    expect(JSON.parse(listed.stdout)).toEqual({ items: before });
    expect(doctor.stdout).toMatch(/PostgreSQL, at DATABASE_URL \(schema \d+\)/);

    const back = await run(['migrate', '--from', 'env:ELSEWHERE', '--to', join(folder, 'back.db'), '--json'], {
      ELSEWHERE: url,
    });
    expect(back.code).toBe(0);
    const { tables, auditRecords } = JSON.parse(back.stdout) as Report;
    expect(auditRecords).toBe(before.length + 1);
    for (const table of ['messages', 'events', 'audit', 'approvals', 'invocations', 'turns'])
      expect(tables[table]).toBe(report.tables[table]);
  });

  it('[TERM4] explains invalid input in one sentence, and changes nothing', async () => {
    const missing = join(folder, 'typo.db');
    const target = join(folder, 'never.db');
    const tried = [
      await run(['migrate', '--from', missing, '--to', target], { COUNTERSIGN_HOME: join(folder, 'a') }),
      await run(['migrate', '--to', 'mysql://x'], { COUNTERSIGN_HOME: join(folder, 'b') }),
      await run(['migrate', '--to', 'env:NOT_SET'], { COUNTERSIGN_HOME: join(folder, 'c') }),
      await run(['migrate', '--from', target, '--to', target], { COUNTERSIGN_HOME: join(folder, 'd') }),
      await run(['migrate', '--to', `${url}_not_there`]),
    ];
    expect(tried.map(({ code }) => code)).toEqual([2, 2, 2, 2, 1]);
    for (const { stdout, stderr } of tried) {
      expect(stdout).toBe('');
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).not.toMatch(/:[^@\s]+@|\n\s+at /);
    }
    expect([missing, target].filter(existsSync)).toEqual([]);
    const full = await run(['migrate', '--to', 'env:ELSEWHERE'], { ELSEWHERE: url });
    expect(full.code).toBe(1);
    expect(full.stderr).toContain('not empty');
  });

  it('[TERM3] [STORE5] doctor inspects a home and changes nothing in it', async () => {
    const before = everything();
    const { stdout } = await run(['doctor', '--json']);
    expect(stdout).toMatch(/countersign\.db \(schema \d+\)/);
    expect(everything()).toEqual(before);
  });
});
