import pg from 'pg';
import { expect, it } from 'vitest';
import { createPostgresDatabase } from './support/postgres-database.js';

it('gives every caller its own empty PostgreSQL database', async () => {
  const urls = await Promise.all([createPostgresDatabase(), createPostgresDatabase()]);
  const names = await Promise.all(
    urls.map(async (connectionString) => {
      const client = new pg.Client({ connectionString });
      await client.connect();
      const { rows } = await client.query<{ name: string; major: number }>(
        `select current_database() as name, current_setting('server_version_num')::int / 10000 as major`,
      );
      await client.end();
      expect(rows[0]?.major).toBe(18);
      return rows[0]?.name;
    }),
  );
  expect(new Set(names).size).toBe(2);
});
