import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '@countersign/core/testing/store-contract';
import pg from 'pg';
import { beforeAll, onTestFinished } from 'vitest';
import { createPostgresDatabase } from '../../../../tests/support/postgres-database.js';
import { openPostgres } from './open-postgres.js';

let url = '';
let opened = 0;
beforeAll(async () => {
  url = await createPostgresDatabase();
});

describeStore(
  'PostgreSQL',
  async () => {
    opened += 1;
    const schema = `test_${opened}`;
    const folder = mkdtempSync(join(tmpdir(), 'countersign-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const options = { schema, headFile: join(folder, 'audit-head'), maxConnections: 4 };
    let store = await openPostgres(url, options);
    return {
      store,
      async reopen(sql) {
        await store.close();
        if (sql !== undefined) {
          const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
          await client.connect();
          await client.query(sql);
          await client.end();
        }
        store = await openPostgres(url, options);
        return store;
      },
      another: () => openPostgres(url, { schema, maxConnections: 4 }),
    };
  },
  { outlive: true, share: true },
);
